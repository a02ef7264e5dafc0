"""The action ``follow_joint_trajectory`` (control_msgs/FollowJointTrajectory) as messages.

The messages are handed in: ``control_msgs`` is not imported, and need not be installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
import math
from typing import Any

import msgspec

from ...core.errors import MessageError
from ...core.values import JointState
from ...goals.goal import TrajectoryGoal
from ...goals.tolerance import JointTolerances, MotionTolerances, difference
from .goals import trajectory_goal
from .stamps import join, split

ACTION = 'follow_joint_trajectory'
GOAL_TIME = 1.0
"""Time to come within the tolerance of a goal, where none is given [s]."""
ERASED = -1.0
"""Tolerance that stands for none; 0 stands for the server's own, which is none, too."""


class FollowError(IntEnum):
    """Error codes of a result, as the action names them.

    It has none for a goal that was replaced, cancelled or stopped: these are ``INVALID_GOAL``, as
    ros2_control has it, and the text says what happened.
    """

    SUCCESSFUL = 0
    INVALID_GOAL = -1
    INVALID_JOINTS = -2
    PATH_TOLERANCE_VIOLATED = -4
    GOAL_TOLERANCE_VIOLATED = -5


class FollowRequest(msgspec.Struct, frozen=True):
    """What a goal of the action asks for."""

    goal: TrajectoryGoal
    tolerances: MotionTolerances


class FollowProgress(msgspec.Struct, frozen=True):
    """How a robot follows, at a moment; states are of the joints of the goal, in its order.

    :ivar stamp: of the actual state [ns].
    :ivar time: since the motion began [ns].
    """

    stamp: int
    time: int
    desired: JointState
    actual: JointState


def follow_request(message: Any) -> FollowRequest:
    """Return what the goal of a ``FollowJointTrajectory`` asks for.

    :raises MessageError: it asks for something that is not possible here.
    """
    multi = message.multi_dof_trajectory
    if multi.joint_names or multi.points:
        raise MessageError(f'{ACTION}: multi_dof_trajectory is not possible; leave it empty')
    if message.component_path_tolerance or message.component_goal_tolerance:
        raise MessageError(
            f'{ACTION}: component tolerances are of joints with several degrees of freedom; leave '
            'them empty'
        )
    goal = trajectory_goal(message.trajectory, ACTION)
    time = join(message.goal_time_tolerance) * 1e-9
    if time < 0.0:
        raise MessageError(f'{ACTION}: goal_time_tolerance is {time:g} s; give 0 or more')
    return FollowRequest(
        goal,
        MotionTolerances(
            path=_tolerances(message.path_tolerance, goal.joints, 'path_tolerance'),
            goal=_tolerances(message.goal_tolerance, goal.joints, 'goal_tolerance'),
            goal_time=time or GOAL_TIME,
        ),
    )


def _tolerances(given: Sequence[Any], joints: Sequence[str], what: str) -> JointTolerances:
    position, velocity = {}, {}
    for each in given:
        if each.name not in joints:
            raise MessageError(f'{ACTION}: {what} of {each.name!r}, which has no part in the goal')
        if each.name in position:
            raise MessageError(f'{ACTION}: {what} of {each.name} is given twice; give it once')
        if each.acceleration not in (0.0, ERASED):
            raise MessageError(
                f'{ACTION}: {what} of {each.name}: accelerations are not measured; give 0 for the '
                'acceleration, or -1'
            )
        position[each.name] = _bound(each.position, f'{what}.position of {each.name}')
        velocity[each.name] = _bound(each.velocity, f'{what}.velocity of {each.name}')
    return JointTolerances(
        tuple(position.get(joint, math.inf) for joint in joints),
        tuple(velocity.get(joint, math.inf) for joint in joints),
    )


def _bound(value: float, what: str) -> float:
    if value in (0.0, ERASED):
        return math.inf
    if not value > 0.0:
        raise MessageError(f'{ACTION}: {what} is {value:g}; give a positive number, 0, or -1')
    return float(value)


def fill_feedback(message: Any, joints: Sequence[str], progress: FollowProgress) -> Any:
    """Return a feedback message with desired, actual and error; its other fields are left."""
    message.header.stamp.sec, message.header.stamp.nanosec = split(progress.stamp)
    message.joint_names = list(joints)
    error = difference(progress.desired, progress.actual)
    for point, state in (
        (message.desired, progress.desired),
        (message.actual, progress.actual),
        (message.error, error),
    ):
        point.positions = state.position.tolist()
        point.velocities = state.velocity.tolist()
        point.time_from_start.sec, point.time_from_start.nanosec = split(progress.time)
    return message
