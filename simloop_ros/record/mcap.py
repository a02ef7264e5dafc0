"""The log as ROS 2 messages in MCAP, which Foxglove, PlotJuggler and ``rosbags`` open.

Each column of the raw log is a field of one topic, bit for bit, so the arrays can be read back.
Within a topic only stamp and numbers differ from message to message: ``JointStateLayout`` has
their offsets in the CDR bytes, and numpy fills or reads a whole block at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
import os
from pathlib import Path
import struct
from typing import IO, Any
from uuid import uuid4

from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.reader import make_reader
from mcap.records import Chunk, ChunkIndex
from mcap.stream_reader import get_chunk_data_stream
from mcap.summary import Summary
import msgspec
import numpy as np
from numpy.typing import NDArray
import zstandard

from ..core.errors import ConfigError
from ..core.values import Array
from .joint_state_cdr import JOINT_STATE, JointStateLayout
from .live_log import NOT_LIVE, LiveLog
from .log import LogRows
from .log_topics import DESCRIPTION, LATCHED_QOS, LAYOUTS, names_of, places, topics_of
from .mcap_chunks import ChunkWriter
from .mcap_messages import single_block, text_message, text_of, write_messages
from .mcap_rows import DerivedTopic, RowRecords, RowTopic

_MESSAGE_HEADER = struct.Struct('<BQHIQQ')  # opcode, length, channel, sequence, two times
_RECORD_HEADER_SIZE = 9
_INDEX_HEADER = struct.Struct('<BQHI')  # opcode, length, channel, size of the entries
_INDEX_ENTRY_SIZE = 16
_CHUNK_BYTES = 4 * 1024 * 1024
_LOG_RECORD, _USER_RECORD = 'simloop_log', 'simloop'
_STATE_SCHEMA = ('sensor_msgs/msg/JointState', 'ros2msg', JOINT_STATE.encode())
_LATCHED = {'offered_qos_profiles': LATCHED_QOS}
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
    :ivar time: of the rows [s], shape ``(rows,)``: row ``k`` of the run has ``(k + 1) h``,
        whatever its stamp.
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
    live: LiveLog = NOT_LIVE,
    groups: Sequence[str] = (),
) -> None:
    """Write the log as ROS 2 messages; the file has its name only once it is complete.

    The messages of row ``k`` are stamped ``round((k + 1) h 1e9)`` ns, the end of the step, or in
    real time with the ROS time of that.

    :param period: length ``h`` of one step [s].
    :param description: URDF, for ``/robot_description`` at the start.
    :param progress: called now and then with the share that is done, 0 to 1.
    :param derived: topics beside the columns; ``McapReader`` leaves them out.
    :param live: what a graph adds.
    :param groups: those of ``names_of``.
    """
    topics, names = topics_of(log.columns), live.names
    partial = path.with_name(f'.{path.name}.{uuid4().hex[:8]}.part')
    try:
        with open(partial, 'wb') as file:
            writer = ChunkWriter(file, profile='ros2', library='simloop_ros')
            own = {'joint_names': joint_names, 'groups': groups, 'topics': names}
            encoded = {key: msgspec.json.encode(value).decode() for key, value in own.items()}
            writer.add_metadata(_LOG_RECORD, {**encoded, 'period': repr(float(period))})
            writer.add_metadata(_USER_RECORD, metadata)
            text = writer.add_schema('std_msgs/msg/String', 'ros2msg', b'string data\n')
            state = writer.add_schema(*_STATE_SCHEMA)

            def channel(topic: str) -> int:
                return writer.add_channel(names.get(topic, topic), 'cdr', state)

            name = names.get(DESCRIPTION, DESCRIPTION)
            latched = writer.add_channel(name, 'cdr', text, _LATCHED)
            channels = {
                channel(topic): RowTopic(names_of(topics[topic], joint_names, groups), of_field)
                for topic, of_field in places(log.columns, topics).items()
            }
            writer.add_chunk(single_block(latched, _start(live), text_message(description)))
            more = {channel(each.topic): each for each in derived}
            records, done = RowRecords(channels, _CHUNK_BYTES, more), 0
            for block in log.chunks(records.block_rows):
                rows = slice(done, done + len(block))
                times = _times(rows, period) if live.stamps is None else live.stamps[rows]
                writer.add_chunk(records.fill(done, block, times))
                done += len(block)
                if progress is not None:
                    progress(done / log.rows)
            write_messages(writer, live.messages, names, _LATCHED)
            writer.finish()
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _times(rows: slice, period: float) -> NDArray[np.int64]:
    """Return when steps end, in simulated time [ns]."""
    return np.rint(np.arange(rows.start + 1, rows.stop + 1) * period * 1e9).astype(np.int64)


def _start(live: LiveLog) -> int:
    """Return the stamp of the description [ns]: with the first of all messages."""
    if live.stamps is None or not live.stamps.size:
        return 0
    return min([int(live.stamps[0]), *(message.stamp for message in live.messages)])


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

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Refuse a file that cannot be read: a damaged index may point anywhere."""
        try:
            yield
        except (OSError, *_DAMAGE) as error:
            raise self.refusal() from error

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
        # Logs up to version 0.2 have neither groups nor names.
        groups = msgspec.json.decode(own.get('groups', '[]'), type=list[str])
        names = msgspec.json.decode(own.get('topics', '{}'), type=dict[str, str])
        self._description = names.get(DESCRIPTION, DESCRIPTION)
        in_file = {channel.topic: id_ for id_, channel in summary.channels.items()}
        every = {topic: names.get(topic, topic) for _, topics in LAYOUTS for topic in topics}
        channels = {topic: in_file[name] for topic, name in every.items() if name in in_file}
        self.columns, topics = next(
            layout for layout in LAYOUTS if layout[1].keys() <= channels.keys()
        )
        self._layouts = {
            channels[topic]: JointStateLayout(names_of(fields, self.joint_names, groups), fields)
            for topic, fields in topics.items()
        }
        self._places = {channels[topic]: of for topic, of in places(self.columns, topics).items()}
        counts = {summary.statistics.channel_message_counts.get(id_, 0) for id_ in self._layouts}
        if len(counts) != 1:
            raise McapError('topics of different length')
        self.n = len(self.joint_names)
        self.rows: int = counts.pop()

    @property
    def description(self) -> str:
        """Return the URDF of the robot."""
        with self._refusing(), open(self.path, 'rb') as file:
            _, _, message = next(make_reader(file).iter_messages(topics=[self._description]))
            return text_of(message.data)

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
        """Yield times [s], shape ``(rows,)``, and rows, ``(rows, columns, n)``, in file order."""
        with self._refusing():
            yield from self._blocks()

    @property
    def chunk_counts(self) -> NDArray[np.int64]:
        """Return how many messages of each topic each chunk has, shape ``(chunks, topics)``."""
        counts = np.zeros((len(self._summary.chunk_indexes), len(self._layouts)), np.int64)
        with self._refusing(), open(self.path, 'rb') as file:
            for i, index in enumerate(self._summary.chunk_indexes):
                for j, id_ in enumerate(self._layouts):
                    if id_ in index.message_index_offsets:
                        file.seek(index.message_index_offsets[id_])
                        size = _INDEX_HEADER.unpack(file.read(_INDEX_HEADER.size))[-1]
                        counts[i, j] = size // _INDEX_ENTRY_SIZE
        if (counts.sum(axis=0) != self.rows).any():
            raise self.refusal()
        return counts

    def chunk(self, number: int) -> list[Any]:
        """Return the messages of each topic in a chunk, in the order of ``chunk_counts``."""
        with self._refusing(), open(self.path, 'rb') as file:
            found = self._messages(self._data(file, self._summary.chunk_indexes[number]))
        return [found.get(id_, np.empty(0, of.dtype)) for id_, of in self._layouts.items()]

    def stacked(self, messages: Sequence[Any]) -> Array:
        """Return rows, shape ``(rows, columns, n)``, from as many messages of each topic."""
        count = len(messages[0])
        columns = np.empty((count, len(self.columns), self.n))
        for id_, of_topic in zip(self._layouts, messages, strict=True):
            for field, place in self._places[id_].items():
                shape = (count, place.stop - place.start, self.n)
                columns[:, place] = of_topic[field].reshape(shape)
        return columns

    def _blocks(self) -> Iterator[tuple[Array, Array]]:
        # A chunk may end between two topics of one row: the rest waits for the next chunk.
        waiting = {id_: np.empty(0, layout.dtype) for id_, layout in self._layouts.items()}
        done = 0
        for data in self._chunk_data():
            for id_, messages in self._messages(data).items():
                waiting[id_] = np.concatenate((waiting[id_], messages))
            ready = min(len(messages) for messages in waiting.values())
            columns = self.stacked([messages[:ready] for messages in waiting.values()])
            waiting = {id_: messages[ready:] for id_, messages in waiting.items()}
            yield _times(slice(done, done + ready), self.period) / 1e9, columns
            done += ready

    def _chunk_data(self) -> Iterator[bytes]:
        with open(self.path, 'rb') as file:
            for index in self._summary.chunk_indexes:
                yield self._data(file, index)

    def _data(self, file: IO[bytes], index: ChunkIndex) -> bytes:
        file.seek(index.chunk_start_offset + _RECORD_HEADER_SIZE)
        chunk = Chunk.read(ReadDataStream(file))
        stream, length = get_chunk_data_stream(chunk, validate_crc=True)
        return stream.read(length)

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
