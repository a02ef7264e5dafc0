"""Hand guiding: follows a hand, and stays where the hand leaves the robot."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.values import NO_INPUTS, JointState
from simloop_ros.planning.build import build_planner
from simloop_ros.planning.config import GuidingConfig
from simloop_ros.planning.hand_guiding import HandGuiding
from simloop_ros.robot.model import RobotModel

AtHome = Callable[[RobotModel], JointState]

H = 0.005
THRESHOLD = 1e-3  # rad
TARE = 50  # steps
RESTING = np.array([4e-4, -3e-4])  # rad: where the model error leaves this robot
ROUNDING = 1e-15  # rad: of a difference of such numbers


def at(position: np.ndarray) -> JointState:
    return JointState(position, np.zeros_like(position))


def tared(threshold: float = THRESHOLD) -> HandGuiding:
    """Return hand guiding around zero that has learnt the resting offset."""
    guiding = HandGuiding(at(np.zeros(2)), threshold, TARE)
    for _ in range(TARE):
        guiding.step(at(RESTING), NO_INPUTS)
    return guiding


def test_without_a_threshold_it_is_where_the_robot_is() -> None:
    guiding = HandGuiding(at(np.zeros(2)), 0.0, TARE)
    for position in np.random.default_rng(0).normal(size=(20, 2)):
        np.testing.assert_array_equal(guiding.step(at(position), NO_INPUTS).position, position)


def test_the_tare_is_the_mean_of_what_was_seen() -> None:
    """With noise too, but for the first, when the robot has not sunk yet; the position is held."""
    seen = RESTING + np.random.default_rng(1).normal(scale=1e-4, size=(TARE, 2))
    guiding = HandGuiding(at(np.zeros(2)), THRESHOLD, TARE)
    for position in seen:
        np.testing.assert_array_equal(guiding.step(at(position), NO_INPUTS).position, 0.0)
    np.testing.assert_allclose(guiding.snapshot().resting, seen[1:].mean(axis=0), atol=ROUNDING)
    guiding.step(at(seen[0]), NO_INPUTS)
    np.testing.assert_allclose(guiding.snapshot().resting, seen[1:].mean(axis=0), atol=ROUNDING)


@pytest.mark.parametrize('joint', [0, 1])
@pytest.mark.parametrize('side', [-1.0, 1.0])
def test_the_threshold_counts_from_rest_in_both_directions(joint: int, side: float) -> None:
    push = np.zeros(2)
    push[joint] = side * THRESHOLD
    guiding = tared()
    np.testing.assert_array_equal(guiding.step(at(RESTING + 0.99 * push), NO_INPUTS).position, 0.0)
    np.testing.assert_allclose(
        guiding.step(at(RESTING + 1.01 * push), NO_INPUTS).position,
        1.01 * push,
        rtol=0.0,
        atol=ROUNDING,
    )


def test_a_robot_that_is_let_go_does_not_creep() -> None:
    """Untouched, it rests as far from the held position as at the start: nothing to follow."""
    guiding = tared()
    held = guiding.step(at(np.array([0.3, -0.2])), NO_INPUTS).position
    for _ in range(1000):
        np.testing.assert_array_equal(guiding.step(at(held + RESTING), NO_INPUTS).position, held)


def test_memory_goes_back() -> None:
    guiding = tared()
    positions = np.random.default_rng(2).normal(scale=THRESHOLD, size=(40, 2))
    memory = guiding.snapshot()
    first = [guiding.step(at(position), NO_INPUTS).position for position in positions]
    guiding.restore(memory)
    np.testing.assert_array_equal(
        [guiding.step(at(position), NO_INPUTS).position for position in positions], first
    )


def test_restarted_it_stays_there_and_knows_what_it_learnt() -> None:
    guiding = tared()
    place = np.array([0.5, 0.6])
    assert guiding.restart(at(place))
    np.testing.assert_array_equal(guiding.step(at(place + RESTING), NO_INPUTS).position, place)
    np.testing.assert_array_equal(
        guiding.step(at(place + RESTING + 0.9 * THRESHOLD), NO_INPUTS).position, place
    )


def guide(robot: RobotModel, planner: GuidingConfig, pushes: list[float]) -> np.ndarray:
    """Return where a robot 10 % heavier than its model goes under pushes [N], a step each."""
    heavier = robot.with_mass_bias(0.1).pin_model
    data = heavier.createData()
    control = ControlSimulation(robot, ControlConfig(), H)
    guiding = build_planner(planner, robot, H, control.state).planner
    q, v = robot.home, np.zeros(robot.n)
    path = [q]
    for push in pushes:
        command = control.step(guiding.step(control.state, NO_INPUTS))
        v = v + H * pin.aba(heavier, data, q, v, command.effort + push)
        q = q + H * v
        control.rollback(command, q)
        path.append(q)
    return np.array(path)[:, 0]


def test_000_drifts_by_its_model_error(sphere: RobotModel) -> None:
    """Threshold 0, section 6.1.4: each step falls by ``e h^2``, so it sinks at ``e h``.

    A robot of mass 1.1 m held by the effort for m is accelerated by ``e = -g 0.1/1.1``; what
    brakes it, computed for m, does so by 1/1.1 of its speed in a step: ``v = -(e h) 1.1``.
    """
    steps = 600
    path = guide(sphere, GuidingConfig(), [0.0] * steps)
    sinking = -9.82 * 0.1 / 1.1 * H * 1.1
    speed = np.diff(path[-100:]) / H
    np.testing.assert_allclose(speed, sinking, rtol=1e-6)


def test_with_a_threshold_a_push_counts_the_same_both_ways_and_nothing_creeps(
    sphere: RobotModel,
) -> None:
    planner = GuidingConfig(threshold=2.0)
    quiet, pushed = [0.0] * 100, 100
    moved = {}
    for force in (10.0, -10.0):
        path = guide(sphere, planner, quiet + [force] * pushed + quiet * 3)
        moved[force] = path[-1] - path[len(quiet)]
        after = path[len(quiet) + pushed + 20 :]
        np.testing.assert_allclose(after, after[-1], rtol=0.0, atol=1e-12)
    assert moved[10.0] > 10.0 * 2.0 * H**2
    # The tare's first step sees a robot that has not sunk yet: the mean is short by one share.
    resting, tare_steps = 9.82 * 0.1 * H**2, round(planner.tare_time / H)
    assert abs(moved[10.0] + moved[-10.0]) <= 2.01 * pushed * resting / tare_steps
    # Below the threshold of 2 m/s^2 on 1 kg, a push leaves no trace.
    path = guide(sphere, planner, quiet + [1.0] * pushed + quiet)
    assert path[-1] == pytest.approx(path[len(quiet)], abs=1e-12)
