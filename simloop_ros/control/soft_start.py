"""A reference that begins where the robot rests, whatever the plan asks for by then."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np

from ..core.state import Remembering
from ..core.values import NANO, Array, Setpoint

FADING_FREQUENCY = 10.0
"""Rate with which the offset fades [rad/s]: after a second 0.3 % of it is left. Of a plan that is
20 ms ahead, catching up takes less than the acceleration that it is ahead with."""
NEGLIGIBLE = 1e-12
"""Offset below which the robot is on the plan [rad]."""


class SoftStart(Remembering):
    """Takes a robot at rest to a motion that has begun without it.

    ::

        d(t) = r(t) + e(t),   e(t) = (c_0 + c_1 t + c_2 t^2) exp(-w t),   w: FADING_FREQUENCY

    with ``d = q``, the robot's position, at the first three steps: its reference begins with
    neither velocity nor acceleration, so that the first effort is what it needs to stay.

    :param period: h [s].
    """

    _remembered = ('_begin', '_factors')

    def __init__(self, period: float):
        self._h = period
        self.reset()

    def reset(self) -> None:
        """Leave the plan as it is."""
        self._begin = 0
        self._factors: tuple[Array, Array, Array] | None = None

    def begin(self, stamp: int, position: Array, planned: Sequence[Array]) -> None:
        """Begin at a stamp [ns] with a robot at rest.

        :param position: of the robot [rad], shape ``(n,)``.
        :param planned: for this step and the two after it [rad], shape ``(n,)`` each.
        """
        rise = exp(FADING_FREQUENCY * self._h)
        first, second, third = (rise**k * (position - each) for k, each in enumerate(planned))
        bend = 0.5 * (third - 2.0 * second + first)
        self._begin = stamp
        self._factors = (first, (second - first - bend) / self._h, bend / self._h**2)

    def add(self, stamp: int, setpoint: Setpoint) -> Setpoint:
        """Return the setpoint for a stamp [ns], from that of the plan."""
        if self._factors is None or not setpoint.is_path:
            return setpoint
        t = (stamp - self._begin) / NANO
        constant, slope, bend = self._factors
        fade = exp(-FADING_FREQUENCY * t)
        offset = fade * (constant + t * (slope + t * bend))
        velocity = fade * (slope + 2.0 * t * bend) - FADING_FREQUENCY * offset
        if FADING_FREQUENCY * t > 1.0 and np.abs(offset).max() < NEGLIGIBLE:
            self.reset()
        return Setpoint(setpoint.position + offset, setpoint.velocity + velocity)
