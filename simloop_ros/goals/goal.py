"""Goals that a robot is given while it runs, as typed data. Importing it loads no engine."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ..core.config_types import NonNegative, Vector
from .config import Timeout

Numbers = Annotated[tuple[float, ...], msgspec.Meta(min_length=1)]


class _Goal(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field='do'):
    """What all goals have.

    :ivar at: time along the motion at which it is given [s].
    """

    at: NonNegative = 0.0

    @property
    def kind(self) -> str:
        """Return the value of ``do``."""
        return str(self.__struct_config__.tag)


class JointsGoal(_Goal, frozen=True, kw_only=True, tag='joints'):
    """Joints go to positions, in the shortest time within their limits.

    :ivar positions: by joint [rad or m]; joints left out stay.
    """

    positions: Annotated[dict[str, float], msgspec.Meta(min_length=1)]


class NamedGoal(_Goal, frozen=True, kw_only=True, tag='named'):
    """The same with a posture that has a name.

    :ivar name: `home`, or a posture of the robot's SRDF file.
    """

    name: str


class TrajectoryPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A point of a trajectory.

    :ivar positions: one for each joint of the trajectory [rad or m].
    :ivar velocities: likewise [rad/s or m/s]; left out, those of a smooth curve.
    :ivar time: from the begin of the trajectory [s].
    """

    positions: Numbers
    velocities: tuple[float, ...] = ()
    time: NonNegative | None = None


class TrajectoryGoal(_Goal, frozen=True, kw_only=True, tag='trajectory'):
    """Joints go through points: at their times, or without times from rest to rest.

    :ivar joints: names; the others stay.
    :ivar points: all with a time, or none.
    """

    joints: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    points: Annotated[tuple[TrajectoryPoint, ...], msgspec.Meta(min_length=1)]


class PoseGoal(_Goal, frozen=True, kw_only=True, tag='pose'):
    """A tip goes to a pose.

    :ivar position: of the tip in the world [m].
    :ivar rpy: its roll, pitch and yaw there in the world [rad]; kept where none are given.
    :ivar tip: which of `robot.tips`; needed where there are several.
    :ivar straight: whether the tip goes straight; else the joints take their shortest way. A robot
        that moves comes to rest before it goes straight.
    """

    position: Vector
    rpy: Vector | None = None
    tip: str | None = None
    straight: bool = False


class JogGoal(_Goal, frozen=True, kw_only=True, tag='jog'):
    """A tip, or joints, move at a velocity until the time-out, and then come to rest.

    :ivar linear: velocity of the tip [m/s].
    :ivar angular: angular velocity of the tip [rad/s].
    :ivar frame: axes of both: those of the `world`, or of the `tip`.
    :ivar tip: which of `robot.tips`; needed where there are several.
    :ivar joints: velocity by joint [rad/s or m/s], instead of a tip's.
    :ivar timeout: time after which the robot comes to rest, unless a further jog comes [s]; that
        of `goal_limits` where none is given.
    """

    linear: Vector = (0.0, 0.0, 0.0)
    angular: Vector = (0.0, 0.0, 0.0)
    frame: Literal['world', 'tip'] = 'world'
    tip: str | None = None
    joints: dict[str, float] = {}
    timeout: Timeout | None = None


class PauseCommand(_Goal, frozen=True, tag='pause'):
    """The robot comes to rest along its course, and waits there."""


class ResumeCommand(_Goal, frozen=True, tag='resume'):
    """The robot goes on along the course that was paused."""


class CancelCommand(_Goal, frozen=True, tag='cancel'):
    """The robot comes to rest along its course, and the goal is given up."""


MotionGoal = JointsGoal | NamedGoal | TrajectoryGoal | PoseGoal | JogGoal
"""Where to go."""
AnyGoal = MotionGoal | PauseCommand | ResumeCommand | CancelCommand
"""Everything that a robot can be told while it runs."""
