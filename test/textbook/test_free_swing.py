"""Energy in free swing: kept to the order of the integrator, shown by halving the step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import JointState
from simloop_ros.robot.model import RobotModel
from textbook.free_swing import Swing, free_swing, runge_kutta, semi_implicit_euler
from textbook.read_arm import read_arm
from textbook.two_link import (
    kinetic_energy,
    lagrange,
    point_masses,
    potential_energy,
    rods,
)

DURATION = 2.0
HANGING = np.array([-np.pi / 2.0, 0.0])
STARTS = {'horizontal': [0.0, 0.0], 'bent': [-1.07, 0.3], 'lifted': [0.9, -1.5]}
each_start = pytest.mark.parametrize('start', STARTS.values(), ids=STARTS)


def at_rest(theta: list[float]) -> JointState:
    return JointState(np.array(theta), np.zeros(2))


def orders(
    swing: Callable[[float], Swing], steps: list[float], two_link: RobotModel
) -> np.ndarray:
    """Return the order that each halving of the step shows."""
    arm = read_arm(two_link)
    errors = np.array([swing(step).energy_error(arm) for step in steps])
    return np.log2(errors[:-1] / errors[1:])


@each_start
def test_plant_keeps_energy_to_first_order(start: list[float], two_link: RobotModel) -> None:
    found = orders(
        lambda h: free_swing(semi_implicit_euler(two_link, h), at_rest(start), h, DURATION),
        [1 / 400, 1 / 800, 1 / 1600, 1 / 3200],
        two_link,
    )
    np.testing.assert_allclose(found, 1.0, atol=0.1)


@each_start
def test_runge_kutta_keeps_energy_to_fourth_order(
    start: list[float], two_link: RobotModel
) -> None:
    arm = read_arm(two_link)
    found = orders(
        lambda h: free_swing(runge_kutta(arm, h), at_rest(start), h, DURATION),
        [1 / 100, 1 / 200, 1 / 400],
        two_link,
    )
    np.testing.assert_allclose(found[-1], 4.0, atol=0.35)


def test_both_find_the_same_motion(two_link: RobotModel) -> None:
    """Pinocchio with small steps comes to the closed forms, in proportion to the step."""
    arm, start = read_arm(two_link), at_rest([-1.07, 0.3])
    h = 1 / 200
    true = free_swing(runge_kutta(arm, h), start, h, 1.0).theta[-1]
    away = []
    for parts in (8, 16):
        step = h / parts
        end = free_swing(semi_implicit_euler(two_link, step), start, step, 1.0).theta[-1]
        away.append(float(np.abs(end - true).max()))
    assert away[1] < 2e-3
    assert away[0] / away[1] == pytest.approx(2.0, abs=0.05)


def test_a_small_swing_has_the_period_of_a_pendulum() -> None:
    """A link so light that it does not count leaves a rod: ``T = 2 pi sqrt(2 l/(3 g))``."""
    arm = rods(1.0, 1e-9, 1.5, 0.1, g=9.81)
    h, amplitude = 1 / 500, 0.01
    swing = free_swing(runge_kutta(arm, h), at_rest([amplitude - np.pi / 2.0, 0.0]), h, 4.0)
    away = swing.theta[:, 0] + np.pi / 2.0
    downward = np.flatnonzero((away[:-1] > 0.0) & (away[1:] <= 0.0))
    crossings = swing.time[downward] + h * away[downward] / (away[downward] - away[downward + 1])
    period = 2.0 * np.pi * np.sqrt(2.0 * 1.5 / (3.0 * 9.81))
    assert np.diff(crossings) == pytest.approx(period * (1.0 + amplitude**2 / 16.0), rel=1e-6)


def test_a_double_pendulum_swings_in_its_two_modes() -> None:
    """Equal masses and lengths: ``omega^2 = (2 -+ sqrt 2) g/d`` and ``theta_1 + theta_2`` is
    ``+-sqrt 2`` times ``theta_1``; the textbook's modes of small swings."""
    g, d, amplitude = 9.81, 0.8, 1e-4
    arm = point_masses(1.0, 1.0, d, d, g=g)
    for sign in (1.0, -1.0):
        omega = np.sqrt((2.0 - sign * np.sqrt(2.0)) * g / d)
        shape = amplitude * np.array([1.0, sign * np.sqrt(2.0) - 1.0])
        start = at_rest(list(HANGING + shape))
        swing = free_swing(runge_kutta(arm, 1 / 200), start, 1 / 200, 2.0)
        expected = np.cos(omega * swing.time)[:, None] * shape
        found = swing.theta - HANGING
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-4 * amplitude)


def test_no_torque_acts_in_a_free_swing(two_link: RobotModel) -> None:
    """The accelerations of the motion itself, by differences, need none."""
    arm, h = read_arm(two_link), 1 / 1000
    swing = free_swing(runge_kutta(arm, h), at_rest([0.0, 0.0]), h, 0.5)
    v = swing.velocity
    acceleration = (8.0 * (v[3:-1] - v[1:-3]) - v[4:] + v[:-4]) / (12.0 * h)
    parts = lagrange(arm, swing.theta[2:-2], v[2:-2], acceleration)
    assert np.abs(parts.gravity).max() > 10.0
    np.testing.assert_allclose(parts.torque, 0.0, atol=1e-6)


def test_energy_is_kinetic_and_potential(two_link: RobotModel) -> None:
    arm = read_arm(two_link)
    swing = free_swing(runge_kutta(arm, 0.01), at_rest([0.0, 0.0]), 0.01, 0.1)
    assert swing.time.shape == (11,)
    assert swing.time[-1] == pytest.approx(0.1)
    kinetic = kinetic_energy(arm, swing.theta, swing.velocity)
    np.testing.assert_array_equal(swing.energy(arm), kinetic + potential_energy(arm, swing.theta))
    assert kinetic[-1] > 0.1


@pytest.mark.parametrize(
    ('step', 'duration', 'message'),
    [
        (0.0, 1.0, 'give a step above 0'),
        (-0.1, 1.0, 'give a step above 0'),
        (0.1, float('nan'), 'a duration that is not shorter'),
        (0.1, float('inf'), 'a duration that is not shorter'),
        (0.3, 1.0, r'give 0\.9 s, or steps of 0\.333333 s'),
    ],
)
def test_bad_steps_are_refused(step: float, duration: float, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        free_swing(lambda state: state, at_rest([0.0, 0.0]), step, duration)
