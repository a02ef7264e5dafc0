"""The log as ROS 2 messages in MCAP, which Foxglove, PlotJuggler and ``rosbags`` open.

Each column of the raw log is a field of one topic, bit for bit, so the arrays can be read back.
Within a topic only stamp and numbers differ from message to message: ``JointStateLayout`` has
their offsets in the CDR bytes, and numpy fills or reads a whole block at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
import os
from pathlib import Path
import struct
from typing import IO, Any
from uuid import uuid4

from mcap.data_stream import ReadDataStream, RecordBuilder
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.reader import make_reader
from mcap.records import Chunk, Message
from mcap.stream_reader import get_chunk_data_stream
from mcap.summary import Summary
import msgspec
import numpy as np
import zstandard

from ..core.errors import ConfigError
from ..core.values import Array
from .columns import COLUMNS, GUIDED_COLUMNS
from .hands_log import HANDS_COLUMNS
from .joint_state_cdr import CDR_LITTLE_ENDIAN, JOINT_STATE, JointStateLayout
from .log import LogRows
from .mcap_chunks import ChunkWriter, MessageBlock
from .mcap_rows import DerivedTopic, RowRecords

TOPICS: Mapping[str, Mapping[str, str]] = {
    '/desired_joint_states': {'position': 'desired_position', 'velocity': 'desired_velocity'},
    '/effort_command': {'effort': 'effort'},
    '/joint_states': {'position': 'measured_position'},
    '/true_joint_states': {'position': 'true_position'},
    '/control_state': {
        'position': 'position',
        'velocity': 'velocity',
        'effort': 'rollback_effort',
    },
}
"""Topic -> field of its JointState -> column of the log, in the order of one step."""
GUIDED_TOPICS: Mapping[str, Mapping[str, str]] = {
    **TOPICS,
    '/external_torque': {'effort': 'external_torque'},
    '/true_external_torque': {'effort': 'true_external_torque'},
}
"""The same for a robot that is guided."""
HANDS_TOPICS: Mapping[str, Mapping[str, str]] = {
    '/hand_1/wrist_wrench': {'effort': 'wrench_1'},
    '/hand_2/wrist_wrench': {'effort': 'wrench_2'},
    '/hand_1/path_correction': {'position': 'correction_1'},
    '/hand_2/path_correction': {'position': 'correction_2'},
    '/hand_1/true_wrist_wrench': {'effort': 'true_wrench_1'},
    '/hand_2/true_wrist_wrench': {'effort': 'true_wrench_2'},
    '/object': {'position': 'object_pose', 'velocity': 'object_velocity'},
}
"""The same for the log of two hands; the joints are ``AXES``."""
TOPICS_OF: Mapping[tuple[str, ...], Mapping[str, Mapping[str, str]]] = {
    HANDS_COLUMNS: HANDS_TOPICS,
    GUIDED_COLUMNS: GUIDED_TOPICS,
    COLUMNS: TOPICS,
}
"""Columns of a log -> its topics; of those that a file has, the first ones count."""

_MESSAGE_HEADER = struct.Struct('<BQHIQQ')  # opcode, length, channel, sequence, two times
_RECORD_HEADER_SIZE = 9
_LENGTH = struct.Struct('<I')  # of a string in CDR, its final zero included
_DESCRIPTION = '/robot_description'
_CHUNK_BYTES = 4 * 1024 * 1024
_LOG_RECORD, _USER_RECORD = 'simloop_log', 'simloop'
_DAMAGE = (
    McapError,
    msgspec.MsgspecError,
    struct.error,
    zstandard.ZstdError,
    KeyError,
    MemoryError,
    OverflowError,
    StopIteration,
    ValueError,
)
"""Exceptions of the library for a file that is cut, damaged or of another kind."""


class McapLog(msgspec.Struct, frozen=True):
    """A log that was read back.

    :ivar period: length ``h`` of one step [s].
    :ivar time: stamps of the rows [s], shape ``(rows,)``: row ``k`` of the run has ``(k + 1) h``.
    :ivar columns: shape ``(rows, columns, n)``, in the order of ``names``.
    """

    joint_names: tuple[str, ...]
    period: float
    time: Array
    columns: Array
    names: tuple[str, ...]
    metadata: dict[str, str]

    def column(self, name: str) -> Array:
        """Return one of the columns, shape ``(rows, n)``."""
        return self.columns[:, self.names.index(name)]


def write_mcap(
    log: LogRows,
    path: Path,
    joint_names: Sequence[str],
    period: float,
    metadata: Mapping[str, str],
    description: str,
    progress: Callable[[float], None] | None = None,
    derived: Sequence[DerivedTopic] = (),
) -> None:
    """Write the log as ROS 2 messages; the file has its name only once it is complete.

    The messages of row ``k`` are stamped ``round((k + 1) h 1e9)`` ns, the end of the step.

    :param period: length ``h`` of one step [s].
    :param description: URDF, for ``/robot_description`` at time 0.
    :param progress: called now and then with the share that is done, 0 to 1.
    :param derived: topics beside the columns; ``McapReader`` leaves them out.
    """
    partial = path.with_name(f'.{path.name}.{uuid4().hex[:8]}.part')
    try:
        with open(partial, 'wb') as file:
            writer = ChunkWriter(file, profile='ros2', library='simloop_ros')
            own = {'joint_names': msgspec.json.encode(list(joint_names)).decode()}
            writer.add_metadata(_LOG_RECORD, {**own, 'period': repr(float(period))})
            writer.add_metadata(_USER_RECORD, metadata)
            text = writer.add_schema('std_msgs/msg/String', 'ros2msg', b'string data\n')
            state = writer.add_schema(
                'sensor_msgs/msg/JointState', 'ros2msg', JOINT_STATE.encode()
            )
            description_channel = writer.add_channel(_DESCRIPTION, 'cdr', text)
            channels = {
                writer.add_channel(topic, 'cdr', state): columns
                for topic, columns in _places(log.columns).items()
            }
            writer.add_chunk(_description_block(description_channel, description))
            more = {writer.add_channel(each.topic, 'cdr', state): each for each in derived}
            records = RowRecords(joint_names, channels, period, _CHUNK_BYTES, more)
            done = 0
            for block in log.chunks(records.block_rows):
                writer.add_chunk(records.fill(done, block))
                done += len(block)
                if progress is not None:
                    progress(done / log.rows)
            writer.finish()
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _places(columns: tuple[str, ...]) -> dict[str, dict[str, int]]:
    """Return topic -> field -> place of the column."""
    return {
        topic: {field: columns.index(column) for field, column in fields.items()}
        for topic, fields in TOPICS_OF[columns].items()
    }


def _description_block(channel: int, description: str) -> MessageBlock:
    text = description.encode() + b'\0'
    data = CDR_LITTLE_ENDIAN + _LENGTH.pack(len(text)) + text
    builder = RecordBuilder()
    Message(channel, log_time=0, data=data, publish_time=0, sequence=0).write(builder)
    return MessageBlock(builder.end(), {channel: np.zeros((1, 2), np.uint64)})


class McapReader:
    """Reads a log that ``write_mcap`` wrote, by pieces.

    :raises ConfigError: if the file is something else, or incomplete.
    """

    def __init__(self, path: Path):
        self.path = path
        try:
            with open(path, 'rb') as file:
                self._read_head(file)
        except OSError as error:
            raise ConfigError(f'cannot read the log {path}: {error.strerror or error}') from error
        except _DAMAGE as error:
            raise self.refusal() from error

    def refusal(self) -> ConfigError:
        """Return the error for a file that cannot be used."""
        return ConfigError(
            f'{self.path} is not a complete log of simloop: run the scenario again to get one'
        )

    def _read_head(self, file: IO[bytes]) -> None:
        reader = make_reader(file)
        summary = reader.get_summary()
        records = {record.name: record.metadata for record in reader.iter_metadata()}
        if summary is None or summary.statistics is None:
            raise McapError('no summary')
        own = records[_LOG_RECORD]
        self.joint_names = tuple(msgspec.json.decode(own['joint_names'], type=list[str]))
        self.period = float(own['period'])
        self.metadata: dict[str, str] = records[_USER_RECORD]
        self._summary: Summary = summary
        channels = {channel.topic: id_ for id_, channel in summary.channels.items()}
        self.columns = next(
            columns for columns, topics in TOPICS_OF.items() if topics.keys() <= channels.keys()
        )
        self._layouts = {
            channels[topic]: JointStateLayout(self.joint_names, fields)
            for topic, fields in TOPICS_OF[self.columns].items()
        }
        self._places = {channels[topic]: of for topic, of in _places(self.columns).items()}
        counts = {summary.statistics.channel_message_counts.get(id_, 0) for id_ in self._layouts}
        if len(counts) != 1:
            raise McapError('topics of different length')
        self.n = len(self.joint_names)
        self.rows: int = counts.pop()

    @property
    def description(self) -> str:
        """Return the URDF of the robot."""
        try:
            with open(self.path, 'rb') as file:
                messages = make_reader(file).iter_messages(topics=[_DESCRIPTION])
                _, _, message = next(messages)
                text = message.data[len(CDR_LITTLE_ENDIAN) + _LENGTH.size : -1]
                return bytes(text).decode()
        except (OSError, StopIteration, *_DAMAGE) as error:
            raise self.refusal() from error

    def chunks(self, rows: int = 4096) -> Iterator[Array]:
        """Yield blocks of shape ``(at most rows, columns, n)`` in the order of the steps."""
        rest = np.empty((0, len(self.columns), self.n))
        for _, columns in self.blocks():
            rest = np.concatenate((rest, columns))
            full = len(rest) - len(rest) % rows
            yield from np.split(rest[:full], range(rows, full, rows)) if full else ()
            rest = rest[full:]
        if len(rest):
            yield rest

    def blocks(self) -> Iterator[tuple[Array, Array]]:
        """Yield stamps [s], shape ``(rows,)``, and rows, ``(rows, columns, n)``, in file order."""
        try:
            yield from self._blocks()
        except (OSError, *_DAMAGE) as error:  # a damaged index may point anywhere
            raise self.refusal() from error

    def _blocks(self) -> Iterator[tuple[Array, Array]]:
        # A chunk may end between two topics of one row: the rest waits for the next chunk.
        waiting = {id_: np.empty(0, layout.dtype) for id_, layout in self._layouts.items()}
        for data in self._chunk_data():
            for id_, messages in self._messages(data).items():
                waiting[id_] = np.concatenate((waiting[id_], messages))
            ready = min(len(messages) for messages in waiting.values())
            columns = np.empty((ready, len(self.columns), self.n))
            for id_, of_field in self._places.items():
                messages, waiting[id_] = waiting[id_][:ready], waiting[id_][ready:]
                for field, column in of_field.items():
                    columns[:, column] = messages[field]
            nanoseconds = messages['sec'].astype(np.int64) * 10**9 + messages['nanosec']
            yield nanoseconds / 1e9, columns

    def _chunk_data(self) -> Iterator[bytes]:
        with open(self.path, 'rb') as file:
            for index in self._summary.chunk_indexes:
                file.seek(index.chunk_start_offset + _RECORD_HEADER_SIZE)
                chunk = Chunk.read(ReadDataStream(file))
                stream, length = get_chunk_data_stream(chunk, validate_crc=True)
                yield stream.read(length)

    def _messages(self, data: bytes) -> dict[int, Any]:
        """Return this chunk's messages by channel, as views into its bytes."""
        starts: dict[int, list[int]] = {id_: [] for id_ in self._layouts}
        position, header = 0, _MESSAGE_HEADER.size
        unpack = _MESSAGE_HEADER.unpack_from
        while position <= len(data) - header:
            opcode, length, channel, _, _, _ = unpack(data, position)
            if opcode == Opcode.MESSAGE and channel in starts:
                if length - header + _RECORD_HEADER_SIZE != self._layouts[channel].size:
                    raise McapError('a message of another size')
                starts[channel].append(position + header)
            position += length + _RECORD_HEADER_SIZE
        return {
            id_: _pick(data, np.array(starts[id_]), layout.dtype)
            for id_, layout in self._layouts.items()
            if starts[id_]
        }


