"""A robot whose commands do not come: where it goes, and with which efforts."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.values import Array, JointState, Setpoint
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.robot.model import RobotModel
from simloop_ros.safety.config import SafetyConfig
from simloop_ros.safety.follower import MAX_POSITION_ERROR, EffortFollower
from simloop_ros.safety.gate import gravity_effort

H = 0.002  # s
SPEED = np.array([0.4, -0.3])


def following(model: RobotModel, speed: Array = SPEED) -> tuple[EffortFollower, PinocchioPlant]:
    """Return a robot at home that moves, and the follower after its last two commands."""
    follower, plant = EffortFollower(model, H, SafetyConfig()), PinocchioPlant(model, H)
    plant.start(JointState(model.home, speed))
    follower.take(-2, model.home - H * speed)
    follower.take(-1, model.home)
    return follower, plant


def test_it_comes_to_rest_along_the_way_of_the_commands(two_link: RobotModel) -> None:
    follower, plant = following(two_link)
    for step in range(round(SafetyConfig().stop_time / H)):
        assert follower.is_close(plant.truth, step)
        assert not follower.rests(step)
        plant.step(follower.effort(plant.truth, step))
    assert np.abs(plant.truth.velocity).max() < 1e-3
    way = plant.truth.position - two_link.home
    np.testing.assert_allclose(way, 0.5 * SafetyConfig().stop_time * SPEED, rtol=0.02)
    assert follower.rests(round(SafetyConfig().stop_time / H))


def test_a_lost_command_leaves_the_same_velocity(two_link: RobotModel) -> None:
    follower, plant = following(two_link)
    follower.take(3, two_link.home + 4 * H * SPEED)  # three commands were lost
    plant.start(JointState(two_link.home + 4 * H * SPEED, SPEED))
    plant.step(follower.effort(plant.truth, 4))
    np.testing.assert_allclose(plant.truth.velocity, SPEED, rtol=1e-3)


def test_a_robot_that_is_pushed_aside_is_held_by_the_spring(two_link: RobotModel) -> None:
    follower, plant = following(two_link, np.zeros(2))
    aside = np.array([0.01, 0.0])
    effort = follower.effort(JointState(two_link.home + aside, np.zeros(2)), 0)
    gravity = follower.effort(JointState(two_link.home, np.zeros(2)), 0)
    assert effort[0] < gravity[0]
    assert plant.truth is not None


def test_efforts_stay_within_their_limits(two_link: RobotModel) -> None:
    follower, _ = following(two_link, np.zeros(2))
    state = JointState(two_link.home - MAX_POSITION_ERROR, np.full(2, -50.0))
    effort = follower.effort(state, 0)
    assert np.isfinite(effort).all()
    assert (np.abs(effort) <= two_link.effort_limit).all()


def test_a_robot_that_is_elsewhere_does_not_follow(two_link: RobotModel) -> None:
    follower, plant = following(two_link)
    far = JointState(two_link.home + 2 * MAX_POSITION_ERROR, SPEED)
    assert follower.is_close(plant.truth, 0)
    assert not follower.is_close(far, 0)
    assert not follower.is_close(JointState(two_link.home, SPEED + 1.0), 0)


def test_one_command_is_no_motion_yet_and_a_reset_forgets_all(two_link: RobotModel) -> None:
    follower, plant = following(two_link)
    follower.reset()
    assert not follower.is_close(plant.truth, 0)
    follower.take(0, two_link.home)
    assert not follower.is_close(plant.truth, 1)


def test_a_robot_that_floats_is_damped(two_link: RobotModel) -> None:
    follower, plant = following(two_link)
    follower.take(0, None)
    assert follower.is_close(plant.truth, 1)
    before = plant.truth.velocity
    plant.step(follower.effort(plant.truth, 1))
    damped = before * (1.0 - 1.5 / SafetyConfig().stop_time * H)
    assert plant.truth.velocity == pytest.approx(damped, rel=1e-9)


def test_a_load_that_the_commands_bear_is_borne_when_they_are_late(two_link: RobotModel) -> None:
    """It is beyond the model; without the memory of it the arm would sag by ``b/(M w^2)``."""
    load, still = np.array([5.0, 2.0]), np.zeros(2)
    follower, _ = following(two_link, still)
    rest = JointState(two_link.home, still)
    gravity = follower.effort(rest, 0)
    for step in range(100):
        follower.take(step, two_link.home)
        follower.learn(rest, gravity + load)
    np.testing.assert_allclose(follower.effort(rest, 100), gravity + load, atol=1e-3)
    faded = follower.effort(rest, 100 + round(SafetyConfig().stop_time / H))
    np.testing.assert_allclose(faded, gravity, atol=1e-9)


def test_a_plan_is_followed_where_it_leads(two_link: RobotModel) -> None:
    """It turns round: the velocity of the last commands alone would lead elsewhere."""
    follower, plant = following(two_link)
    bend = np.array([-4.0, 3.0])  # rad/s^2

    def planned(step: int) -> Array:
        time = (step + 1) * H
        return two_link.home + 0.1 + time * SPEED + 0.5 * time * (time + H) * bend

    for step in range(-2, 20):
        velocity = SPEED + (step + 1) * H * bend
        follower.plan(step, Setpoint(planned(step), velocity))
    for step in range(20):
        assert follower.is_close(plant.truth, step)
        plant.step(follower.effort(plant.truth, step))
    np.testing.assert_allclose(plant.truth.position, planned(19) - 0.1, atol=2e-4)
    assert not follower.rests(20)
    follower.stop(20)
    follower.plan(25, Setpoint(planned(25), SPEED))
    assert not follower.rests(20 + round(0.9 * SafetyConfig().stop_time / H))
    assert follower.rests(21 + round(SafetyConfig().stop_time / H))


def test_commands_beside_the_plan_keep_their_distance_and_velocity(two_link: RobotModel) -> None:
    follower, _ = following(two_link)
    slower = 0.5 * SPEED
    for step in range(-2, 10):
        follower.plan(step, Setpoint(two_link.home + (step + 1) * H * slower, slower))
    near = follower.destination(3)
    assert near is not None
    np.testing.assert_allclose(near - two_link.home, 4 * H * SPEED, rtol=1e-3)


def test_commands_on_the_plan_with_a_gap_between_them_stay_on_it(two_link: RobotModel) -> None:
    """The mean velocity over the gap is not that at its end."""
    follower, _ = following(two_link, np.zeros(2))
    bend = np.array([-4.0, 3.0])  # rad/s^2

    def planned(step: int) -> Array:
        time = (step + 1) * H
        return two_link.home + 0.5 * time * (time + H) * bend

    for step in range(-2, 30):
        follower.plan(step, Setpoint(planned(step), (step + 1) * H * bend))
    for step in (0, 10):
        follower.take(step, planned(step))
    far = follower.destination(20)
    assert far is not None
    np.testing.assert_allclose(far, planned(20), atol=1e-9)


def test_efforts_that_are_planned_lead_nowhere(two_link: RobotModel) -> None:
    follower, _ = following(two_link)
    coasting = follower.destination(5)
    follower.plan(-2, Setpoint(two_link.home, 9.0 * SPEED))
    follower.plan(3, Setpoint(two_link.home, SPEED, effort=SPEED))
    np.testing.assert_array_equal(follower.destination(5), coasting)


def test_a_hand_that_pushes_a_robot_aside_feels_a_bounded_spring(two_link: RobotModel) -> None:
    follower, _ = following(two_link, np.zeros(2))
    aside = [JointState(two_link.home + x, np.zeros(2)) for x in (MAX_POSITION_ERROR, 0.3, 0.5)]
    assert not follower.is_close(aside[1], 0)
    assert follower.is_close(aside[1], 0, follows=True)
    gravity = [
        follower.effort(state, 0) - gravity_effort(two_link, state.position) for state in aside
    ]
    np.testing.assert_allclose(np.abs(gravity[1]), np.abs(gravity[2]), rtol=0.5)
    assert np.abs(gravity[2]).max() < 2.0 * np.abs(gravity[0]).max()


@pytest.mark.parametrize('huge', [1e306, 1e200])
def test_numbers_that_overflow_lead_nowhere(two_link: RobotModel, huge: float) -> None:
    follower, plant = following(two_link)
    with np.errstate(over='ignore', invalid='ignore'):
        follower.take(0, np.full(2, huge))
        follower.learn(plant.truth, np.zeros(2))
        assert not follower.is_close(plant.truth, 1)
        follower.take(1, two_link.home)
        follower.take(2, two_link.home)
        effort = follower.effort(JointState(two_link.home, np.zeros(2)), 3)
    assert np.isfinite(effort).all()


def test_a_command_that_was_cut_to_the_limits_teaches_nothing(two_link: RobotModel) -> None:
    """Else one glitch would be full effort in the next late period."""
    follower, plant = following(two_link, np.zeros(2))
    usual = follower.effort(plant.truth, 0)
    follower.take(0, two_link.home + 1.0)
    follower.learn(plant.truth, two_link.effort_limit)
    follower.take(1, two_link.home)
    follower.take(2, two_link.home)
    np.testing.assert_allclose(follower.effort(plant.truth, 3), usual, rtol=0.2)


def test_a_motion_that_is_predicted_to_rest_is_followed_there_even_when_stopped(
    two_link: RobotModel,
) -> None:
    """It turns aside on its way to rest, which a robot that only coasted would not."""
    follower, plant = following(two_link)
    end = two_link.home + np.array([0.02, 0.01])
    for step in (-2, -1, 0):
        follower.plan(step, Setpoint(two_link.home + (step + 1) * H * SPEED, SPEED))
    for step, position, velocity in ((50, end, 0.0 * SPEED), (0, two_link.home, SPEED)):
        follower.plan(step, Setpoint(position, velocity, predicted=True))
    follower.take(0, two_link.home + H * SPEED)
    plant.step(follower.effort(plant.truth, 0))
    assert follower.bears
    follower.stop(1)
    for step in range(1, 52):
        assert not follower.rests(step - 1)
        plant.step(follower.effort(plant.truth, step))
    assert follower.rests(52)
    np.testing.assert_allclose(plant.truth.position, end + H * SPEED, atol=2e-4)
    assert np.abs(plant.truth.velocity).max() < 0.02


def test_a_stop_brakes_along_the_path_at_once(two_link: RobotModel) -> None:
    """The motion is predicted to go on for 0.2 s before it brakes."""
    stop, T = 10, SafetyConfig().stop_time
    brakes = round(0.2 / H)
    way = 0.2 + 0.5 * T
    ways = []
    for stops in (False, True):
        follower, plant = following(two_link)
        for step in (-2, -1, 0):
            follower.plan(step, Setpoint(two_link.home + (step + 1) * H * SPEED, SPEED))
        rest = two_link.home + way * SPEED
        for step, position, velocity in (
            (brakes + round(T / H), rest, 0.0 * SPEED),
            (brakes, two_link.home + 0.2 * SPEED, SPEED),
            (0, two_link.home, SPEED),
        ):
            follower.plan(step, Setpoint(position, velocity, predicted=True))
        follower.take(0, two_link.home + H * SPEED)
        for step in range(stop + round(T / H)):
            if step == stop and stops:
                follower.stop(step)
            assert not follower.rests(step)
            plant.step(follower.effort(plant.truth, step))
        assert follower.rests(stop + round(T / H)) == stops
        ways.append((plant.truth.position - two_link.home) / SPEED)
        assert bool(np.abs(plant.truth.velocity).max() < 0.01) == stops
    np.testing.assert_allclose(ways[1], stop * H + 0.5 * T, rtol=0.1)
    assert (ways[1] < 0.75 * ways[0]).all()


def test_a_robot_that_is_pushed_away_drags_its_reference_along(two_link: RobotModel) -> None:
    """A hand leads it 0.3 rad away, faster than any reference, and lets go."""
    follower, plant = following(two_link, np.zeros(2))
    speed = np.array([2.0, 0.0])
    for step in range(75):
        state = JointState(two_link.home + (step + 1) * H * speed, speed)
        assert follower.is_close(state, step, follows=True)
        effort = follower.effort(state, step)
        assert effort[0] < 0.0  # against the hand
    plant.start(JointState(state.position, np.zeros(2)))
    for step in range(75, 225):
        plant.step(follower.effort(plant.truth, step))
    back = state.position[0] - plant.truth.position[0]
    assert 0.0 <= back <= MAX_POSITION_ERROR


def test_a_force_that_the_commands_bear_does_not_win_when_one_is_late(
    two_link: RobotModel,
) -> None:
    """A hand holds the robot 0.1 rad from its reference, further than the spring grows."""
    follower, _ = following(two_link, np.zeros(2))
    away = JointState(two_link.home + 0.1, np.zeros(2))
    borne = gravity_effort(two_link, away.position) - np.array([9.0, 4.0])
    for step in range(100):
        follower.take(step, two_link.home)
        follower.learn(away, borne)
    assert follower.is_close(away, 100)
    assert not follower.is_close(JointState(away.position, SPEED + 1.0), 100)
    np.testing.assert_allclose(follower.effort(away, 100), borne, rtol=0.01)


def test_a_late_command_does_not_draw_back_a_robot_that_was_pushed_away(
    two_link: RobotModel,
) -> None:
    """Its desired position counts, not as a jump of the reference that was dragged along."""
    follower, _ = following(two_link, np.zeros(2))
    away = JointState(two_link.home + 0.3, np.zeros(2))
    before = [follower.effort(away, step) for step in range(10)][-1]
    follower.take(8, two_link.home)
    np.testing.assert_allclose(follower.effort(away, 10), before, rtol=0.01)
