"""The message records of rows of the log, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mcap.data_stream import RecordBuilder
from mcap.records import Message
import msgspec
import numpy as np
from numpy.typing import NDArray

from ..core.values import Array
from .joint_state_cdr import JointStateLayout
from .mcap_chunks import MessageBlock

_SEQUENCE, _LOG_TIME, _PUBLISH_TIME, _DATA = 11, 15, 23, 31
"""Places in the record of a message; before them are opcode, length and channel."""
EFFORT = 'effort'


class DerivedTopic(msgspec.Struct, frozen=True):
    """A JointState per row that is computed from the columns.

    :ivar names: of its joints.
    :ivar compute: returns its effort, shape ``(rows, names)``, from a block of shape
        ``(rows, columns, n)``.
    """

    topic: str
    names: tuple[str, ...]
    compute: Callable[[Array], Array]


class RowTopic(msgspec.Struct, frozen=True):
    """A JointState per row whose fields are columns.

    :ivar names: of its joints: as many as the numbers of each field.
    :ivar places: field -> its columns in the log.
    """

    names: tuple[str, ...]
    places: Mapping[str, slice]


class RowRecords:
    """A JointState per topic for each row; all rows have the same size.

    From row to row only sequence, times, stamps and numbers differ: the rest stands in the
    buffer from the beginning, and a block writes the difference.

    :param channels: channel -> its topic, in the order of one row.
    :param chunk_bytes: largest size of a block, unless one row is larger.
    :param derived: channel -> topic after those of the columns.
    """

    def __init__(
        self,
        channels: Mapping[int, RowTopic],
        chunk_bytes: int,
        derived: Mapping[int, DerivedTopic] | None = None,
    ):
        self._channels = channels
        self._derived = derived or {}
        self._places: dict[int, int] = {}
        builder, formats = RecordBuilder(), []
        layouts = {c: JointStateLayout(t.names, t.places) for c, t in channels.items()}
        layouts |= {c: JointStateLayout(d.names, (EFFORT,)) for c, d in self._derived.items()}
        for channel, layout in layouts.items():
            self._places[channel] = builder.count
            Message(channel, 0, layout.template, 0, 0).write(builder)
            formats.append(self._record_dtype(layout))
        row = builder.end()
        self.block_rows = max(1, chunk_bytes // len(row))
        self._buffer = bytearray(row * self.block_rows)
        dtype = np.dtype({'names': [str(channel) for channel in layouts], 'formats': formats})
        self._rows = np.frombuffer(self._buffer, dtype)

    @staticmethod
    def _record_dtype(layout: JointStateLayout) -> np.dtype[np.void]:
        return np.dtype(
            {
                'names': ['sequence', 'log_time', 'publish_time', 'data'],
                'formats': ['<u4', '<u8', '<u8', layout.dtype],
                'offsets': [_SEQUENCE, _LOG_TIME, _PUBLISH_TIME, _DATA],
                'itemsize': _DATA + layout.size,
            }
        )

    def fill(self, first: int, block: Array, times: NDArray[np.int64]) -> MessageBlock:
        """Return the records of some rows; their bytes are valid until the next call.

        Row ``k`` has sequence ``k``.

        :param times: stamps of the rows [ns], shape ``(rows,)``.
        :param block: at most ``block_rows`` of the log, shape ``(rows, columns, n)``.
        """
        rows = self._rows[: len(block)]
        numbers = np.arange(first, first + len(block))
        seconds, nanoseconds = np.divmod(times, 1_000_000_000)
        for channel in self._places:
            record = rows[str(channel)]
            record['sequence'] = numbers
            record['log_time'] = record['publish_time'] = times
            message = record['data']
            message['sec'], message['nanosec'] = seconds, nanoseconds
            if channel in self._derived:
                message[EFFORT] = self._derived[channel].compute(block)
                continue
            for field, columns in self._channels[channel].places.items():
                message[field] = block[:, columns].reshape(len(block), -1)
        row_places = np.arange(len(block)) * rows.itemsize
        index = {
            channel: np.column_stack((times, row_places + place)).astype(np.uint64)
            for channel, place in self._places.items()
        }
        return MessageBlock(memoryview(self._buffer)[: rows.nbytes], index)
