"""The raw log of a run: every step's float64 rows, streamed to disk.

The file has no header. Row ``k`` is the step that ends at ``(k + 1) h``, as the columns one after
the other, each of shape ``(n,)``, float64 in the machine's byte order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol

import numpy as np

from ..core.errors import StorageError
from ..core.values import Array
from .columns import COLUMNS

_FLOAT64 = np.dtype(np.float64)
_BUFFER_ROWS = 1024


class LogRows(Protocol):
    """A log that can be read block by block, whatever file it is in."""

    @property
    def n(self) -> int:
        """Return the number of joints."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns."""

    @property
    def rows(self) -> int:
        """Return the number of steps."""

    def chunks(self, rows: int = 4096) -> Iterator[Array]:
        """Yield blocks of shape ``(at most rows, columns, n)`` in the order of the steps."""


class LogArray:
    """A log in memory.

    :param values: shape ``(rows, columns, n)``.
    """

    def __init__(self, values: Array, columns: tuple[str, ...] = COLUMNS):
        self._values = values
        self.columns = columns
        self.rows, _, self.n = values.shape

    def chunks(self, rows: int = 4096) -> Iterator[Array]:
        """Yield blocks of shape ``(at most rows, columns, n)`` in the order of the steps."""
        yield from (self._values[i : i + rows] for i in range(0, self.rows, rows))


class LogWriter:
    """Appends one row per step; memory stays at one buffer of about a thousand rows."""

    def __init__(self, path: Path, n: int, columns: tuple[str, ...] = COLUMNS):
        self._n = n
        self._columns = columns
        self._row_bytes = len(columns) * n * _FLOAT64.itemsize
        self._file = open(path, 'wb', buffering=_BUFFER_ROWS * self._row_bytes)  # noqa: SIM115
        self._write = self._file.write
        self.rows = 0

    def append(self, columns: Sequence[Array]) -> None:
        """Copy one step's columns, eight or more, each ``(n,)``, to the log, in their order.

        Raises StorageError if the log cannot be written.

        ``bytes.join`` over the arrays' buffers costs a quarter of assigning them to a numpy row,
        but copies bytes only: an array that is not contiguous float64 is converted first.
        """
        try:
            # Of joints: planner, measurement and truth; the rest are results of numpy on these.
            # Of two hands: reading, correction and object; the rest are rows of arrays like them.
            plain = columns[0].dtype is columns[3].dtype is columns[7].dtype is _FLOAT64
            row = b''.join(columns) if plain else self._converted(columns)  # type: ignore[arg-type]
        except TypeError:  # an array that is not contiguous
            row = self._converted(columns)
        if len(row) != self._row_bytes:
            raise ValueError(f'a log row has {self._row_bytes} bytes, not {len(row)}')
        try:
            self._write(row)
        except OSError as error:
            raise _storage_error(error) from error
        self.rows += 1

    def _converted(self, columns: Sequence[Array]) -> bytes:
        row = np.empty((len(columns), self._n))
        for i, (name, column) in enumerate(zip(self._columns, columns, strict=True)):
            if column.shape != (self._n,):
                raise ValueError(f'{name} has shape {column.shape}, not {(self._n,)}')
            row[i] = column
        return row.tobytes()

    def close(self) -> None:
        """Write the rest of the buffer; a second call does nothing."""
        try:
            self._file.close()
        except OSError as error:
            raise _storage_error(error) from error

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _storage_error(error: OSError) -> StorageError:
    return StorageError(f'the log cannot be written: {error.strerror}')


class LogReader:
    """Reads a raw log of a ``LogWriter`` by pieces; an incomplete last row does not count."""

    def __init__(self, path: Path, n: int, columns: tuple[str, ...] = COLUMNS):
        self.path = path
        self.n = n
        self.columns = columns
        self._row_bytes = len(columns) * n * _FLOAT64.itemsize
        self.rows = path.stat().st_size // self._row_bytes

    def chunks(self, rows: int = 4096) -> Iterator[Array]:
        """Yield blocks of shape ``(at most rows, columns, n)``; each is an array of its own."""
        yield from self._blocks(0, self.rows, rows)

    def read(self, start: int = 0, stop: int | None = None, stride: int = 1) -> Array:
        """Return rows ``start:stop:stride``, as a slice would, shape ``(rows, columns, n)``."""
        if stride < 1:
            raise ValueError(f'stride {stride} is not positive')
        first, last, _ = slice(start, stop).indices(self.rows)
        picked = np.empty((len(range(first, last, stride)), len(self.columns), self.n))
        filled = 0
        # Whole strides per block, so that every block begins with a row to be read.
        for block in self._blocks(first, last, stride * max(1, 4096 // stride)):
            part = block[::stride]
            picked[filled : filled + len(part)] = part
            filled += len(part)
        return picked

    def _blocks(self, start: int, stop: int, rows: int) -> Iterator[Array]:
        with open(self.path, 'rb', buffering=0) as file:
            file.seek(start * self._row_bytes)
            for first in range(start, stop, rows):
                block = np.empty((min(rows, stop - first), len(self.columns), self.n))
                if file.readinto(block.data.cast('B')) != block.nbytes:
                    raise EOFError(f'{self.path} was shortened while it was read')
                yield block
