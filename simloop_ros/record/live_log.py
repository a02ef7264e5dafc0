"""What the log of a graph has beside its rows: names of live topics, stamps, single messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
import struct

import msgspec
import numpy as np
from numpy.typing import NDArray

from ..core.errors import StorageError
from .folder import RAW_LIVE, RAW_STAMPS

_LENGTH, _STAMP = struct.Struct('<I'), struct.Struct('<q')
_BUFFER_BYTES = 8192


class LiveMessage(msgspec.Struct, frozen=True, array_like=True):
    """A message that belongs to no row.

    :ivar topic: one of ``LIVE_TOPICS``, as the log has it.
    :ivar stamp: ROS time [ns].
    :ivar data: the message in CDR.
    """

    topic: str
    stamp: int
    data: bytes


class LiveLog(msgspec.Struct, frozen=True):
    """What the log of a graph has beside its rows.

    :ivar names: topic of the log -> its name in the graph, with namespace and remappings.
    :ivar stamps: ROS time of each row [ns], shape ``(rows,)``; ``None`` in simulated time.
    :ivar messages: those that belong to no row, in the order of their arrival.
    """

    names: Mapping[str, str] = {}
    stamps: NDArray[np.int64] | None = None
    messages: tuple[LiveMessage, ...] = ()


NOT_LIVE = LiveLog()
"""That of a run in one process."""


class LiveLogWriter:
    """Streams it to disk while the run goes on.

    :param names: those of ``LiveLog``.
    :param stamped: whether each row has a stamp.
    """

    def __init__(self, folder: Path, names: Mapping[str, str], *, stamped: bool):
        self._live = open(folder / RAW_LIVE, 'wb')  # noqa: SIM115
        self._stamps = None
        if stamped:
            self._stamps = open(folder / RAW_STAMPS, 'wb', buffering=_BUFFER_BYTES)  # noqa: SIM115
        self._encode = msgspec.msgpack.Encoder().encode
        self._append(self._encode(dict(names)))

    def stamp(self, stamp: int) -> None:
        """Append the stamp of a row [ns]."""
        assert self._stamps is not None
        try:
            self._stamps.write(_STAMP.pack(stamp))
        except OSError as error:
            raise _storage_error(error) from error

    def add(self, message: LiveMessage) -> None:
        """Append a message that belongs to no row."""
        self._append(self._encode(message))

    def _append(self, data: bytes) -> None:
        try:
            self._live.write(_LENGTH.pack(len(data)) + data)
        except OSError as error:
            raise _storage_error(error) from error

    def close(self) -> None:
        """Write the rest of the buffers; a second call does nothing."""
        try:
            self._live.close()
            if self._stamps is not None:
                self._stamps.close()
        except OSError as error:
            raise _storage_error(error) from error


def read_live_log(folder: Path) -> LiveLog:
    """Return what a ``LiveLogWriter`` wrote, without an incomplete end."""
    if not (folder / RAW_LIVE).is_file():
        return NOT_LIVE
    names, *messages = _parts((folder / RAW_LIVE).read_bytes())
    stamps = None
    if (folder / RAW_STAMPS).is_file():
        data = (folder / RAW_STAMPS).read_bytes()
        stamps = np.frombuffer(data, '<i8', len(data) // _STAMP.size).astype(np.int64)
    return LiveLog(
        msgspec.msgpack.decode(names, type=dict[str, str]),
        stamps,
        tuple(msgspec.msgpack.decode(part, type=LiveMessage) for part in messages),
    )


def _parts(data: bytes) -> Iterator[bytes]:
    place = 0
    while place + _LENGTH.size <= len(data):
        start = place + _LENGTH.size
        place = start + _LENGTH.unpack_from(data, place)[0]
        if place <= len(data):
            yield data[start:place]


def _storage_error(error: OSError) -> StorageError:
    return StorageError(f'the log cannot be written: {error.strerror}')
