"""What the control simulation shall do in the next step."""

from __future__ import annotations

import msgspec

from ..values import Array


class Wanted(msgspec.Struct, frozen=True, gc=False):
    """A desired position, or an effort instead.

    :ivar position: after the step [rad], shape ``(n,)``; with an effort, where the robot is.
    :ivar velocity: after the step [rad/s], shape ``(n,)``; with an effort, that of the robot.
    :ivar effort: to send as it is [N m], shape ``(n,)``; none where the position counts.
    :ivar anew: whether the desired motion starts from the control state instead of going on from
        the last desired position; the control law shall forget that one.
    """

    position: Array
    velocity: Array
    effort: Array | None = None
    anew: bool = False
