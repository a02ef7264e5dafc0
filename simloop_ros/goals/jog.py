"""Jogging: a velocity for some time, then rest, as far as the way is free."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..core.errors import GoalError
from ..core.values import Array
from .joint_motion import JointMotion
from .trajectory import Reference, Trajectory, joined
from .trajectory_check import TrajectoryCheck

Velocity = Callable[[Array], Array]
"""Returns the velocities of the joints [rad/s] for their positions [rad], shape ``(n,)`` each."""


def jog(
    velocity: Velocity,
    steps: int,
    motion: JointMotion,
    check: TrajectoryCheck,
    begin: Reference,
) -> Trajectory:
    """Return the motion at a velocity for some steps, and from there to rest.

    Where it would leave the range of a joint, or touch itself, it brakes earlier: after the most
    steps from which the whole way to rest is free.

    :raises GoalError: not even one step is free.
    """
    driven = _driven(velocity, steps, motion, begin)
    outside = check.first_outside(driven.position)
    count = steps if outside is None else outside[0] - 1
    touch = check.first_touch(driven.part(0, max(0, count)))
    if touch is not None:
        count = touch.step - 1
    found, low, high = None, 1, count
    while low <= high:
        # All of it first: mostly the way is free.
        tried = high if high == count else (low + high) // 2
        whole = joined(driven.part(0, tried), motion.brake(driven.at(tried)))
        if check.first_outside(whole.position) is None and check.first_touch(whole) is None:
            low, found = tried + 1, whole
        else:
            high = tried - 1
    if found is None:
        raise GoalError(f'no room: {_obstacle(check, driven, outside)}; jog the other way')
    return found


def _driven(velocity: Velocity, steps: int, motion: JointMotion, begin: Reference) -> Trajectory:
    """Return the motion at a velocity, without an end."""
    rows = [begin]
    for _ in range(steps):
        here = rows[-1]
        wanted = velocity(here.position)
        share = float((np.abs(wanted) / motion.velocity).max())
        rows.append(motion.towards(here, wanted / max(1.0, share)))
    return Trajectory(
        motion.period,
        np.array([row.position for row in rows]),
        np.array([row.velocity for row in rows]),
        np.array([row.acceleration for row in rows]),
    )


def _obstacle(check: TrajectoryCheck, driven: Trajectory, outside: tuple[int, int] | None) -> str:
    if outside is not None:
        return f'{check.joint_names[outside[1]]} is at the end of its range'
    touch = check.first_touch(driven)
    return 'the robot is about to touch itself' if touch is None else str(touch)
