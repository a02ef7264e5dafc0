"""Rate of the time along a plan, 1 as planned to 0 at standstill; and the shortest stop."""

from __future__ import annotations

from math import ceil, floor

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..maths.effort_share import largest_share
from ..planning.side_profiles import Trapezoidal
from ..robot.model import RobotModel

RAMP_SHARE = 0.1
"""Share of a stop in which its deceleration rises, and in which it falls: small, so that limited
efforts stop soon."""
MAX_SLOPE = 1.0 / (1.0 - RAMP_SHARE)
"""Largest slope of the rate, for a stop in unit time."""
FEWEST_STEPS = 3
"""Least number of steps of a stop: fewer are a jump."""
EFFORT_SHARE = 0.9
"""Share of the effort limits that a stop may use."""
LEAST_SHARE = 0.05
"""Share of a limit that it may use even where the motion alone takes more than the margin."""
LONGEST_STOP = 1.0
"""Longest stop [s], whatever the limits say."""


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


def stop_steps(model: RobotModel, period: float, q: Array, stop_time: float) -> tuple[int, ...]:
    """Return the number of steps of a stop from each place of a path, ``len(q)`` of them.

    The rate of the time along the path goes from 1 to 0 as ``Pace`` does within ``stop_time``, or
    longer where the effort limits ask for it::

        tau = rnea(q, q', q'') - M q' d,    d = 1.11/T at most

    The wrench of the object on the hands is not known in advance, and is left to the margin.

    :param q: positions at each step [rad], shape ``(steps + 1, n)``.
    """
    slope = np.gradient(q, period, axis=0)
    bend = np.gradient(slope, period, axis=0)
    data = model.pin_model.createData()
    shortest = max(FEWEST_STEPS, floor(stop_time / period + 1e-9))
    longest = max(shortest, ceil(LONGEST_STOP / period))
    limit, counts = model.effort_limit, []
    for row, v, a in zip(q, slope, bend, strict=True):
        drift = pin.rnea(model.pin_model, data, row, v, a)
        change = pin.rnea(model.pin_model, data, row, v, a - v) - drift
        heavy = np.abs(drift) + LEAST_SHARE * limit
        share = largest_share(drift, change, np.maximum(EFFORT_SHARE * limit, heavy))
        needed = ceil(MAX_SLOPE / share / period)
        counts.append(min(max(shortest, needed), longest))
    return tuple(counts)
