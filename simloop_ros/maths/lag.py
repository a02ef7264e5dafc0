"""By how much a response is later than what drives it."""

from __future__ import annotations

from collections.abc import Callable
from math import hypot, sqrt

import msgspec
import numpy as np

from ..core.values import Array

GRID, COARSE = 0.25, 32
"""Distance of the lags that are tried [samples], and number of those that are tried first."""
EARLIEST = -1.5
"""Lag from which on they are tried [samples], so that one of zero is not at the end of them."""
FEWEST = 50
"""Samples below which nothing is said."""
CERTAINTY = 3.0
"""Standard errors that have to be less than the resolution that is asked for."""
CONTRAST = 8.0
"""By how much the best lag is likelier than the worst one (logarithm), per residual that counts;
noise alone has about 2.5, motion 15 and more."""
DOUBT = 3.0
"""Standard errors by which two halves of the data may differ."""
LARGEST_CORRELATION = 0.99
"""Of neighbouring residuals, by which the number of independent ones is counted at least."""


class Lag(msgspec.Struct, frozen=True):
    """A lag and its standard error, in samples."""

    lag: float
    error: float


Explained = Callable[[Array], Array]
"""From the times of samples [samples], shape ``(m,)``, to what explains the drive there, shape
``(m, n, k)``: ``k`` signals for each of ``n`` channels."""


def find_lag(
    drive: Array, explaining: Explained, floor: float, longest: float, resolution: float = 1.0
) -> Lag | None:
    """Return the lag ``L >= 0`` with which a response follows its drive; none if it is not seen.

    Each channel's drive is a sum of its signals, ``L`` later, and of noise whose size is not
    known, so that the likelihood of ``L`` is::

        u_j(t) = x_j(t + L) b_j + e_j,      -log p(L) = m/2 sum_j log(|e_j(L)|^2 / m + floor^2)

    with ``b_j`` by least squares. Its curvature gives the standard error; neighbouring residuals
    depend on each other, so fewer of them count. A disturbance is no such noise, and would look
    like a lag: so two halves of the data, between which the drive changes as much, have to agree::

        |L_1 - L_2| <= DOUBT sqrt(s_1^2 + s_2^2) + resolution / 2

    :param drive: ``u``, equally spaced in time, shape ``(m, n)``.
    :param explaining: ``x``; it is asked for times from ``EARLIEST`` to ``m - 1``.
    :param floor: size of the drive's errors that are always there.
    :param longest: lag that is tried [samples].
    :param resolution: how exactly it has to be known [samples].
    """
    used = len(drive) - int(np.ceil(longest))
    if used < FEWEST:
        return None
    samples = _Samples(drive[:used], np.arange(float(used)), explaining, floor)
    whole = _likeliest(samples, longest)
    if whole is None or not whole.seen or CERTAINTY * whole.error >= resolution:
        return None
    first, second = (_likeliest(half, longest) for half in samples.halves)
    if first is None or second is None:
        return None
    doubt = DOUBT * hypot(first.error, second.error) + 0.5 * resolution
    return Lag(whole.lag, whole.error) if abs(first.lag - second.lag) <= doubt else None


class _Likeliest(msgspec.Struct, frozen=True):
    """A lag, its standard error [samples], and whether it is far likelier than others."""

    lag: float
    error: float
    seen: bool


class _Samples(msgspec.Struct, frozen=True):
    """A drive at some times, and what explains it; see ``find_lag``."""

    drive: Array
    times: Array
    explaining: Explained
    floor: float

    def residuals(self, lag: float) -> Array:
        """Return what a lag leaves of the drive, shape ``(m, n)``."""
        return _residuals(self.drive, self.explaining(self.times + lag))

    def costs(self, lags: Array) -> Array:
        """Return ``-log p`` of lags."""
        left = (self.residuals(float(lag)) for lag in lags)
        power = np.array([np.square(each).mean(axis=0) + self.floor**2 for each in left])
        total: Array = 0.5 * len(self.times) * np.log(power).sum(axis=1)
        return total

    @property
    def halves(self) -> tuple[_Samples, _Samples]:
        """Return the samples before and after the moment at which half of the drive's changes,
        as shares of those of its channel, are over.
        """
        change = np.abs(np.diff(self.drive, axis=0, prepend=self.drive[:1]))
        total = change.sum(axis=0)
        passed = (change / np.where(total > 0.0, total, 1.0)).sum(axis=1).cumsum()
        least = FEWEST // 2
        at = int(np.searchsorted(passed, 0.5 * passed[-1]))
        at = min(max(at, least), len(self.times) - least)
        parts = slice(0, at), slice(at, None)
        first, second = (
            _Samples(self.drive[part], self.times[part], self.explaining, self.floor)
            for part in parts
        )
        return first, second


def _likeliest(samples: _Samples, longest: float) -> _Likeliest | None:
    """Return the likeliest lag; none if it is longer than what is tried, or not the only one."""
    apart = max(GRID, longest / COARSE)
    coarse = np.arange(EARLIEST, longest, apart)
    tried = samples.costs(coarse)
    near = float(coarse[tried.argmin()])
    first, last = max(EARLIEST, near - apart), min(longest, near + apart)
    lags = np.arange(first, last + 0.5 * GRID, GRID)
    cost = samples.costs(lags)
    best = int(cost.argmin())
    if lags[best] > longest - 2.0 * GRID:
        return None  # later than what was tried
    at = min(max(1, best), len(lags) - 2)
    before, middle, after = cost[at - 1 : at + 2]
    curvature = (after - 2.0 * middle + before) / GRID**2
    if curvature <= 0.0:
        return None
    offset = -0.5 * (after - before) / (GRID * curvature)
    lag = max(0.0, float(lags[at] + np.clip(offset, -GRID, GRID)))
    repetition = _repetition(samples.residuals(float(lags[best])), samples.floor)
    seen = bool(tried.max() - middle > CONTRAST * repetition)
    return _Likeliest(lag, sqrt(repetition / curvature), seen)


def _residuals(drive: Array, signals: Array) -> Array:
    """Return what is left of each channel's drive, shape ``(m, n)``."""
    left = np.empty_like(drive)
    for j in range(drive.shape[1]):
        size = np.abs(signals[:, j]).max(axis=0)
        x = signals[:, j] / np.where(size > 0.0, size, 1.0)
        left[:, j] = drive[:, j] - x @ np.linalg.lstsq(x, drive[:, j], rcond=1e-9)[0]
    return left


def _repetition(residuals: Array, floor: float) -> float:
    """Return how many neighbouring residuals count as one, by their correlation."""
    power = np.square(residuals).mean(axis=0) + floor**2
    together = (residuals[1:] * residuals[:-1]).mean(axis=0) / power
    r = float(np.clip(together.max(initial=0.0), 0.0, LARGEST_CORRELATION))
    return (1.0 + r) / (1.0 - r)
