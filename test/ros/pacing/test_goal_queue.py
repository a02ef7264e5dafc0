"""Goals in real time: planned beside the motion, spliced in without a jump, none lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np
import pytest

from simloop_ros.assembly.motion import MotionSettings
from simloop_ros.core.values import NO_INPUTS, Array, JointState
from simloop_ros.goals.goal import (
    AnyGoal,
    CancelCommand,
    JointsGoal,
    PauseCommand,
    ResumeCommand,
)
from simloop_ros.goals.goal_status import GoalStatus
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.messages.safety_status import CONTROL, SafetyStatus
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.pacing.goal_queue import MOST_TRIES, MOST_WAITING, BackgroundGoals, GoalQueue
from simloop_ros.ros.pacing.motion_guide import MotionGuide
from simloop_ros.ros.pacing.motion_pace import MotionHold
from simloop_ros.safety.config import SafetyConfig
from simloop_ros.scenario.loading import load_scenario

H = 0.005
FAR = JointsGoal(positions={'joint_1': 0.8})
BACK = JointsGoal(positions={'joint_1': -0.4})
OUTSIDE = JointsGoal(positions={'joint_1': 9.0})


class PlannerNode:
    """A planner's node whose background is as slow as the test wants.

    :ivar slowness: steps that the next plan takes; each later one ``growth`` times as many.
    :ivar rows: the setpoints that hold, by step.
    """

    def __init__(self, model: RobotModel, slowness: int = 3, goals: tuple[AnyGoal, ...] = ()):
        scenario = load_scenario('irb120_rectangle', ['planner.kind=hold', f'period={H}'])
        settings = MotionSettings.of(scenario)
        self.guide = MotionGuide(model, settings, SafetyConfig(), realtime=True)
        self.hold = MotionHold()
        self.guide.plan(model.home)
        self.goals = BackgroundGoals(self, goals, H)
        self.told: list[GoalStatus] = []
        self.goals.on_change = self.told.append
        self.slowness, self.growth = slowness, 1
        self.step = 0
        self.rows: dict[int, Array] = {}
        self._work: deque[tuple[int, Future[Any], Callable[[], Any]]] = deque()

    def in_background(self, call: Callable[[], Any]) -> Future[Any]:
        future: Future[Any] = Future()
        self._work.append((self.step + self.slowness, future, call))
        self.slowness *= self.growth
        return future

    def run(self, steps: int) -> None:
        """Take control states of a robot that follows."""
        for _ in range(steps):
            while self._work and self._work[0][0] <= self.step:
                _, future, call = self._work.popleft()
                try:
                    future.set_result(call())
                except Exception as error:
                    future.set_exception(error)
            stamp = stamp_of(self.step, H)
            self.goals.serve(stamp)
            here = self.rows.get(self.step - 1, self.guide.start)
            assert here is not None
            state = JointState(here, np.zeros_like(here))
            for point in self.guide.points(stamp, state, NO_INPUTS):
                self.rows[round(point.stamp / stamp_of(1, H))] = point.setpoint.position
            self.step += 1

    @property
    def positions(self) -> Array:
        return np.array([self.rows[step] for step in range(self.step)])

    def states(self, number: int) -> list[str]:
        return [status.state for status in self.told if status.id == number]

    def check_limits(self) -> None:
        acceleration = np.diff(self.positions, 2, axis=0) / H**2
        jerk = np.diff(self.positions, 3, axis=0) / H**3
        assert np.abs(acceleration).max() <= 4.0 * 1.001
        assert np.abs(jerk).max() <= 40.0 * 1.001


@pytest.fixture(scope='module')
def model() -> RobotModel:
    return load_fit_robot(load_scenario('irb120_rectangle').robot)


@pytest.mark.parametrize('slowness', [1, 6])
def test_a_robot_at_rest_begins_within_two_periods_of_its_plan(
    model: RobotModel, slowness: int
) -> None:
    node = PlannerNode(model, slowness)
    node.run(30)
    node.goals.submit(FAR)
    node.run(600)
    moved = np.flatnonzero((node.positions != model.home).any(axis=1))[0]
    assert moved - (30 + slowness) <= 2
    assert node.positions[-1, 0] == 0.8
    assert node.states(1) == ['active', 'reached']
    node.check_limits()


@pytest.mark.parametrize('slowness', [1, 8, 40])
def test_a_goal_replaces_another_while_the_robot_goes_on(model: RobotModel, slowness: int) -> None:
    node = PlannerNode(model, 1)
    node.goals.submit(FAR)
    node.run(120)
    node.slowness = slowness
    node.goals.submit(BACK)
    node.run(900)
    node.check_limits()
    assert node.positions[-1, 0] == -0.4
    assert node.states(1) == ['active', 'replaced']
    assert node.states(2) == ['active', 'reached']


def test_states_are_told_when_they_are_due_and_not_when_they_are_sent_ahead(
    model: RobotModel,
) -> None:
    node = PlannerNode(model)
    node.goals.submit(FAR)
    while not node.states(1) or node.states(1)[-1] != 'reached':
        node.run(1)
        assert node.step < 2000
    there = np.flatnonzero(node.positions[:, 0] == 0.8)[0]
    assert 0 <= node.step - 1 - there <= 2


def test_a_plan_that_is_never_in_time_is_refused_and_the_motion_ends_as_it_was(
    model: RobotModel,
) -> None:
    node = PlannerNode(model, 1)
    node.goals.submit(JointsGoal(positions={'joint_1': 2.5}))
    node.run(40)
    node.slowness, node.growth = 16, 3
    node.goals.submit(BACK)
    node.run(900)
    assert node.slowness == 16 * 3**MOST_TRIES
    assert node.states(2) == ['refused']
    assert node.told[-2].reason.startswith('it could not be planned in time')
    assert node.positions[-1, 0] == 2.5
    node.check_limits()


def test_a_refused_goal_is_answered_and_the_motion_goes_on(model: RobotModel) -> None:
    node = PlannerNode(model)
    node.goals.submit(FAR)
    node.run(60)
    node.goals.submit(OUTSIDE)
    node.run(600)
    assert node.states(2) == ['refused']
    assert node.positions[-1, 0] == 0.8
    node.check_limits()


def test_pause_and_resume_take_effect_at_once(model: RobotModel) -> None:
    node = PlannerNode(model)
    node.goals.submit(FAR)
    node.run(80)
    node.goals.submit(PauseCommand())
    node.run(300)
    assert np.array_equal(node.positions[-1], node.positions[-2])
    assert 0.05 < node.positions[-1, 0] < 0.75
    node.goals.submit(ResumeCommand())
    node.run(600)
    node.check_limits()
    assert node.positions[-1, 0] == 0.8
    assert node.states(1) == ['active', 'paused', 'active', 'reached']


def test_a_goal_that_is_being_planned_is_planned_again_after_a_pause(model: RobotModel) -> None:
    node = PlannerNode(model, 1)
    node.goals.submit(FAR)
    node.run(80)
    node.slowness = 20
    node.goals.submit(BACK)
    node.run(5)
    node.goals.submit(PauseCommand())
    node.run(900)
    node.check_limits()
    assert node.positions[-1, 0] == -0.4


def test_cancel_drops_what_waits(model: RobotModel) -> None:
    node = PlannerNode(model, 10)
    node.goals.submit(FAR)
    node.goals.submit(BACK)
    node.run(2)
    node.goals.submit(CancelCommand())
    node.run(100)
    assert np.array_equal(node.positions, np.tile(model.home, (node.step, 1)))
    assert [status.state for status in node.told] == ['refused', 'refused', 'done']


def test_goals_of_the_list_are_given_at_their_steps(model: RobotModel) -> None:
    goals = (JointsGoal(positions={'joint_1': 0.3}, at=0.2),)
    node = PlannerNode(model, 2, goals)
    node.run(400)
    (active,) = (status for status in node.told if status.state == 'active')
    assert active.listed
    assert 40 <= active.step <= 50
    assert node.positions[-1, 0] == 0.3


def test_a_stopped_robot_takes_no_goal(model: RobotModel) -> None:
    node = PlannerNode(model)
    node.goals.submit(FAR)
    node.run(50)
    node.hold.take(SafetyStatus(CONTROL, 'pressed', 1))
    node.goals.interrupt('the robot was stopped')
    node.goals.submit(BACK)
    node.run(5)
    assert node.states(1) == ['active', 'aborted']
    refused = node.told[-1]
    assert (refused.state, refused.goal) == ('refused', BACK)
    assert refused.reason.startswith('the robot is stopped')


def test_too_many_goals_are_refused(model: RobotModel) -> None:
    node = PlannerNode(model, 10**6)
    for _ in range(MOST_WAITING + 1):
        node.goals.submit(FAR)
    node.goals.publish()
    assert [status.state for status in node.told] == ['refused']


def test_in_lockstep_a_goal_is_answered_at_once(model: RobotModel) -> None:
    node = PlannerNode(model)
    queue = GoalQueue(node)
    queue.on_change = node.told.append
    queue.submit(FAR)
    queue.submit(OUTSIDE)
    assert [status.state for status in node.told] == ['active', 'refused']
