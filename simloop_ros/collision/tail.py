"""Thresholds from the tail of what free motion shows: extreme-value statistics."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..core.errors import ConfigError
from ..core.values import Array

BLOCK = 0.25
"""Length of a block [s]: longer than any channel remembers, so that its maxima are independent."""
TOP = 0.1
"""Part of the largest block maxima that the tail is fitted to."""
SURE = 1.0
"""Standard errors by which a mean excess is taken to be larger than it was seen."""
FEWEST = 20
"""Block maxima that a tail needs."""


def thresholds(maxima: Array, alarms_per_hour: float, least: Array) -> Array:
    """Return the thresholds that free motion passes at a given rate in all, shape ``(...)``.

    Peaks over threshold: above a high quantile ``u``, the excess of block maxima of almost any
    noise goes to a generalised Pareto distribution (Pickands 1975). Its shape is taken as zero,
    the exponential tail, for the squares ``x`` of the signs: the square of normal noise has it,
    and what has an end, as a wrong direction of friction has, falls faster. An estimated shape
    would be extrapolated over decades of time.

    Each sign has its own ``u`` and mean excess ``b``. In these units, ``z = (x - u)/b``, the
    largest of all signs in a block has a tail of its own, whose level at the wanted rate is
    ``z*``; the thresholds are ``sqrt(u + b z*)``. So no rate is divided among signs that alarm
    together. A mean excess from ``m`` blocks has the standard error ``b / sqrt(m)``: it is added.

    :param maxima: of each sign's magnitude in each block, shape ``(blocks, regimes, ...)``; NaN
        in a block in which it was not watched.
    :param least: what rounding alone may make of a sign, shape ``(n,)``, the last axis: no
        threshold is lower, not even that of a robot without any noise.
    :raises ConfigError: there are too few blocks.
    """
    signs = maxima.reshape(len(maxima), -1) ** 2
    if len(signs) * TOP < FEWEST:
        raise ConfigError(
            f'{len(signs) * BLOCK:g} s of free motion are too short for thresholds: '
            f'{FEWEST * BLOCK / TOP:g} s at least'
        )
    tails = np.array([_tail(column[~np.isnan(column)]) for column in signs.T])
    start, excess = tails[:, 0], tails[:, 1]
    scaled = (signs - start) / excess
    level, rise = _tail(np.where(np.isnan(scaled), -np.inf, scaled).max(axis=1))
    per_hour = TOP * 3600.0 / BLOCK
    found: Array = start + excess * (level + rise * max(0.0, np.log(per_hour / alarms_per_hour)))
    found = np.sqrt(found).reshape(maxima.shape[1:])
    # A regime that hardly occurred gets the threshold of the others.
    known = np.where(np.isfinite(found), found, -np.inf).max(axis=0)
    return np.maximum(np.where(np.isfinite(found) | (known < 0.0), found, known), least)


def _tail(maxima: Array) -> tuple[float, float]:
    """Return the start and the mean excess of a tail; infinite where too little was seen."""
    top = int(TOP * len(maxima))
    if top < FEWEST * TOP:
        return np.inf, 1.0
    ordered = np.sort(maxima)
    start = float(ordered[-top - 1])
    excess = float((ordered[-top:] - start).mean()) * (1.0 + SURE / np.sqrt(top))
    # A sign that never changes has no tail; rounding of its size stands for one.
    return start, max(excess, 1e-12 * abs(start) + 1e-300)


class BlockMaxima:
    """Collects the largest magnitude of each sign in blocks of ``BLOCK`` seconds.

    :param shape: regimes, channels and joints.
    """

    def __init__(self, period: float, shape: tuple[int, int, int]):
        self._steps = max(1, round(BLOCK / period))
        self._now = np.full(shape, np.nan)
        self._count = 0
        self._blocks: list[Array] = []

    def add(self, signs: Array, regime: npt.NDArray[np.int64]) -> None:
        """Take the signs of one step, shape ``(channels, n)``, in each joint's regime."""
        size = np.abs(signs)
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
