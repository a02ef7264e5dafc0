"""Goals in real time: planned beside the motion, spliced in without a jump, none lost."""

from __future__ import annotations

import numpy as np
from planner_node import H, PlannerNode
import pytest

from simloop_ros.goals.goal import (
    CancelCommand,
    JogGoal,
    JointsGoal,
    PauseCommand,
    ResumeCommand,
)
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.messages.safety_status import CONTROL, SafetyStatus
from simloop_ros.ros.pacing.goal_queue import MOST_TRIES, MOST_WAITING, GoalQueue
from simloop_ros.scenario.loading import load_scenario

FAR = JointsGoal(positions={'joint_1': 0.8})
BACK = JointsGoal(positions={'joint_1': -0.4})
OUTSIDE = JointsGoal(positions={'joint_1': 9.0})


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
    queue = GoalQueue(node, H)
    queue.on_change = node.told.append
    queue.submit(FAR)
    queue.submit(OUTSIDE)
    assert [status.state for status in node.told] == ['active', 'refused']


@pytest.mark.parametrize('slowness', [1, 8])
def test_goals_that_come_together_take_over_one_after_the_other(
    model: RobotModel, slowness: int
) -> None:
    node = PlannerNode(model, 1)
    node.goals.submit(FAR)
    node.run(120)
    node.slowness = slowness
    node.goals.submit(BACK)
    node.goals.submit(JointsGoal(positions={'joint_1': 0.2}))
    node.run(900)
    node.check_limits()
    assert node.positions[-1, 0] == 0.2
    assert node.states(2) == ['active', 'replaced']
    assert node.states(3) == ['active', 'reached']


@pytest.mark.parametrize('command', [CancelCommand(), PauseCommand()])
def test_a_command_counts_for_a_goal_that_is_planned_but_has_not_begun(
    model: RobotModel, command: CancelCommand | PauseCommand
) -> None:
    """At whatever step it comes, and however far ahead the motion was planned."""
    for wait in range(1, 16, 2):
        node = PlannerNode(model, 6)
        node.goals.submit(FAR)
        node.run(120)
        node.goals.submit(BACK)
        node.run(wait)
        node.goals.submit(command)
        node.run(300)
        node.check_limits()
        answered = [status for status in node.told if status.goal == BACK]
        ends = [status.state for status in node.told if status.id == answered[0].id]
        if isinstance(command, CancelCommand):
            assert ends[-1] in ('refused', 'cancelled'), wait
            assert np.array_equal(node.positions[-1], node.positions[-2]), wait
            assert node.positions[-1, 0] > 0.0, wait
        else:
            assert ends[-1] in ('active', 'paused', 'reached'), wait


@pytest.mark.parametrize('slowness', [1, 8])
def test_jogs_that_come_faster_than_they_are_planned_do_not_queue_up(
    model: RobotModel, slowness: int
) -> None:
    node = PlannerNode(model, slowness)
    node.run(5)
    for k in range(100):
        node.goals.submit(JogGoal(joints={'joint_1': 0.1 if k < 60 else -0.2}))
        node.run(4)
    node.check_limits()
    speed = np.diff(node.positions[:, 0]) / H
    assert speed[200:240] == pytest.approx(0.1, abs=1e-6)
    assert speed[-20:] == pytest.approx(-0.2, abs=1e-6)
    node.run(200)
    assert node.positions[-1, 0] == node.positions[-2, 0]
    assert {status.id for status in node.told} == {1}
