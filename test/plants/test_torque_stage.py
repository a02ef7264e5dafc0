"""The torque stage: 001 (3), from the equations of motor and gear."""

import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.plants.config import TorqueControl
from simloop_ros.plants.torque_stage import TorqueStage
from simloop_ros.robot.flexible_joints import FlexibleJoints

JOINTS = FlexibleJoints(np.array([3.0, 0.4]), np.array([1e4, 6e3]), np.array([3.0, 1.0]))
FREQUENCY = 500.0
RATIOS = [0.3, 0.8, 1.0 - 1e-5, 1.0 - 1e-8, 1.0, 1.0 + 1e-8, 1.0 + 1e-5, 1.5, 40.0]


def stage(ratio: float = 0.8, frequency: float = FREQUENCY) -> TorqueStage:
    return TorqueStage(JOINTS, TorqueControl(frequency, ratio))


def exponential(matrix: np.ndarray) -> np.ndarray:
    """Return the matrix exponential, by scaling and squaring of its series."""
    small, power, total = matrix / 2.0**20, np.eye(len(matrix)), np.eye(len(matrix))
    for k in range(1, 8):
        power = power @ small / k
        total = total + power
    return np.linalg.matrix_power(total, 2**20)


@pytest.mark.parametrize('ratio', RATIOS)
@pytest.mark.parametrize('time', [1e-5, 0.001, 0.02])
def test_the_solution_of_3_is_the_exponential_of_its_matrix(ratio, time):
    """The third state is the integral of the error; squaring 20 times loses six digits."""
    go = stage(ratio).transition(time)
    rows = [[0.0, 1.0, 0.0], [-(FREQUENCY**2), -2.0 * ratio * FREQUENCY, 0.0], [1.0, 0.0, 0.0]]
    # In units of a millisecond, in which all are of the same size.
    units = np.diag([1.0, 1e3, 1e-3])
    expected = exponential(np.linalg.inv(units) @ np.array(rows) @ units * time)
    expected = units @ expected @ np.linalg.inv(units)
    scale = np.abs(expected).max(axis=1)
    found = [[go.position, go.rate], [go.slope, go.decay], [go.mean * time, go.mean_rate * time]]
    for row, wanted, size in zip(found, expected[:, :2], scale, strict=True):
        assert row == pytest.approx(wanted, rel=1e-6, abs=1e-9 * size)


@pytest.mark.parametrize('ratio', RATIOS)
def test_it_is_finite_after_any_time(ratio):
    for time in (1e-12, 1.0, 1e6):
        go = stage(ratio, 1e5).transition(time)
        assert np.isfinite([go.position, go.rate, go.slope, go.decay, go.mean]).all()
        assert abs(go.position) <= 1.0


def test_the_motor_torque_makes_the_error_obey_3():
    """Newton for the motor and twice the derivative of the gear's torque give (3) back."""
    rng = np.random.default_rng(0)
    some = stage()
    for _ in range(50):
        desired, torque, rate, acceleration = rng.normal(size=(4, 2)) * [[30], [30], [1e3], [20]]
        motor = some.motor_torque(desired, torque, rate, acceleration)
        gear = torque + JOINTS.damping / JOINTS.stiffness * rate
        second = JOINTS.stiffness * ((motor - gear) / JOINTS.motor_inertia - acceleration)
        gain = some.stiffness + JOINTS.stiffness / JOINTS.motor_inertia
        terms = np.array([second, some.damping * rate, gain * (torque - desired)])
        assert np.abs(terms.sum(axis=0)).max() < 1e-9 * np.abs(terms).max()


def test_gains_are_positive_and_make_the_frequency_and_the_damping():
    some = stage(0.7)
    assert some.stiffness.min() > 0.0
    for k in range(2):
        gain = some.stiffness[k] + JOINTS.stiffness[k] / JOINTS.motor_inertia[k]
        poles = np.roots([1.0, some.damping, gain])
        assert np.abs(poles) == pytest.approx([FREQUENCY] * 2)
        assert -poles.real / np.abs(poles) == pytest.approx([0.7] * 2)


def test_a_frequency_below_that_of_a_motor_on_its_gear_is_refused():
    lowest = np.sqrt(6e3 / 0.4)
    stage(frequency=1.001 * lowest)
    with pytest.raises(ConfigError, match='above that of every motor'):
        stage(frequency=0.999 * lowest)
