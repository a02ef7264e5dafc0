"""Thresholds from the tail of the residuals in free motion: extreme-value statistics."""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt

from ..core.errors import ConfigError
from ..core.values import Array

BLOCK_DURATION = 0.25
"""Length of a block [s]: longer than any channel remembers, so that its maxima are independent."""
TAIL_SHARE = 0.1
"""Part of the largest block maxima that the tail is fitted to."""
STANDARD_ERRORS = 1.0
"""Standard errors by which a mean excess is taken to be larger than it was measured."""
FEWEST_MAXIMA = 20
"""Block maxima that a tail needs."""


class Tail(msgspec.Struct, frozen=True):
    """Which block maxima a tail is fitted to.

    :ivar share: part of the largest ones.
    :ivar fewest: number of them at least.
    """

    share: float = TAIL_SHARE
    fewest: int = FEWEST_MAXIMA

    def fits(self, maxima: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Return whether numbers of maxima are enough for the tail of one residual."""
        enough: npt.NDArray[np.bool_] = np.floor(self.share * maxima) >= self.fewest * self.share
        return enough


USUAL_TAIL = Tail()


def thresholds(
    maxima: Array, alarms_per_hour: float, least: Array, tail: Tail = USUAL_TAIL
) -> Array:
    """Return the thresholds that free motion passes at a given rate in all, shape ``(...)``.

    Peaks over threshold: above a high quantile ``u``, the excess of block maxima of almost any
    noise goes to a generalised Pareto distribution (Pickands 1975). Its shape is taken as zero,
    the exponential tail, for the squares ``x`` of the residuals: the square of normal noise has
    it, and what has an end, as a wrong direction of friction has, falls faster. An estimated
    shape would be extrapolated over decades of time.

    Each residual has its own ``u`` and mean excess ``b``. In these units, ``z = (x - u)/b``, the
    largest of all residuals in a block has a tail of its own, whose level at the wanted rate is
    ``z*``; the thresholds are ``sqrt(u + b z*)``. So no rate is divided among residuals that
    alarm together. A mean excess from ``m`` blocks has the standard error ``b / sqrt(m)``: it is
    added.

    :param maxima: of each residual's magnitude in each block, shape ``(blocks, regimes, ...)``;
        NaN in a block in which there was none.
    :param least: what rounding alone may make of a residual, shape ``(n,)``, the last axis: no
        threshold is lower, not even that of a robot without any noise.
    :param tail: of a short record, more of its maxima have to count.
    :raises ConfigError: there are too few blocks.
    """
    squares = maxima.reshape(len(maxima), -1) ** 2
    if len(squares) * tail.share < tail.fewest:
        raise ConfigError(
            f'{len(squares) * BLOCK_DURATION:g} s of free motion are too short for thresholds: '
            f'{tail.fewest * BLOCK_DURATION / tail.share:g} s at least'
        )
    tails = np.array([_tail(column[~np.isnan(column)], tail) for column in squares.T])
    start, excess = tails[:, 0], tails[:, 1]
    scaled = (squares - start) / excess
    level, rise = _tail(np.where(np.isnan(scaled), -np.inf, scaled).max(axis=1), tail)
    per_hour = tail.share * 3600.0 / BLOCK_DURATION
    found: Array = start + excess * (level + rise * max(0.0, np.log(per_hour / alarms_per_hour)))
    found = np.sqrt(found).reshape(maxima.shape[1:])
    # A regime that hardly occurred gets the threshold of the others.
    known = np.where(np.isfinite(found), found, -np.inf).max(axis=0)
    return np.maximum(np.where(np.isfinite(found) | (known < 0.0), found, known), least)


def _tail(maxima: Array, tail: Tail) -> tuple[float, float]:
    """Return the start and the mean excess of a tail; infinite where there are too few."""
    top = int(tail.share * len(maxima))
    if not tail.fits(np.array(len(maxima))):
        return np.inf, 1.0
    ordered = np.sort(maxima)
    start = float(ordered[-top - 1])
    excess = float((ordered[-top:] - start).mean()) * (1.0 + STANDARD_ERRORS / np.sqrt(top))
    # A residual that never changes has no tail; rounding of its size stands for one.
    return start, max(excess, 1e-12 * abs(start) + 1e-300)


class BlockMaxima:
    """Collects the largest magnitude of each residual in blocks of ``BLOCK_DURATION`` seconds.

    :param shape: regimes, channels and joints.
    """

    def __init__(self, period: float, shape: tuple[int, int, int]):
        self._steps = max(1, round(BLOCK_DURATION / period))
        self._now = np.full(shape, np.nan)
        self._count = 0
        self._blocks: list[Array] = []

    def add(self, residuals: Array, regime: npt.NDArray[np.int64]) -> None:
        """Add the residuals of one step, shape ``(channels, n)``, in each joint's regime."""
        size = np.abs(residuals)
        for i, now in enumerate(self._now):
            np.fmax(now, size, out=now, where=regime == i)
        self._count += 1
        if self._count == self._steps:
            self._blocks.append(self._now)
            self._now = np.full_like(self._now, np.nan)
            self._count = 0

    @property
    def maxima(self) -> Array:
        """Return the maxima of all full blocks, shape ``(blocks, regimes, channels, n)``."""
        return np.array(self._blocks).reshape(-1, *self._now.shape)
