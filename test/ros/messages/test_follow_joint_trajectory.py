"""Goals and feedback of the action: what is read, what is refused, what is told."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simloop_ros.core.errors import MessageError
from simloop_ros.core.values import JointState
from simloop_ros.goals.tolerance import JointTolerances
from simloop_ros.ros.messages.follow_joint_trajectory import (
    GOAL_TIME,
    FollowError,
    FollowProgress,
    fill_feedback,
    follow_request,
)
from simloop_ros.ros.messages.goals import trajectory_goal


def a_time(seconds: int = 0, nanoseconds: int = 0) -> Any:
    return SimpleNamespace(sec=seconds, nanosec=nanoseconds)


def a_tolerance(name: str, **values: float) -> Any:
    given = {'position': 0.0, 'velocity': 0.0, 'acceleration': 0.0, **values}
    return SimpleNamespace(name=name, **given)


def a_point(position: float, time: Any) -> Any:
    return SimpleNamespace(positions=[position, 0.0], velocities=[], time_from_start=time)


def a_goal(**changes: Any) -> Any:
    """Return a goal with the fields of the action, as plain values."""
    trajectory = SimpleNamespace(joint_names=['a', 'b'], points=[a_point(0.1, a_time(2))])
    given = {
        'trajectory': trajectory,
        'multi_dof_trajectory': SimpleNamespace(joint_names=[], points=[]),
        'path_tolerance': [],
        'goal_tolerance': [],
        'component_path_tolerance': [],
        'component_goal_tolerance': [],
        'goal_time_tolerance': a_time(),
    }
    return SimpleNamespace(**{**given, **changes})


def test_the_trajectory_is_read_as_that_of_the_topic() -> None:
    message = a_goal()
    request = follow_request(message)
    assert request.goal == trajectory_goal(message.trajectory)
    assert request.tolerances.path == request.tolerances.goal == JointTolerances.none(2)
    assert request.tolerances.goal_time == GOAL_TIME


def test_tolerances_are_those_of_their_joints() -> None:
    path = [a_tolerance('b', position=0.2, velocity=-1.0), a_tolerance('a', velocity=0.3)]
    goal = [a_tolerance('a', position=0.01, acceleration=-1.0)]
    message = a_goal(
        path_tolerance=path, goal_tolerance=goal, goal_time_tolerance=a_time(1, 500_000_000)
    )
    tolerances = follow_request(message).tolerances
    assert tolerances.path == JointTolerances((math.inf, 0.2), (0.3, math.inf))
    assert tolerances.goal == JointTolerances((0.01, math.inf), (math.inf, math.inf))
    assert tolerances.goal_time == 1.5


@pytest.mark.parametrize(
    ('changes', 'reason'),
    [
        ({'multi_dof_trajectory': SimpleNamespace(joint_names=['x'], points=[])}, 'multi_dof'),
        ({'component_path_tolerance': ['x']}, 'component'),
        ({'component_goal_tolerance': ['x']}, 'component'),
        ({'path_tolerance': [a_tolerance('c', position=0.1)]}, "path_tolerance of 'c'"),
        ({'goal_tolerance': [a_tolerance('a'), a_tolerance('a')]}, 'given twice'),
        ({'path_tolerance': [a_tolerance('a', acceleration=1.0)]}, 'not measured'),
        ({'path_tolerance': [a_tolerance('a', position=-0.1)]}, 'positive number'),
        ({'goal_tolerance': [a_tolerance('a', velocity=math.nan)]}, 'positive number'),
        ({'goal_time_tolerance': a_time(-1)}, 'goal_time_tolerance is -1 s'),
        ({'trajectory': SimpleNamespace(joint_names=['a'], points=[])}, 'one is empty'),
        (
            {'trajectory': SimpleNamespace(joint_names=['a'], points=[a_point(0.1, a_time(-1))])},
            'time_from_start is -1 s',
        ),
    ],
)
def test_what_is_not_possible_is_refused_with_a_word(changes: Any, reason: str) -> None:
    with pytest.raises(MessageError, match=r'^follow_joint_trajectory: ') as refusal:
        follow_request(a_goal(**changes))
    assert reason in str(refusal.value)


def test_feedback_has_desired_actual_and_what_is_missing() -> None:
    names = ('desired', 'actual', 'error')
    message = SimpleNamespace(
        header=SimpleNamespace(stamp=a_time()),
        **{name: SimpleNamespace(time_from_start=a_time()) for name in names},
    )
    desired = JointState(np.array([0.5, 0.0]), np.array([0.1, 0.0]))
    actual = JointState(np.array([0.25, 0.5]), np.array([0.1, 0.5]))
    progress = FollowProgress(3_500_000_000, 1_250_000_000, desired, actual)
    filled = fill_feedback(message, ('a', 'b'), progress)
    assert filled.joint_names == ['a', 'b']
    assert (filled.header.stamp.sec, filled.header.stamp.nanosec) == (3, 500_000_000)
    assert (filled.desired.positions, filled.actual.positions) == ([0.5, 0.0], [0.25, 0.5])
    assert (filled.error.positions, filled.error.velocities) == ([0.25, -0.5], [0.0, -0.5])
    since = filled.actual.time_from_start
    assert (since.sec, since.nanosec) == (1, 250_000_000)


def test_error_codes_are_those_of_the_package() -> None:
    """Only where it is installed: the numbers are part of the action."""
    action = pytest.importorskip('control_msgs.action', reason='control_msgs is not installed')
    result = action.FollowJointTrajectory.Result
    assert {each.name: each.value for each in FollowError} == {
        each.name: getattr(result, each.name) for each in FollowError
    }
