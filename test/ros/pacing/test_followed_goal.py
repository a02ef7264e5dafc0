"""Goals of the action, each to its end: reached, refused, replaced, cancelled, stopped, left."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from planner_node import H, PlannerNode
import pytest

from simloop_ros.core.values import Setpoint
from simloop_ros.goals.goal import (
    CancelCommand,
    JointsGoal,
    PauseCommand,
    ResumeCommand,
    TrajectoryGoal,
    TrajectoryPoint,
)
from simloop_ros.goals.goal_status import GoalState, GoalStatus
from simloop_ros.goals.tolerance import JointTolerances, MotionTolerances
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.messages.follow_joint_trajectory import (
    FollowError,
    FollowProgress,
    FollowRequest,
)
from simloop_ros.ros.messages.joint_state import DecodedJointState
from simloop_ros.ros.messages.safety_status import CONTROL, SafetyStatus
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.pacing.followed_goal import (
    FEEDBACK_PERIOD,
    FollowedGoal,
    FollowedGoals,
    FollowEnd,
)
from simloop_ros.ros.pacing.goal_queue import GoalQueue
from simloop_ros.scenario.loading import load_scenario

STOPPED = 'the robot was stopped'
SECOND = round(1.0 / H)


class Watched(FollowedGoal):
    """A goal for one joint, and everything that it told."""

    def __init__(
        self,
        model: RobotModel,
        position: float = 0.5,
        *,
        time: float | None = None,
        joint: str = 'joint_1',
        path: float = math.inf,
        goal: float = math.inf,
        goal_time: float = 0.2,
    ):
        trajectory = TrajectoryGoal(
            joints=(joint,), points=(TrajectoryPoint(positions=(position,), time=time),)
        )
        tolerances = MotionTolerances(
            JointTolerances((path,), (math.inf,)), JointTolerances((goal,), (math.inf,)), goal_time
        )
        super().__init__(FollowRequest(trajectory, tolerances), model.joint_names)
        self.ends: list[FollowEnd] = []
        self.on_end = self.ends.append
        self.progress: list[FollowProgress] = []
        self.on_progress = self.progress.append

    def ended(self) -> tuple[str, FollowError]:
        (end,) = self.ends
        return end.outcome, end.error


@pytest.fixture(scope='module')
def model() -> RobotModel:
    return load_fit_robot(load_scenario('irb120_rectangle').robot)


@pytest.fixture
def node(model: RobotModel) -> PlannerNode:
    node = PlannerNode(model)
    node.run(5)
    return node


def test_a_goal_succeeds_once_the_robot_is_there(node: PlannerNode, model: RobotModel) -> None:
    goal = Watched(model, goal=1e-9, path=1e-9)
    node.followed.add(goal)
    while not goal.ends:
        node.run(1)
        assert node.step < 1000
    assert goal.ended() == ('succeeded', FollowError.SUCCESSFUL)
    assert node.positions[-1, 0] == 0.5
    assert np.flatnonzero(node.positions[:, 0] == 0.5)[0] >= node.step - 4


def test_feedback_comes_at_its_rate_and_follows_the_motion(
    node: PlannerNode, model: RobotModel
) -> None:
    goal = Watched(model)
    node.followed.add(goal)
    node.run(2 * SECOND)
    stamps = [each.stamp for each in goal.progress]
    assert set(np.diff(stamps)) == {round(FEEDBACK_PERIOD * 1e9)}
    assert goal.progress[0].time <= 2 * stamp_of(1, H)
    for each in goal.progress:
        assert each.actual.position == pytest.approx(each.desired.position, abs=1e-12)
    ways = [each.actual.position[0] for each in goal.progress]
    assert ways[0] < 0.01 < 0.4 < ways[-1]


def test_a_refused_goal_is_aborted_with_the_reason(node: PlannerNode, model: RobotModel) -> None:
    outside, unknown = Watched(model, 9.0), Watched(model, joint='elbow')
    for goal in (outside, unknown):
        node.followed.add(goal)
        node.run(20)
    assert outside.ended() == ('aborted', FollowError.INVALID_GOAL)
    assert outside.ends[0].reason.startswith('refused: out of range: joint_1')
    assert unknown.ended() == ('aborted', FollowError.INVALID_JOINTS)
    assert "unknown joint 'elbow'" in unknown.ends[0].reason
    assert not outside.progress


def test_another_goal_replaces_it_from_wherever_it_comes(
    node: PlannerNode, model: RobotModel
) -> None:
    first, second = Watched(model, 0.8), Watched(model, -0.4)
    node.followed.add(first)
    node.run(60)
    node.followed.add(second)
    node.run(60)
    assert first.ended() == ('aborted', FollowError.INVALID_GOAL)
    assert first.ends[0].reason == 'replaced by another goal'
    node.goals.submit(JointsGoal(positions={'joint_1': 0.1}))
    node.run(60)
    assert second.ends[0].reason == 'replaced by another goal'
    node.run(2 * SECOND)
    node.check_limits()


def test_a_refused_goal_leaves_the_one_before_alone(node: PlannerNode, model: RobotModel) -> None:
    first = Watched(model)
    node.followed.add(first)
    node.run(60)
    node.followed.add(Watched(model, 9.0))
    node.run(2 * SECOND)
    assert first.ended()[0] == 'succeeded'


def test_cancel_brings_the_robot_to_rest(node: PlannerNode, model: RobotModel) -> None:
    goal = Watched(model)
    node.followed.add(goal)
    node.run(80)
    assert node.followed.cancel(goal)
    node.run(SECOND)
    assert goal.ended()[0] == 'cancelled'
    assert np.array_equal(node.positions[-1], node.positions[-2])
    assert 0.01 < node.positions[-1, 0] < 0.49
    assert not node.followed.cancel(goal)
    node.check_limits()


def test_a_goal_can_be_cancelled_before_it_is_planned(
    node: PlannerNode, model: RobotModel
) -> None:
    goal = Watched(model)
    node.slowness = 50
    node.followed.add(goal)
    node.run(5)
    node.followed.cancel(goal)
    node.run(5)
    assert goal.ended()[0] == 'cancelled'
    assert goal.ends[0].reason == 'cancelled before it began'
    node.run(100)
    assert np.array_equal(node.positions[-1], model.home)


def test_a_cancel_of_somebody_else_aborts_it(node: PlannerNode, model: RobotModel) -> None:
    goal = Watched(model)
    node.followed.add(goal)
    node.run(80)
    node.goals.submit(CancelCommand())
    node.run(5)
    assert goal.ended() == ('aborted', FollowError.INVALID_GOAL)
    assert goal.ends[0].reason == 'cancelled by somebody else'


def test_a_pause_is_no_end(node: PlannerNode, model: RobotModel) -> None:
    goal = Watched(model, path=1e-9)
    node.followed.add(goal)
    node.run(80)
    node.goals.submit(PauseCommand())
    node.run(SECOND)
    assert not goal.ends
    node.goals.submit(ResumeCommand())
    node.run(2 * SECOND)
    assert goal.ended()[0] == 'succeeded'


def test_a_stop_aborts_it_and_a_start_does_not_take_it_up(
    node: PlannerNode, model: RobotModel
) -> None:
    goal = Watched(model)
    node.followed.add(goal)
    node.run(80)
    node.hold.take(SafetyStatus(CONTROL, 'pressed', 1))
    node.goals.interrupt(STOPPED)
    assert goal.ended() == ('aborted', FollowError.INVALID_GOAL)
    assert goal.ends[0].reason == STOPPED
    late = Watched(model)
    node.followed.add(late)
    node.run(5)
    assert late.ends[0].reason.startswith('refused: the robot is stopped')


def test_a_robot_that_leaves_its_path_comes_to_rest(node: PlannerNode, model: RobotModel) -> None:
    goal = Watched(model, path=0.02)
    node.followed.add(goal)
    node.run(80)
    node.push[0] = 0.019
    node.run(5)
    assert not goal.ends
    node.push[0] = 0.021
    node.run(SECOND)
    assert goal.ended() == ('aborted', FollowError.PATH_TOLERANCE_VIOLATED)
    assert goal.ends[0].reason.startswith('path: joint_1 has a position error of -0.021')
    assert 0.01 < node.positions[-1, 0] < 0.49
    assert np.array_equal(node.positions[-1], node.positions[-2])
    node.check_limits()


@pytest.mark.parametrize('comes', [True, False])
def test_a_robot_has_some_time_to_come_within_the_tolerance(
    node: PlannerNode, model: RobotModel, *, comes: bool
) -> None:
    goal = Watched(model, time=2.0, goal=0.01, goal_time=0.5)
    node.followed.add(goal)
    node.push[0] = 0.05
    node.run(2 * SECOND + 20)
    assert node.positions[-1, 0] == 0.5
    assert not goal.ends
    if comes:
        node.push[0] = 0.005
    node.run(SECOND)
    outcome = (
        ('succeeded', FollowError.SUCCESSFUL)
        if comes
        else ('aborted', FollowError.GOAL_TOLERANCE_VIOLATED)
    )
    assert goal.ended() == outcome
    assert ('within 0.005' if comes else '0.05, 0.01 is allowed') in goal.ends[0].reason


def test_a_goal_that_waits_for_the_robot_can_be_cancelled_and_stopped(
    node: PlannerNode, model: RobotModel
) -> None:
    for end in ('cancelled', 'aborted'):
        goal = Watched(model, goal=0.01, goal_time=9.0)
        node.push[0] = 0.05
        node.followed.add(goal)
        node.run(2 * SECOND)
        assert not goal.ends
        if end == 'cancelled':
            assert node.followed.cancel(goal)
        else:
            node.followed.interrupt(STOPPED)
        assert goal.ended()[0] == end


def test_a_node_that_ends_leaves_no_goal_behind(node: PlannerNode, model: RobotModel) -> None:
    goals = [Watched(model, 0.5), Watched(model, 0.3)]
    node.followed.add(goals[0])
    node.run(60)
    node.followed.add(goals[1])
    node.followed.close('not active any more')
    assert [goal.ends[0].reason for goal in goals] == ['not active any more'] * 2
    node.run(SECOND)
    assert np.array_equal(node.positions[-1], node.positions[-2])
    assert node.positions[-1, 0] < 0.3


class LockstepRun:
    """A planner that tells states of goals before the robot is there."""

    def __init__(self) -> None:
        self.submitted: list[object] = []
        self.goals = FollowedGoals(self.submitted.append, H, realtime=False)

    def tell(self, state: GoalState, goal: Watched | None = None) -> None:
        self.goals.take(GoalStatus(0, 1, state, 0, goal=None if goal is None else goal.goal))

    def send(self, first: int, last: int) -> None:
        for step in range(first, last):
            self.goals.sent(stamp_of(step, H), Setpoint(np.zeros(6), np.zeros(6)))

    def state(self, step: int) -> None:
        self.goals.state(DecodedJointState(stamp_of(step, H), np.zeros(6), np.zeros(6)))


def test_in_lockstep_a_goal_ends_when_the_robot_has_come_to_that_step(model: RobotModel) -> None:
    run, goal = LockstepRun(), Watched(model, 0.0)
    run.goals.add(goal)
    run.send(0, 10)
    run.tell('active', goal)
    run.send(10, 50)
    run.tell('reached')
    for step in range(50):
        run.state(step)
        assert not goal.ends
    run.state(50)
    assert goal.ended()[0] == 'succeeded'
    assert goal.progress[0].stamp == stamp_of(10, H)


def test_in_lockstep_a_robot_that_is_stopped_on_the_way_has_not_succeeded(
    model: RobotModel,
) -> None:
    run, goal = LockstepRun(), Watched(model, 0.0)
    run.goals.add(goal)
    run.send(0, 50)
    run.tell('active', goal)
    run.tell('reached')
    run.state(20)
    run.goals.interrupt(STOPPED)
    run.state(60)
    assert goal.ended() == ('aborted', FollowError.INVALID_GOAL)


def test_a_state_that_comes_twice_counts_once(model: RobotModel) -> None:
    run, goal = LockstepRun(), Watched(model, 0.0)
    run.goals.add(goal)
    run.send(0, 50)
    run.tell('active', goal)
    for _ in range(3):
        run.state(50)
    assert len(goal.progress) == 1


def test_in_lockstep_a_reaction_to_a_collision_ends_it(model: RobotModel) -> None:
    guide = SimpleNamespace(reaction=None)
    queue = GoalQueue(cast(Any, SimpleNamespace(guide=guide)), H)
    queue.followed = FollowedGoals(lambda _: None, H, realtime=False)
    goal = Watched(model, 0.0)
    queue.followed.add(goal)
    queue.take_state(DecodedJointState(0, np.zeros(6), np.zeros(6)))
    assert not goal.ends
    guide.reaction = object()
    queue.take_state(DecodedJointState(1, np.zeros(6), np.zeros(6)))
    assert goal.ends[0].reason == 'the robot reacts to a collision'
