"""The shortest stop along a path within the effort limits."""

from __future__ import annotations

from math import ceil, floor

import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..maths.effort_share import largest_share
from ..robot.model import RobotModel
from .pace import MAX_SLOPE

FEWEST_STEPS = 3
"""Least number of steps of a stop: fewer are a jump."""
EFFORT_SHARE = 0.9
"""Share of the effort limits that a stop may use."""
LEAST_SHARE = 0.05
"""Share of a limit that it may use even where the motion alone takes more than the margin."""
LONGEST_STOP = 1.0
"""Longest stop [s], whatever the limits say."""


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
