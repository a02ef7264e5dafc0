"""Goals and their states as messages: topics ``goal_pose``, ``goal_status`` and others."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped, TwistStamped
import msgspec
import numpy as np
import pinocchio as pin

from ...core.errors import MessageError
from ...goals.goal import AnyGoal, JogGoal, PoseGoal, TrajectoryGoal, TrajectoryPoint
from ...goals.goal_status import GoalState, GoalStatus
from .stamps import NANO

TRAJECTORY, POSE, STRAIGHT = 'goal_joint_trajectory', 'goal_pose', 'goal_pose_straight'
JOG, NAMED, STATUS = 'jog', 'goal_named', 'goal_status'
WORLD = 'world'
LEVELS: dict[GoalState, bytes] = {
    'refused': DiagnosticStatus.ERROR,
    'aborted': DiagnosticStatus.ERROR,
    'paused': DiagnosticStatus.WARN,
    'cancelled': DiagnosticStatus.WARN,
    'replaced': DiagnosticStatus.WARN,
}
"""Of the states that are not as they should be."""
UNIT_TOLERANCE = 0.01
"""How far the length of a quaternion may be from 1."""


def trajectory_goal(message: Any, source: str = TRAJECTORY) -> TrajectoryGoal:
    """Return the goal of a ``trajectory_msgs/JointTrajectory``; all times 0 stand for none.

    Its stamp, and accelerations and efforts of the points are not read.

    :param source: where it came from, for the message of an error.
    :raises MessageError: it has no joints or no points, or one is before its begin.
    """
    times = [
        point.time_from_start.sec + point.time_from_start.nanosec / NANO
        for point in message.points
    ]
    if not message.joint_names or not times:
        raise MessageError(f'{source}: joint_names and points are needed, one is empty')
    if min(times) < 0.0:
        raise MessageError(f'{source}: time_from_start is {min(times):g} s; give 0 or more')
    timed = any(times)
    return TrajectoryGoal(
        joints=tuple(message.joint_names),
        points=tuple(
            TrajectoryPoint(
                positions=tuple(point.positions),
                velocities=tuple(point.velocities) if timed else (),
                time=time if timed else None,
            )
            for point, time in zip(message.points, times, strict=True)
        ),
    )


def pose_goal(message: PoseStamped, tip: str, *, straight: bool) -> PoseGoal:
    """Return the goal of a pose in the world; a quaternion of zeros keeps the orientation.

    :raises MessageError: its frame is another one, or its quaternion is none.
    """
    frame, pose = message.header.frame_id, message.pose
    if frame not in ('', WORLD):
        raise MessageError(f'{POSE}: frame_id is {frame!r}; give {WORLD!r} or nothing')
    turn = pose.orientation
    quaternion = np.array([turn.x, turn.y, turn.z, turn.w])
    rpy = None
    if quaternion.any():
        length = float(np.linalg.norm(quaternion))
        if not abs(length - 1.0) <= UNIT_TOLERANCE:
            raise MessageError(f'{POSE}: the quaternion has the length {length:.3g}; 1 is needed')
        rpy = tuple(pin.rpy.matrixToRpy(pin.Quaternion(quaternion / length).matrix()).tolist())
    place = (pose.position.x, pose.position.y, pose.position.z)
    return PoseGoal(position=place, rpy=rpy, tip=tip, straight=straight)


def jog_goal(message: TwistStamped, tip: str) -> JogGoal:
    """Return the jog of a twist, in axes of the world or of the tip.

    :raises MessageError: its frame is another one.
    """
    frame, twist = message.header.frame_id, message.twist
    if frame not in ('', WORLD, tip):
        raise MessageError(f'{JOG}: frame_id is {frame!r}; give {WORLD!r}, {tip!r} or nothing')
    return JogGoal(
        linear=(twist.linear.x, twist.linear.y, twist.linear.z),
        angular=(twist.angular.x, twist.angular.y, twist.angular.z),
        frame='tip' if frame == tip else 'world',
        tip=tip,
    )


def status_message(status: GoalStatus, period: float) -> DiagnosticStatus:
    """Return a change of a goal's state as a message.

    :param period: of the planner [s].
    """
    values: dict[str, Any] = {'id': status.id, 'time': repr(status.step * period)}
    if status.distance is not None:
        values['distance'] = f'{status.distance:.6g}'
    if status.goal is not None:
        values['goal'] = msgspec.json.encode(status.goal).decode()
        values['listed'] = status.listed
    return DiagnosticStatus(
        level=LEVELS.get(status.state, DiagnosticStatus.OK),
        name=status.state,
        message=status.reason,
        hardware_id='simloop_ros',
        values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
    )


class HeardStatus(msgspec.Struct, frozen=True):
    """A change of a goal's state as it was heard.

    :ivar time: along the motion [s].
    :ivar distance: largest way of a joint that is left [rad]; NaN where it is not known.
    :ivar goal: when it is answered.
    """

    id: int
    state: GoalState
    reason: str
    time: float
    distance: float = math.nan
    goal: AnyGoal | None = None
    listed: bool = False


def heard_status(message: DiagnosticStatus) -> HeardStatus | None:
    """Return the content of a message; ``None`` if it is malformed."""
    values = {item.key: item.value for item in message.values}
    try:
        goal = msgspec.json.decode(values['goal'], type=AnyGoal) if 'goal' in values else None
        return HeardStatus(
            id=int(values['id']),
            state=msgspec.convert(message.name, GoalState),
            reason=message.message,
            time=float(values['time']),
            distance=float(values.get('distance', math.nan)),
            goal=goal,
            listed=values.get('listed') == str(True),
        )
    except (KeyError, ValueError, msgspec.MsgspecError):
        return None


def tip_topics(topic: str, tips: Sequence[str]) -> dict[str, str]:
    """Return the topic of each tip: the only one has the plain name."""
    return {tip: topic if len(tips) == 1 else f'{topic}/{tip}' for tip in tips}
