from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from mcap.reader import make_reader
from mcap.writer import Writer
from mcap_ros2.reader import read_ros2_messages
import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

from simloop_ros.core.errors import ConfigError
from simloop_ros.record import mcap
from simloop_ros.record.columns import COLUMNS, GUIDED_COLUMNS
from simloop_ros.record.log import LogReader, LogWriter
from simloop_ros.record.log_topics import GUIDED_TOPICS
from simloop_ros.record.mcap import McapReader, read_mcap, write_mcap
from simloop_ros.record.metrics import compute_metrics

DESCRIPTION = '<robot name="größe"/>'
PERIOD = 1 / 300  # no whole number of nanoseconds
FIELDS = ('position', 'velocity', 'effort')


def write(folder, rows, names=None, metadata=None, progress=None):
    n = rows.shape[2]
    names = names or [f'joint_{i}' for i in range(n)]
    columns = GUIDED_COLUMNS if rows.shape[1] > len(COLUMNS) else COLUMNS
    with LogWriter(folder / 'raw', n, columns) as writer:
        for row in rows:
            writer.append(row)
    path = folder / 'log.mcap'
    reader = LogReader(folder / 'raw', n, columns)
    write_mcap(reader, path, names, PERIOD, metadata or {}, DESCRIPTION, progress)
    return path


def assert_message(message, topic, k, names, row):
    """Check one decoded JointState against row ``k``, field by field, bit by bit."""
    assert message.header.stamp.sec * 10**9 + message.header.stamp.nanosec == round(
        (k + 1) * PERIOD * 1e9
    )
    assert list(message.name) == names
    for field in FIELDS:
        value = np.array(getattr(message, field), dtype=np.float64)
        columns = GUIDED_TOPICS[topic].get(field)
        expected = row[GUIDED_COLUMNS.index(columns[0])] if columns else np.empty(0)
        np.testing.assert_array_equal(value, expected)
        assert value.tobytes() == expected.tobytes()


@st.composite
def logs(draw):
    names = draw(
        st.lists(st.text('abc_é', min_size=1, max_size=12), min_size=1, max_size=4, unique=True)
    )
    columns = draw(st.sampled_from((COLUMNS, GUIDED_COLUMNS)))
    shape = (draw(st.integers(1, 5)), len(columns), len(names))
    return names, draw(hnp.arrays(np.float64, shape, elements=st.floats(allow_nan=True)))