def _pick(data: bytes, starts: Any, dtype: np.dtype[Any]) -> Any:
    """Return the records of ``dtype`` that begin at ``starts``."""
    steps = np.diff(starts)
    if steps.size and (steps == steps[0]).all():
        return np.ndarray(starts.size, dtype, data, starts[0], (steps[0],))
    return np.concatenate([np.frombuffer(data, dtype, 1, start) for start in starts])


def read_mcap(path: Path, stride: int = 1, limit: int | None = None) -> McapLog:
    """Read the log back, or every ``stride``-th of its rows, at most ``limit`` of them.

    :raises ConfigError: if the file is not a complete log of ``write_mcap``.
    """
    if stride < 1:
        raise ValueError(f'stride {stride} is not positive')
    reader = McapReader(path)
    picked = len(range(0, reader.rows, stride))
    if limit is not None:
        picked = min(picked, limit)
    time, columns = np.empty(picked), np.empty((picked, len(reader.columns), reader.n))
    seen = filled = 0
    for block_time, block in reader.blocks():
        if filled == picked:
            break
        rows = slice(-seen % stride, None, stride)
        seen += len(block)
        part = block[rows][: picked - filled]
        time[filled : filled + len(part)] = block_time[rows][: len(part)]
        columns[filled : filled + len(part)] = part
        filled += len(part)
    if filled < picked:
        raise reader.refusal()
    return McapLog(
        reader.joint_names, reader.period, time, columns, reader.columns, reader.metadata
    )
