"""Turns: an angle and the same angle a full turn on are different joints."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.values import Array
from ..robot.urdf import UNBOUNDED

TURN = 2.0 * math.pi
LIMIT_TOLERANCE = 1e-10
"""Excess over a limit that is round-off [rad]."""


def nearest_turn(angle: float, near: float, lower: float, upper: float) -> float | None:
    """Return the angle in the turn nearest to ``near``, within the limits, if any turn is."""
    # From the limit if ``near`` is beyond it: far away, the angle would be lost in round-off.
    inside = lower if near < lower else upper if near > upper else near
    turned = angle + TURN * math.floor((inside - angle) / TURN + 0.5)
    if turned > upper + LIMIT_TOLERANCE:
        turned -= TURN * math.ceil((turned - upper - LIMIT_TOLERANCE) / TURN)
    elif turned < lower - LIMIT_TOLERANCE:
        turned += TURN * math.ceil((lower - LIMIT_TOLERANCE - turned) / TURN)
    if not lower - LIMIT_TOLERANCE <= turned <= upper + LIMIT_TOLERANCE:
        return None
    return min(max(turned, lower), upper)


def nearest_turns(angles: Array, near: Array, lower: Array, upper: Array) -> Array:
    """Do the same with arrays; NaN where no turn is within the limits."""
    low, high = lower - LIMIT_TOLERANCE, upper + LIMIT_TOLERANCE
    inside = np.minimum(np.maximum(near, lower), upper)
    turned = angles + TURN * np.floor((inside - angles) / TURN + 0.5)
    turned -= TURN * np.ceil(np.maximum(turned - high, 0.0) / TURN)
    turned += TURN * np.ceil(np.maximum(low - turned, 0.0) / TURN)
    fits = (turned >= low) & (turned <= high)
    return np.where(fits, np.minimum(np.maximum(turned, lower), upper), np.nan)


def all_turns(angle: float, lower: float, upper: float) -> list[float]:
    """Return the angle in every turn within the limits; of a joint without ends, in one."""
    if upper - lower >= UNBOUNDED:
        return [math.remainder(angle, TURN)]
    first = math.ceil((lower - LIMIT_TOLERANCE - angle) / TURN)
    last = math.floor((upper + LIMIT_TOLERANCE - angle) / TURN)
    return [min(max(angle + TURN * k, lower), upper) for k in range(first, last + 1)]


class SharedTurn(NamedTuple):
    """Two joints that share a turn, and the square of their distance from their old positions."""

    first: float
    last: float
    cost: float


class JointRange(NamedTuple):
    """Old position of a joint, and its limits [rad]."""

    near: float
    lower: float
    upper: float


def share(
    first: float, last: float, sign: float, a: JointRange, b: JointRange
) -> SharedTurn | None:
    """Return the nearest pair of joints of which only the sum or the difference is determined.

    002 (20), (21): with axes 4 and 6 in line, ``first + t`` and ``last - sign t`` are as good for
    every ``t``. The least sum of squares within both ranges is taken, over ``t`` and over the
    turns of ``last``; it is convex in both, so that the turns are followed downhill.

    :param sign: 1 where the sum is determined, -1 where the difference is.
    """

    def best(turn: int) -> SharedTurn | None:
        moved = last + TURN * turn
        ends = sorted((sign * (moved - b.upper), sign * (moved - b.lower)))
        low, high = max(a.lower - first, ends[0]), min(a.upper - first, ends[1])
        if low > high + LIMIT_TOLERANCE:
            return None
        t = 0.5 * ((a.near - first) + sign * (moved - b.near))
        t = min(max(t, low), max(low, high))
        one, other = first + t, moved - sign * t
        return SharedTurn(
            min(max(one, a.lower), a.upper),
            min(max(other, b.lower), b.upper),
            (one - a.near) ** 2 + (other - b.near) ** 2,
        )

    # What the first joint can take off the last one, and the turns that leave a range to it.
    shift = sorted((sign * (a.lower - first), sign * (a.upper - first)))
    lowest = math.ceil((b.lower - last + shift[0] - LIMIT_TOLERANCE) / TURN)
    highest = math.floor((b.upper - last + shift[1] + LIMIT_TOLERANCE) / TURN)
    if lowest > highest:
        return None
    near_a, near_b = (min(max(joint.near, joint.lower), joint.upper) for joint in (a, b))
    turn = math.floor((near_b + sign * (near_a - first) - last) / TURN + 0.5)
    turn = min(max(turn, lowest), highest)
    found = best(turn)
    for step in (1, -1):
        while lowest <= turn + step <= highest:
            other = best(turn + step)
            if other is None or (found is not None and other.cost >= found.cost):
                break
            found, turn = other, turn + step
    return found
