"""The file is what the library's own ``Writer`` makes of the same messages, and fully indexed."""

from io import BytesIO
import itertools
import struct
import zlib

from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.reader import NonSeekingReader, make_reader
from mcap.records import Chunk, Footer, MessageIndex
from mcap.stream_reader import CRCValidationError, StreamReader, get_chunk_data_stream
from mcap.writer import Writer
import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

from simloop_ros.record import mcap
from simloop_ros.record.columns import COLUMNS
from simloop_ros.record.joint_state_cdr import JOINT_STATE
from simloop_ros.record.log_topics import LATCHED_QOS, TOPICS
from simloop_ros.record.mcap import read_mcap, write_mcap

NAMES = ['elbow', 'é', 'wrist_roll']
PERIOD = 1 / 300  # no whole number of nanoseconds
DESCRIPTION = '<robot name="größe"/>'
METADATA = {'scenario': 'step', 'größe': 'ü'}
STORE = get_typestore(Stores.ROS2_JAZZY)
TEN_ROWS = 7_500
"""Bytes of a chunk of ten rows and something."""
RECORD_HEADER = struct.Struct('<BQ')
MESSAGE_HEADER = struct.Struct('<BQHIQ')  # opcode, length, channel, sequence, log time
FOOTER_SIZE, MAGIC_SIZE, CRC_SIZE = 9 + 20, 8, 4


class Rows:
    """A log in memory."""

    def __init__(self, rows):
        self._array = np.random.default_rng(1).standard_normal((rows, len(COLUMNS), len(NAMES)))
        self.rows, self.n, self.columns = rows, len(NAMES), COLUMNS

    def chunks(self, rows=4096):
        for start in range(0, self.rows, rows):
            yield self._array[start : start + rows]


def stamp(k):
    """Return the time of row ``k`` [ns]."""
    return round((k + 1) * PERIOD * 1e9)


def serialized(topic, k, row):
    """Return the bytes that ``rosbags`` gives a JointState."""
    types = STORE.types
    time = types['builtin_interfaces/msg/Time'](*divmod(stamp(k), 10**9))
    header = types['std_msgs/msg/Header'](stamp=time, frame_id='')
    fields = {
        field: row[COLUMNS.index(*TOPICS[topic][field])] if field in TOPICS[topic] else np.empty(0)
        for field in ('position', 'velocity', 'effort')
    }
    message = types['sensor_msgs/msg/JointState'](header=header, name=NAMES, **fields)
    return bytes(STORE.serialize_cdr(message, 'sensor_msgs/msg/JointState'))


def write_with_the_library(path, log, chunk_size):
    with open(path, 'wb') as file:
        writer = Writer(file, chunk_size=chunk_size)
        writer.start(profile='ros2', library='simloop_ros')
        own = {
            'joint_names': '["elbow","é","wrist_roll"]',
            'groups': '[]',
            'topics': '{}',
            'period': repr(PERIOD),
        }
        writer.add_metadata('simloop_log', own)
        writer.add_metadata('simloop', METADATA)
        text = writer.register_schema('std_msgs/msg/String', 'ros2msg', b'string data\n')
        state = writer.register_schema(
            'sensor_msgs/msg/JointState', 'ros2msg', JOINT_STATE.encode()
        )
        latched = {'offered_qos_profiles': LATCHED_QOS}
        description = writer.register_channel('/robot_description', 'cdr', text, latched)
        channels = {topic: writer.register_channel(topic, 'cdr', state) for topic in TOPICS}
        message = STORE.types['std_msgs/msg/String'](data=DESCRIPTION)
        data = bytes(STORE.serialize_cdr(message, 'std_msgs/msg/String'))
        writer.add_message(description, 0, data, 0)
        rows = itertools.chain.from_iterable(log.chunks())
        for (k, row), (topic, id_) in itertools.product(enumerate(rows), channels.items()):
            writer.add_message(id_, stamp(k), serialized(topic, k, row), stamp(k), k)
        writer.finish()
    return path


