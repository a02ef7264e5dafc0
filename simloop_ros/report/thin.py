"""Thinning of long curves in which no spike is lost."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.values import Array


class Envelope:
    """The smallest and the largest value of each bucket of rows, for every curve by itself.

    A bucket of ``b`` rows becomes two points, in the order in which the two extremes occurred, so
    the outline of a curve drawn from them is that of all its rows. NaN is left out where the
    bucket has anything else. Up to ``points`` rows pass unchanged.
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
