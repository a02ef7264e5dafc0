"""Goals as messages: what is read, what is refused, and states there and back."""

from __future__ import annotations

import math

from geometry_msgs.msg import PoseStamped, TwistStamped
import pinocchio as pin
import pytest

from simloop_ros.core.errors import MessageError
from simloop_ros.goals.goal import JointsGoal
from simloop_ros.goals.goal_status import GoalStatus
from simloop_ros.ros.messages.goals import (
    heard_status,
    jog_goal,
    pose_goal,
    status_message,
    tip_topics,
    trajectory_goal,
)


def a_pose(*quaternion: float, frame: str = '') -> PoseStamped:
    message = PoseStamped()
    message.header.frame_id = frame
    message.pose.position.x = 0.3
    turn = message.pose.orientation
    turn.x, turn.y, turn.z, turn.w = quaternion
    return message


def test_a_pose_has_the_orientation_of_its_quaternion() -> None:
    turn = pin.Quaternion(pin.rpy.rpyToMatrix(0.3, -0.2, 1.0))
    goal = pose_goal(a_pose(*turn.coeffs().tolist(), frame='world'), 'tool0', straight=True)
    assert (goal.position, goal.tip, goal.straight) == ((0.3, 0.0, 0.0), 'tool0', True)
    assert goal.rpy == pytest.approx((0.3, -0.2, 1.0))


def test_a_quaternion_of_zeros_keeps_the_orientation() -> None:
    assert pose_goal(a_pose(0.0, 0.0, 0.0, 0.0), 'tool0', straight=False).rpy is None


@pytest.mark.parametrize(
    'message',
    [
        a_pose(0.0, 0.0, 0.0, 1.0, frame='camera'),
        a_pose(0.0, 0.0, 0.0, 2.0),
        a_pose(0.0, 0.0, 0.0, math.nan),
    ],
)
def test_another_frame_and_no_quaternion_are_refused(message: PoseStamped) -> None:
    with pytest.raises(MessageError, match='goal_pose: '):
        pose_goal(message, 'tool0', straight=False)


def test_a_jog_is_in_axes_of_the_world_or_of_the_tip() -> None:
    message = TwistStamped()
    message.twist.angular.y = 0.5
    assert jog_goal(message, 'tool0').frame == 'world'
    message.header.frame_id = 'tool0'
    assert jog_goal(message, 'tool0').frame == 'tip'
    assert jog_goal(message, 'tool0').angular == (0.0, 0.5, 0.0)
    message.header.frame_id = 'camera'
    with pytest.raises(MessageError, match="frame_id is 'camera'"):
        jog_goal(message, 'tool0')


def test_times_of_a_trajectory_that_are_all_zero_stand_for_none() -> None:
    messages = pytest.importorskip('trajectory_msgs.msg')
    message = messages.JointTrajectory(joint_names=['a'])
    with pytest.raises(MessageError, match='one is empty'):
        trajectory_goal(message)
    message.points.append(messages.JointTrajectoryPoint(positions=[0.1]))
    assert trajectory_goal(message).points[0].time is None
    message.points[0].time_from_start.nanosec = 500_000_000
    assert trajectory_goal(message).points[0].time == 0.5
    message.points[0].time_from_start.sec = -1
    with pytest.raises(MessageError, match=r'time_from_start is -0\.5 s'):
        trajectory_goal(message)


def test_a_state_is_heard_as_it_was_told() -> None:
    goal = JointsGoal(positions={'a': 0.1}, at=0.5)
    status = GoalStatus(4, 2, 'refused', 100, 'out of range', 0.25, goal, listed=True)
    heard = heard_status(status_message(status, 0.005))
    assert heard is not None
    assert (heard.id, heard.state, heard.reason) == (2, 'refused', 'out of range')
    assert (heard.time, heard.distance, heard.goal, heard.listed) == (0.5, 0.25, goal, True)
    assert heard_status(a_malformed()) is None


def a_malformed() -> object:
    message = status_message(GoalStatus(0, 1, 'active', 0), 0.005)
    message.values = []
    return message


def test_the_only_tip_has_the_plain_topics() -> None:
    assert tip_topics('jog', ['tool0']) == {'tool0': 'jog'}
    assert tip_topics('jog', ['l', 'r']) == {'l': 'jog/l', 'r': 'jog/r'}