@settings(max_examples=40)
@given(log=logs())
def test_other_readers_decode_the_same(tmp_path_factory, log):
    names, rows = log
    path = write(tmp_path_factory.mktemp('log'), rows, names)
    seen = Counter()
    for entry in read_ros2_messages(path):
        if entry.channel.topic == '/robot_description':
            assert entry.ros_msg.data == DESCRIPTION
            assert entry.log_time_ns == 0
            continue
        k = seen[entry.channel.topic]
        assert entry.schema.name == 'sensor_msgs/msg/JointState'
        assert entry.log_time_ns == round((k + 1) * PERIOD * 1e9)
        assert_message(entry.ros_msg, entry.channel.topic, k, names, rows[k])
        seen[entry.channel.topic] += 1
    assert set(seen.values()) == {len(rows)}

    seen = Counter()
    with AnyReader([path], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as bag:
        for connection, stamp, raw in bag.messages():
            message = bag.deserialize(raw, connection.msgtype)
            if connection.topic == '/robot_description':
                assert (message.data, stamp) == (DESCRIPTION, 0)
                continue
            k = seen[connection.topic]
            assert_message(message, connection.topic, k, names, rows[k])
            seen[connection.topic] += 1
    assert set(seen.values()) == {len(rows)}


@settings(max_examples=40)
@given(log=logs())
def test_round_trip_is_bitwise(tmp_path_factory, log):
    names, rows = log
    read = read_mcap(write(tmp_path_factory.mktemp('log'), rows, names, {'scenario': 'step'}))
    assert read.joint_names == tuple(names)
    assert read.period == PERIOD
    assert read.metadata == {'scenario': 'step'}
    assert read.columns.tobytes() == rows.tobytes()
    assert read.names == (COLUMNS if rows.shape[1] == len(COLUMNS) else GUIDED_COLUMNS)
    assert read.column('effort').tobytes() == rows[:, COLUMNS.index('effort')].tobytes()
    half_nanosecond = 0.51e-9
    np.testing.assert_allclose(
        read.time, (np.arange(len(rows)) + 1) * PERIOD, rtol=0, atol=half_nanosecond
    )


@pytest.fixture(scope='module')
def long_log(tmp_path_factory):
    """A log of many chunks."""
    rows = np.random.default_rng(0).standard_normal((5000, 8, 2))
    patch = pytest.MonkeyPatch()
    patch.setattr(mcap, '_CHUNK_BYTES', 50_000)
    path = write(tmp_path_factory.mktemp('long'), rows)
    patch.undo()
    return path, rows


@pytest.mark.parametrize(('stride', 'limit'), [(1, None), (7, None), (3, 100), (6000, None)])
def test_every_so_many_rows(long_log, stride, limit):
    path, rows = long_log
    read = read_mcap(path, stride, limit)
    np.testing.assert_array_equal(read.columns, rows[::stride][:limit])
    expected = np.round((np.arange(5000) + 1) * PERIOD * 1e9)[::stride][:limit] / 1e9
    np.testing.assert_array_equal(read.time, expected)


def test_metrics_of_both_files_are_equal(long_log):
    path, _ = long_log
    reader = McapReader(path)
    assert [len(block) for block in reader.chunks(4096)] == [4096, 904]
    assert compute_metrics(reader) == compute_metrics(LogReader(path.with_name('raw'), 2))


def test_a_log_without_rows(tmp_path):
    read = read_mcap(write(tmp_path, np.empty((0, 8, 3))))
    assert read.columns.shape == (0, 8, 3)
    assert read.joint_names == ('joint_0', 'joint_1', 'joint_2')


def test_progress_rises_to_one(tmp_path):
    shares = []
    write(tmp_path, np.zeros((3000, 8, 1)), progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_an_interrupted_write_leaves_no_file(tmp_path):
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path, np.zeros((10, 8, 1)), progress=stop)
    assert [path.name for path in tmp_path.iterdir()] == ['raw']


@pytest.mark.parametrize('share', [0.0, 0.001, 0.3, 0.9, 0.9999])
def test_a_truncated_file_is_refused_in_one_line(long_log, tmp_path, share):
    data = long_log[0].read_bytes()
    (tmp_path / 'cut.mcap').write_bytes(data[: int(share * len(data))])
    with pytest.raises(ConfigError, match=r'cut\.mcap is not a complete log') as caught:
        read_mcap(tmp_path / 'cut.mcap')
    assert '\n' not in str(caught.value)


def test_a_damaged_file_is_refused(long_log, tmp_path):
    data = bytearray(long_log[0].read_bytes())
    with open(long_log[0], 'rb') as file:
        chunk = make_reader(file).get_summary().chunk_indexes[3]
    data[chunk.chunk_start_offset + chunk.chunk_length // 2] ^= 0x10
    (tmp_path / 'damaged.mcap').write_bytes(data)
    with pytest.raises(ConfigError, match='is not a complete log'):
        read_mcap(tmp_path / 'damaged.mcap')


@settings(max_examples=60)
@given(place=st.floats(0, 0.999), flip=st.integers(1, 255))
def test_no_damage_ends_in_another_error(long_log, tmp_path_factory, place, flip):
    path, rows = long_log
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= flip
    other = tmp_path_factory.mktemp('log') / 'other.mcap'
    other.write_bytes(data)
    try:
        read = read_mcap(other)
    except ConfigError:
        return
    assert read.columns.shape == rows.shape


def test_a_file_of_somebody_else_is_refused(tmp_path):
    (tmp_path / 'text.mcap').write_text('joint: 1\n' * 50)
    with open(tmp_path / 'foreign.mcap', 'wb') as file:
        writer = Writer(file)
        writer.start()
        writer.finish()
    for name in ('text.mcap', 'foreign.mcap'):
        with pytest.raises(ConfigError, match='is not a complete log'):
            read_mcap(tmp_path / name)
    for name in ('missing.mcap', ''):
        with pytest.raises(ConfigError, match='cannot read the log'):
            read_mcap(tmp_path / name)
