"""A planner that runs ahead says what it would have said, and takes back what no longer holds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from simloop_ros.core.values import NO_INPUTS, ExternalInputs, JointState, Setpoint
from simloop_ros.planning.ahead import Ahead, Waypoint
from simloop_ros.planning.build import build_planner
from simloop_ros.planning.config import OfflineConfig, OnlineConfig
from simloop_ros.planning.planner import Planner
from simloop_ros.robot.model import RobotModel

H = 0.005
LEAD = 7
MOVES = {'sphere': ((0, 0, 0.4),), 'yumi': ((0, 0.3, 0), (0, -0.3, 0))}
STEPS = 200
KINDS = {'online': OnlineConfig, 'offline': OfflineConfig}
FAR = 0.1  # rad, beyond any leash


@pytest.fixture(params=list(MOVES))
def robot(request: pytest.FixtureRequest) -> RobotModel:
    return request.getfixturevalue(request.param)


@pytest.fixture(params=list(KINDS))
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


def planner_of(robot: RobotModel, kind: str) -> Planner:
    start = JointState(robot.home, np.zeros(robot.n))
    config = KINDS[kind](move=MOVES[robot.name])
    return build_planner(config, robot, H, start).planner


def straight(robot: RobotModel, kind: str, steps: int = STEPS) -> list[JointState]:
    """Return the states of a robot that is always where it should be."""
    planner = planner_of(robot, kind)
    states = [JointState(robot.home, np.zeros(robot.n))]
    for _ in range(steps):
        position = planner.step(states[-1], NO_INPUTS).position
        states.append(JointState(position, (position - states[-1].position) / H))
    return states


def assert_same(said: dict[int, Waypoint], states: list[JointState]) -> None:
    for step, state in enumerate(states[1:]):
        np.testing.assert_array_equal(said[step].setpoint.position, state.position)


def test_it_says_the_same_as_without_running_ahead(robot: RobotModel, kind: str) -> None:
    states = straight(robot, kind)
    ahead = Ahead(planner_of(robot, kind), LEAD)
    said: dict[int, Waypoint] = {}
    for step, state in enumerate(states[:-1]):
        new = ahead.answer(step, state)
        assert [point.step for point in new] == (
            list(range(LEAD + 1)) if step == 0 else [step + LEAD]
        )
        said |= {point.step: point for point in new}
    assert_same(said, states)


def test_velocities_are_those_of_the_positions(robot: RobotModel, kind: str) -> None:
    """Of the planner's own simulation exactly, of a list to the rounding of a difference."""
    said = Ahead(planner_of(robot, kind), STEPS).answer(0, straight(robot, kind, 0)[0])
    for before, after in pairwise(point.setpoint for point in said):
        np.testing.assert_allclose(
            after.velocity, (after.position - before.position) / H, rtol=0.0, atol=1e-11
        )


def test_time_goes_on_over_states_that_nobody_saw(robot: RobotModel, kind: str) -> None:
    states = straight(robot, kind)
    ahead = Ahead(planner_of(robot, kind), LEAD)
    said: dict[int, Waypoint] = {}
    for step in (0, 3, 4, 40, 41, 150):  # by less and by more than what was sent ahead
        said |= {point.step: point for point in ahead.answer(step, states[step])}
    for step, point in said.items():
        if step < STEPS:
            np.testing.assert_array_equal(point.setpoint.position, states[step + 1].position)
    assert max(said) == 150 + LEAD


def test_a_robot_that_is_elsewhere_changes_what_was_said(robot: RobotModel) -> None:
    """From there on it is what a planner says that never ran ahead."""
    states = straight(robot, 'online')
    plain, ahead = planner_of(robot, 'online'), Ahead(planner_of(robot, 'online'), LEAD)
    for step in range(50):
        plain.step(states[step], NO_INPUTS)
        ahead.answer(step, states[step])
    held = JointState(states[50].position - FAR, np.zeros(robot.n))
    new = ahead.answer(50, held)
    assert [point.step for point in new] == list(range(50, 51 + LEAD))
    np.testing.assert_array_equal(new[0].setpoint.position, plain.step(held, NO_INPUTS).position)
    for point in new[1:]:
        np.testing.assert_array_equal(
            point.setpoint.position, plain.step(plain.expected, NO_INPUTS).position
        )


def test_a_list_does_not_care_where_the_robot_is(robot: RobotModel) -> None:
    states = straight(robot, 'offline')
    ahead = Ahead(planner_of(robot, 'offline'), LEAD)
    ahead.answer(0, states[0])
    held = JointState(states[0].position - FAR, np.zeros(robot.n))
    assert [point.step for point in ahead.answer(1, held)] == [1 + LEAD]


def test_a_step_is_taken_once_if_the_robot_is_where_it_should_be(robot: RobotModel) -> None:
    states, taken = straight(robot, 'online'), 0
    planner = planner_of(robot, 'online')
    step = planner.step

    def counted(control: JointState, inputs: ExternalInputs) -> Setpoint:
        nonlocal taken
        taken += 1
        return step(control, inputs)

    planner.step = counted  # type: ignore[method-assign]
    ahead = Ahead(planner, LEAD)
    for i, state in enumerate(states[:-1]):
        ahead.answer(i, state)
    assert taken == STEPS + LEAD
