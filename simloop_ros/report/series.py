"""The curves of a log, thinned for drawing so that no spike is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from ..core.values import Array
from ..record.columns import MEASURED_POSITION, TRUE_POSITION
from ..record.log import LogRows
from ..record.metrics import DIFFERENCES, difference


class Envelope:
    """The smallest and the largest value of each bucket of rows, for every curve by itself.

    A bucket of ``b`` rows becomes two points, in the order in which the two extremes occurred, so
    the outline of a curve drawn from them is that of all its rows. NaN is left out where the
    bucket has anything else. Up to ``points`` rows pass unchanged.

    :param rows: number of rows that will be added.
    :param points: largest number of points to keep.
    """

    def __init__(self, rows: int, points: int = 4000):
        if points < 2:
            raise ValueError(f'{points} points cannot hold a minimum and a maximum')
        self._rows = rows
        self._bucket = 1 if rows <= points else -(-rows // (points // 2))
        self._rest: Array | None = None
        self._parts: list[Array] = []

    @property
    def index(self) -> npt.NDArray[np.int64]:
        """Return the row at which each point is drawn, rising, shape ``(points,)``."""
        if self._bucket == 1:
            return np.arange(self._rows)
        first = np.arange(0, self._rows, self._bucket)
        last = np.minimum(first + self._bucket, self._rows) - 1
        # A bucket of one row, at the end, gives the same point twice.
        return np.stack((first, np.maximum(first, (first + last + 1) // 2)), axis=1).ravel()

    def add(self, block: Array) -> None:
        """Take the next rows, shape ``(rows, ...)``."""
        if self._bucket == 1:
            self._parts.append(block.copy())
            return
        if self._rest is not None:
            block = np.concatenate((self._rest, block))
        full = len(block) - len(block) % self._bucket
        if full:
            self._parts.append(_extremes(block[:full], self._bucket))
        self._rest = block[full:].copy()

    def values(self, shape: tuple[int, ...]) -> Array:
        """Return the points of all rows so far, shape ``(points, *shape)``."""
        parts = list(self._parts)
        if self._rest is not None and len(self._rest):
            parts.append(_extremes(self._rest, len(self._rest)))
        return np.concatenate(parts) if parts else np.empty((0, *shape))


def _extremes(block: Array, bucket: int) -> Array:
    """Return two rows per bucket, shape ``(2 * rows / bucket, ...)``."""
    buckets = block.reshape(-1, bucket, *block.shape[1:])
    low, high = np.fmin.reduce(buckets, axis=1), np.fmax.reduce(buckets, axis=1)
    falling = buckets.argmax(axis=1) < buckets.argmin(axis=1)
    pair: Array = np.stack((np.where(falling, high, low), np.where(falling, low, high)), axis=1)
    return pair.reshape(-1, *block.shape[1:])


class Series(msgspec.Struct, frozen=True):
    """The curves of the figures.

    :ivar time: [s], shape ``(points,)``.
    :ivar units: of each joint's position, ``rad`` or ``m``.
    :ivar curves: each column of the log and each of ``DIFFERENCES``, shape ``(points, n)``. The
        differences are thinned on their own: the extreme of a difference is not the difference
        of two extremes.
    """

    time: Array
    joint_names: tuple[str, ...]
    units: tuple[str, ...]
    curves: Mapping[str, Array]


def series_of(
    log: LogRows,
    period: float,
    joint_names: Sequence[str],
    units: Sequence[str],
    points: int = 4000,
    *,
    takes_positions: bool = False,
) -> Series:
    """Read a log once and keep at most ``points`` points of each curve, extremes included.

    :param period: length ``h`` of one step [s]; row ``k`` is drawn at ``(k + 1) h``.
    :param takes_positions: of a robot that takes positions its own are drawn, which are the true
        ones: those measured are its surrogate's.
    """
    envelope = Envelope(log.rows, points)
    with np.errstate(invalid='ignore', over='ignore'):
        for block in log.chunks():
            if takes_positions:
                block = block.copy()
                block[:, MEASURED_POSITION] = block[:, TRUE_POSITION]
            differences = [difference(block, *pair) for pair in DIFFERENCES.values()]
            envelope.add(np.concatenate((block, np.stack(differences, axis=1)), axis=1))
    names = (*log.columns, *DIFFERENCES)
    values = envelope.values((len(names), log.n))
    return Series(
        time=np.asarray((envelope.index + 1) * period, np.float64),
        joint_names=tuple(joint_names),
        units=tuple(units),
        curves={name: values[:, i] for i, name in enumerate(names)},
    )
