"""Time profiles of a straight side, from rest at one corner to rest at the next."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ..core.values import Array
from ..maths.minimum_jerk import minimum_jerk


class SideProfile(ABC):
    """The share of a side that is done, by the share of its time; both 0 to 1."""

    @abstractmethod
    def share(self, u: Array) -> Array:
        """Return the share ``s`` of the side that is done.

        :param u: share of the side's time, 0 to 1, any shape.
        """


class Quintic(SideProfile):
    """``s = 10 u^3 - 15 u^4 + 6 u^5``: velocity and acceleration are zero at both corners.

    The largest speed is ``1.875 L/T`` of a side of length ``L`` that takes ``T``, the largest
    acceleration ``5.774 L/T^2``.
    """

    def share(self, u: Array) -> Array:
        """Return the share of the side that is done."""
        return minimum_jerk(u)


class Trapezoidal(SideProfile):
    """Constant acceleration, constant speed, constant deceleration.

    ::

        s = u^2 / (2 r (1 - r))            u <= r
        s = (u - r/2) / (1 - r)            in between
        s = 1 - (1 - u)^2 / (2 r (1 - r))  u >= 1 - r

    The speed in between is ``L/((1 - r) T)``, the acceleration ``L/(r (1 - r) T^2)``.

    :param ramp: ``r``, share of the time in which the tip speeds up, at most 0.5.
    """

    def __init__(self, ramp: float):
        self._ramp = ramp

    def share(self, u: Array) -> Array:
        """Return the share of the side that is done."""
        r = self._ramp
        bend = 0.5 / (r * (1.0 - r))
        return np.where(
            u < r,
            bend * u**2,
            np.where(u > 1.0 - r, 1.0 - bend * (1.0 - u) ** 2, (u - 0.5 * r) / (1.0 - r)),
        )


class Tabulated(SideProfile):
    """Speeds at places along a side; between two places the acceleration is constant.

    With ``s'`` at both ends of an interval of length ``d``, it takes ``2 d / (s'_0 + s'_1)``.

    :param shares: places, rising from 0 to 1, shape ``(k,)``.
    :param speeds: ``s'`` there [1/s], zero only at the ends, shape ``(k,)``.
    :ivar duration: of the side [s].
    """

    def __init__(self, shares: Array, speeds: Array):
        spans = 2.0 * np.diff(shares) / (speeds[1:] + speeds[:-1])
        self._shares, self._speeds = shares, speeds
        self._times = np.concatenate(([0.0], np.cumsum(spans)))
        self._accelerations = np.diff(speeds) / spans
        self.duration = float(self._times[-1])

    def share(self, u: Array) -> Array:
        """Return the share of the side that is done."""
        time = u * self.duration
        i = np.clip(np.searchsorted(self._times, time, 'right') - 1, 0, len(self._shares) - 2)
        since = time - self._times[i]
        s = self._shares[i] + since * (self._speeds[i] + 0.5 * since * self._accelerations[i])
        return np.clip(np.where(u >= 1.0, 1.0, s), 0.0, 1.0)
