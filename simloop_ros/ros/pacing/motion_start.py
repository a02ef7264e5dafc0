"""How a planner starts again: after a stop, or after a reaction to a collision."""

from __future__ import annotations

from ...assembly.motion import Motion
from ...core.errors import SimloopError
from ...core.values import Array
from .motion_port import MotionPort


async def plan_motion(port: MotionPort, start: Array, *, realtime: bool) -> Motion:
    """Return the motion from a position [rad], shape ``(n,)``, to the goal.

    :param realtime: whether it is planned in the background.
    :raises GoalError: the motion is refused.
    """
    guide = port.guide
    if not realtime:
        return guide.motion_from(start)
    motion: Motion = await port.in_background(lambda: guide.motion_from(start))
    return motion


async def start_motion(port: MotionPort, *, realtime: bool) -> str:
    """Go on to the goal; return what was done.

    :raises SimloopError: that is not possible now, with the reason.
    """
    guide, hold = port.guide, port.hold
    if guide.reaction and not hold.active:
        if not guide.resume():
            raise SimloopError('the robot is not at rest yet: it is stopped, try again')
        return 'going on to the goal'
    start = hold.start_position()
    motion = await plan_motion(port, start, realtime=realtime)
    if hold.stopped or hold.position is None:
        raise SimloopError('the robot was stopped in the meantime')
    guide.take(motion)
    hold.release()
    return 'planned the way to the goal'
