"""Setpoints within the speed and acceleration of the joints, and a robot that has to follow."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.errors import UnsafeCommandError
from simloop_ros.core.values import Array, Setpoint
from simloop_ros.robot.model import RobotModel
from simloop_ros.safety.config import MAX_ACCELERATION, SafetyConfig
from simloop_ros.safety.setpoint_gate import SetpointGate

H = 0.002
SAFETY = SafetyConfig().resolved(real=True)
ROUNDING = 1e-9


@pytest.fixture
def gate(two_link: RobotModel) -> SetpointGate:
    return SetpointGate(two_link, H, SAFETY)


def passed(gate: SetpointGate, positions: Array, start: Array) -> Array:
    """Return what leaves the gate; velocities are those of the positions."""
    velocities = np.gradient(positions, H, axis=0)
    pairs = zip(positions, velocities, strict=True)
    return np.array([gate.let_pass(Setpoint(q, v), start).position for q, v in pairs])


def test_a_motion_within_the_limits_is_passed_on_as_it_is(
    gate: SetpointGate, two_link: RobotModel
) -> None:
    t = H * np.arange(1, 2000)[:, None]
    positions = two_link.home + 0.3 * (1.0 - np.cos(3.0 * t))
    np.testing.assert_array_equal(passed(gate, positions, two_link.home), positions)
    assert gate.limited == 0


@pytest.mark.parametrize('jump', [1e-3, 0.05, -1.0])
@pytest.mark.parametrize('speed', [0.0, 0.5])
def test_a_jump_is_caught_up_with_within_the_limits(
    gate: SetpointGate, two_link: RobotModel, jump: float, speed: float
) -> None:
    steps = np.arange(1, 2000)[:, None]
    ramp = np.minimum(1.0, steps * H / 0.1)
    positions = two_link.home + speed * H * np.cumsum(ramp * np.ones(2), axis=0)
    positions[300:] += jump
    path = passed(gate, positions, two_link.home)
    velocities = np.diff(path, axis=0) / H
    assert (np.abs(velocities) <= two_link.velocity_limit + ROUNDING).all()
    accelerations = np.diff(velocities, axis=0) / H
    assert np.abs(accelerations).max() <= MAX_ACCELERATION * (1.0 + ROUNDING)
    np.testing.assert_allclose(path[:300], positions[:300], rtol=0.0, atol=0.0)
    np.testing.assert_allclose(path[-500:-1], positions[-500:-1], atol=1e-9)
    over = np.abs(path[300:] - positions[300:]).max()
    assert over <= 1.05 * abs(jump) + 1e-3  # it does not swing much beyond


def test_the_first_setpoint_and_one_that_starts_anew_begin_where_the_robot_is(
    gate: SetpointGate, two_link: RobotModel
) -> None:
    most = MAX_ACCELERATION * H * H * (1.0 + ROUNDING)
    away = Setpoint(two_link.home + 0.5, np.zeros(2))
    first = gate.let_pass(away, two_link.home)
    assert np.abs(first.position - two_link.home).max() <= most
    elsewhere = two_link.home + 0.2
    again = gate.let_pass(Setpoint(away.position, np.zeros(2), restart=True), elsewhere)
    assert again.restart
    assert np.abs(again.position - elsewhere).max() <= most
    here = Setpoint(elsewhere, np.zeros(2), restart=True)
    assert gate.let_pass(here, elsewhere) is here


def test_an_effort_passes(gate: SetpointGate, two_link: RobotModel) -> None:
    floating = Setpoint(two_link.home, np.zeros(2), effort=np.ones(2))
    assert gate.let_pass(floating, two_link.home) is floating
    gate.check_tracking(two_link.home + 1.0)  # there is no setpoint to follow


def test_a_robot_that_does_not_follow_is_noticed(gate: SetpointGate, two_link: RobotModel) -> None:
    gate.let_pass(Setpoint(two_link.home, np.zeros(2)), two_link.home)
    gate.check_tracking(two_link.home + 0.99 * SAFETY.tracking_error)
    with pytest.raises(UnsafeCommandError, match=r'0.21 from its setpoint; 0.2 '):
        gate.check_tracking(two_link.home + np.array([0.0, -0.21]))
    gate.reset()
    gate.check_tracking(two_link.home + 1.0)


def test_a_simulated_robot_may_be_held(two_link: RobotModel) -> None:
    gate = SetpointGate(two_link, H, SafetyConfig())
    gate.let_pass(Setpoint(two_link.home, np.zeros(2)), two_link.home)
    gate.check_tracking(two_link.home + 10.0)
