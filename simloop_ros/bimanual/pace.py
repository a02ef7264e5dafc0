"""Rate of the time along a plan: 1 is as planned, 0 is standstill."""

from __future__ import annotations

import msgspec
import numpy as np

from ..planning.side_profiles import Trapezoidal

RAMP_SHARE = 0.1
"""Share of a stop in which its deceleration rises, and in which it falls: small, so that limited
efforts stop soon."""
MAX_SLOPE = 1.0 / (1.0 - RAMP_SHARE)
"""Largest slope of the rate, for a stop in unit time."""


class Pace(msgspec.Struct, frozen=True, gc=False):
    """The rate of the time along a plan, between 0 and 1.

    ::

        r = S(ramp/steps)

    with ``S`` the trapezoidal profile: the rate changes linearly, but for its beginning and its
    end, so that velocities and accelerations are continuous. Its end values are exact.

    :ivar ramp: position on the ramp, 0 to ``steps``.
    :ivar steps: length of the ramp.
    """

    ramp: int = 1
    steps: int = 1

    @property
    def rate(self) -> float:
        """Return the rate, 0 to 1."""
        if self.ramp == self.steps:
            return 1.0
        return float(Trapezoidal(RAMP_SHARE).share(np.array(self.ramp / self.steps)))

    def stretched(self, steps: int) -> Pace:
        """Return the same rate, or a little less, with another length of the ramp."""
        if self.ramp == self.steps:
            return Pace(steps, steps)
        rate = self.rate
        ramps = (Pace(ramp, steps) for ramp in range(steps, -1, -1))
        return next(pace for pace in ramps if pace.rate <= rate)

    @property
    def slower(self) -> Pace:
        """Return the pace one step on the way to standstill."""
        return Pace(max(0, self.ramp - 1), self.steps)

    @property
    def faster(self) -> Pace:
        """Return the pace one step on the way to full speed."""
        return Pace(min(self.steps, self.ramp + 1), self.steps)