def write(folder, log, chunk_bytes=TEN_ROWS):
    path = folder / 'log.mcap'
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mcap, '_CHUNK_BYTES', chunk_bytes)
        write_mcap(log, path, NAMES, PERIOD, METADATA, DESCRIPTION)
    return path


def summary_of(path):
    with open(path, 'rb') as file:
        return make_reader(file).get_summary()


def footer_of(data):
    start = len(data) - MAGIC_SIZE - FOOTER_SIZE + RECORD_HEADER.size
    return Footer.read(ReadDataStream(BytesIO(data[start:])))


def chunk_at(data, offset):
    return Chunk.read(ReadDataStream(BytesIO(data[offset + RECORD_HEADER.size :])))


def message_index_at(data, offset):
    return MessageIndex.read(ReadDataStream(BytesIO(data[offset + RECORD_HEADER.size :])))


@pytest.fixture(scope='module')
def log_file(tmp_path_factory):
    """A file of 95 rows in ten chunks, after the one of the description."""
    path = write(tmp_path_factory.mktemp('log'), Rows(95))
    assert len(summary_of(path).chunk_indexes) == 1 + 10
    return path


@pytest.mark.parametrize(
    ('rows', 'chunk_bytes'),
    [(0, TEN_ROWS), (1, TEN_ROWS), (10, TEN_ROWS), (37, TEN_ROWS), (37, 1 << 22), (3, 1)],
)
def test_every_message_is_the_one_of_the_library(tmp_path, rows, chunk_bytes):
    log = Rows(rows)
    paths = (
        write(tmp_path, log, chunk_bytes),
        write_with_the_library(tmp_path / 'library.mcap', log, chunk_bytes),
    )
    seen = []
    for path in paths:
        with open(path, 'rb') as file:
            reader = make_reader(file, validate_crcs=True)
            in_file_order = list(reader.iter_messages(log_time_order=False))
            in_time_order = list(reader.iter_messages())
            backwards = list(reader.iter_messages(reverse=True))
            summary, header = reader.get_summary(), reader.get_header()
            metadata = list(reader.iter_metadata())
        with open(path, 'rb') as file:
            without_index = list(
                NonSeekingReader(file, validate_crcs=True).iter_messages(log_time_order=False)
            )
        summary.statistics.chunk_count = 0
        seen.append(
            (
                in_file_order,
                in_time_order,
                backwards,
                without_index,
                summary.statistics,
                summary.schemas,
                summary.channels,
                summary.metadata_indexes,
                header,
                metadata,
            )
        )
    assert len(seen[0][0]) == 1 + len(TOPICS) * rows
    for own, expected in zip(*seen, strict=True):
        assert own == expected


def test_chunks_may_end_within_a_row(tmp_path):
    """As the files that the library's ``Writer`` wrote for us until now."""
    log = Rows(95)
    theirs = write_with_the_library(tmp_path / 'library.mcap', log, 1000)
    per_chunk = {len(index.message_index_offsets) for index in summary_of(theirs).chunk_indexes}
    assert per_chunk - {len(TOPICS)}
    read, own = read_mcap(theirs), read_mcap(write(tmp_path, log))
    assert read.columns.tobytes() == own.columns.tobytes() == next(log.chunks()).tobytes()
    assert read.time.tobytes() == own.time.tobytes()
    assert (read.joint_names, read.metadata) == (own.joint_names, own.metadata)


def test_the_index_names_every_message(log_file):
    data = log_file.read_bytes()
    summary = summary_of(log_file)
    found = 0
    for chunk_index in summary.chunk_indexes:
        chunk = chunk_at(data, chunk_index.chunk_start_offset)
        stream, length = get_chunk_data_stream(chunk, validate_crc=True)
        records = stream.read(length)
        end = chunk_index.chunk_start_offset + chunk_index.chunk_length
        assert chunk.uncompressed_crc == zlib.crc32(records)
        assert chunk_index.uncompressed_size == chunk.uncompressed_size == length
        assert chunk_index.compressed_size == len(chunk.data)
        times = []
        for channel, offset in chunk_index.message_index_offsets.items():
            opcode, size = RECORD_HEADER.unpack_from(data, offset)
            assert (opcode, offset) == (Opcode.MESSAGE_INDEX, end)
            end = offset + RECORD_HEADER.size + size
            index = message_index_at(data, offset)
            assert index.channel_id == channel
            for time, place in index.records:
                opcode, _, id_, _, log_time = MESSAGE_HEADER.unpack_from(records, place)
                assert (opcode, id_, log_time) == (Opcode.MESSAGE, channel, time)
                times.append(time)
        assert chunk_index.message_index_length == (
            end - chunk_index.chunk_start_offset - chunk_index.chunk_length
        )
        assert chunk_index.message_start_time == chunk.message_start_time == min(times)
        assert chunk_index.message_end_time == chunk.message_end_time == max(times)
        found += len(times)
    assert found == summary.statistics.message_count
    assert summary.statistics.chunk_count == len(summary.chunk_indexes)


def test_a_window_of_time_needs_no_other_chunk(log_file, tmp_path):
    first, last = 42, 57
    data = bytearray(log_file.read_bytes())
    spoiled = 0
    for index in summary_of(log_file).chunk_indexes:
        if index.message_end_time < stamp(first) or index.message_start_time > stamp(last):
            end = index.chunk_start_offset + index.chunk_length
            data[end - index.compressed_size : end] = bytes(index.compressed_size)
            spoiled += 1
    assert spoiled >= 8
    path = tmp_path / 'spoiled.mcap'
    path.write_bytes(data)
    expected = [(topic, stamp(k)) for k in range(first, last + 1) for topic in TOPICS]
    with open(path, 'rb') as file:
        messages = make_reader(file, validate_crcs=True).iter_messages(
            starting_at=stamp(first), ending_at=stamp(last)
        )
        assert [(channel.topic, message.log_time) for _, channel, message in messages] == expected
    with AnyReader([path], default_typestore=STORE) as bag:
        messages = bag.messages(start=stamp(first), stop=stamp(last) + 1)
        assert sorted((c.topic, time) for c, time, _ in messages) == sorted(expected)


def test_each_summary_offset_spans_its_group(log_file):
    data = log_file.read_bytes()
    footer = footer_of(data)
    with open(log_file, 'rb') as file:
        file.seek(footer.summary_offset_start)
        offsets = list(StreamReader(file, skip_magic=True).records)[:-1]
    position = footer.summary_start
    for offset in offsets:
        assert offset.group_start == position
        while position < offset.group_start + offset.group_length:
            opcode, size = RECORD_HEADER.unpack_from(data, position)
            assert opcode == offset.group_opcode
            position += RECORD_HEADER.size + size
    assert position == footer.summary_offset_start
    assert len({offset.group_opcode for offset in offsets}) == 5


@pytest.mark.parametrize('of_library', [False, True])
def test_the_crc_of_the_summary_is_the_one_of_the_specification(tmp_path, of_library):
    """CRC-32 from the beginning of the summary to the footer's own field."""
    log = Rows(20)
    path = (
        write_with_the_library(tmp_path / 'library.mcap', log, TEN_ROWS)
        if of_library
        else write(tmp_path, log)
    )
    data = path.read_bytes()
    footer = footer_of(data)
    assert footer.summary_crc == zlib.crc32(data[footer.summary_start : -MAGIC_SIZE - CRC_SIZE])


def test_every_chunk_has_a_crc_that_finds_damage(log_file, tmp_path):
    data = log_file.read_bytes()
    crc_place = RECORD_HEADER.size + 3 * 8  # after start, end and size
    for i, index in enumerate(summary_of(log_file).chunk_indexes):
        damaged = bytearray(data)
        damaged[index.chunk_start_offset + crc_place] ^= 1
        path = tmp_path / f'{i}.mcap'
        path.write_bytes(damaged)
        with open(path, 'rb') as file, pytest.raises(CRCValidationError):
            list(make_reader(file, validate_crcs=True).iter_messages())
