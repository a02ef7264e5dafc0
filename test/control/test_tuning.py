"""The rules that tune the laws, against the loops that they are for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.control.tuning import (
    BANDWIDTH_TIMES_PERIOD,
    GAIN_MARGIN,
    INTEGRAL_SHARE,
    POSE_MARGIN,
    JointGains,
    bearable_frequency,
    coupling,
    gain_limit,
    integral_pole,
    joint_inertia,
    nominal_bandwidth,
    observer_bandwidth,
    pd_gains,
    pid_gains,
)
from simloop_ros.core.values import NO_INPUTS, JointState, Setpoint
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario

H = 0.005
ROUNDING = 1e-9
RULES = {'pd': pd_gains, 'pid': pid_gains}
ROBOTS = ('sphere', 'two_link', 'lwr', 'yumi')


def inertia_of(robot: RobotModel) -> np.ndarray:
    """Return M at home."""
    upper = np.triu(pin.crba(robot.pin_model, robot.pin_model.createData(), robot.home))
    return upper + np.triu(upper, 1).T


def radius(inertia: np.ndarray, gains: JointGains, h: float) -> float:
    """Return the spectral radius of the sampled loop ``(q, v, z)`` about a pose at rest."""
    n = len(inertia)
    one, zero = np.eye(n), np.zeros((n, n))
    inverse = np.linalg.inv(inertia)
    # z+ = z - h K_i q;  v+ = v + h M^-1 (z+ - K_p q - K_v v);  q+ = q + h v+
    z = np.hstack((-h * np.diag(gains.integral), zero, one))
    pd = np.hstack((-np.diag(gains.stiffness), -np.diag(gains.damping), zero))
    v = np.hstack((zero, one, zero)) + h * inverse @ (z + pd)
    q = np.hstack((one, zero, zero)) + h * v
    loop = np.vstack((q, v, z))
    if not gains.integral.any():
        loop = loop[: 2 * n, : 2 * n]
    return float(np.abs(np.linalg.eigvals(loop)).max())


def times(gains: JointGains, factor: float) -> JointGains:
    return JointGains(factor * gains.stiffness, factor * gains.damping, factor * gains.integral)


@pytest.mark.parametrize('name', ROBOTS)
def test_the_inertia_is_that_of_one_motor_and_joints_that_are_free(
    shipped: Callable[[str], RobotModel], name: str
) -> None:
    """A unit torque on one joint makes the acceleration ``1/d`` there: forward dynamics says."""
    robot = shipped(name)
    data, still = robot.pin_model.createData(), np.zeros(robot.n)
    weight = pin.computeGeneralizedGravity(robot.pin_model, data, robot.home)
    found = [
        pin.aba(robot.pin_model, data, robot.home, still, weight + torque)[j]
        for j, torque in enumerate(np.eye(robot.n))
    ]
    np.testing.assert_allclose(joint_inertia(robot), 1.0 / np.array(found), rtol=1e-6)


def test_joints_that_do_not_feel_each_other_are_not_coupled(sphere: RobotModel) -> None:
    np.testing.assert_allclose(coupling(sphere, joint_inertia(sphere)), 1.0, rtol=ROUNDING)


@pytest.mark.parametrize('name', ROBOTS)
def test_eigenvalues_of_the_coupling(shipped: Callable[[str], RobotModel], name: str) -> None:
    """Each ``d_j`` is ``1/(M^-1)_jj``, so their sum is the number of joints."""
    robot = shipped(name)
    inertia = joint_inertia(robot)
    eigenvalues = coupling(robot, inertia)
    direct = np.linalg.eigvals(np.linalg.solve(inertia_of(robot), np.diag(inertia)))
    np.testing.assert_allclose(eigenvalues, np.sort(direct.real), rtol=1e-6)
    assert eigenvalues.sum() == pytest.approx(robot.n)


@pytest.mark.parametrize('pole', [0.0, 0.05, 0.2])
@pytest.mark.parametrize('w', [10.0, 60.0])
def test_the_limit_of_the_gain_is_where_the_loop_becomes_unstable(w: float, pole: float) -> None:
    unit = (1.0 + 2.0 * pole) * w**2, (2.0 + pole) * w, pole * w**3
    gains = JointGains(*(np.array([gain]) for gain in unit))
    limit = gain_limit(H, *unit)
    one = np.eye(1)
    assert radius(one, times(gains, 0.99 * limit), H) < 1.0
    assert radius(one, times(gains, 1.01 * limit), H) > 1.0


@pytest.mark.parametrize('frequency', [20.0, 60.0, 120.0])
@pytest.mark.parametrize('name', ROBOTS)
@pytest.mark.parametrize('rule', RULES)
def test_at_home_every_gain_may_be_four_times_or_half_as_large(
    shipped: Callable[[str], RobotModel], rule: str, name: str, frequency: float
) -> None:
    """All joints at once, as they are coupled; less a hundredth, which rounding may take."""
    robot = shipped(name)
    gains, inertia = RULES[rule](robot, H, frequency, 1.0), inertia_of(robot)
    for factor in (1.0, 0.99 * GAIN_MARGIN * POSE_MARGIN, 1.01 / GAIN_MARGIN):
        assert radius(inertia, times(gains, factor), H) < 1.0, factor


def test_where_yumi_goes_every_gain_may_still_grow_by_the_half(yumi: RobotModel) -> None:
    """At the end of ``yumi_step`` the joints are coupled twice as much as at home."""
    motion = assemble(load_scenario('yumi_offline'))
    planner = motion.loop.planner
    for _ in range(motion.facts.steps):
        goal = planner.step(motion.loop.control.state, NO_INPUTS).position
    motion.loop.plant.close()
    there = replace(yumi, home=goal)
    for rule in RULES.values():
        gains = rule(yumi, H, nominal_bandwidth(H), 1.0)
        assert radius(inertia_of(there), times(gains, 1.5), H) < 1.0


def test_gains_of_a_slow_loop_are_those_of_the_joint_alone(yumi: RobotModel) -> None:
    """Far from the limit of the period nothing is scaled down: poles as they were asked for."""
    w, ratio = 10.0, 0.8
    inertia = joint_inertia(yumi)
    pd, pid = pd_gains(yumi, H, w, ratio), pid_gains(yumi, H, w, ratio)
    np.testing.assert_allclose(pd.stiffness, w**2 * inertia, rtol=ROUNDING)
    np.testing.assert_allclose(pd.damping, 2.0 * ratio * w * inertia, rtol=ROUNDING)
    assert not pd.integral.any()
    share = pid.integral[0] / inertia[0] / w**3
    wanted = np.polymul([1.0, 2.0 * ratio * w, w**2], [1.0, share * w])
    polynomial = np.array([pid.damping, pid.stiffness, pid.integral]) / inertia
    np.testing.assert_allclose(polynomial, np.tile(wanted[1:, None], yumi.n), rtol=ROUNDING)
    assert 0.0 < share <= INTEGRAL_SHARE


@pytest.mark.parametrize('ratio', [0.5, 1.0])
@pytest.mark.parametrize('lightest', [0.02, 0.1, 0.5])
def test_the_pole_of_the_integral_keeps_its_margin(lightest: float, ratio: float) -> None:
    """Poles of ``s^3 + l (k_v s^2 + k_p s + k_i)`` with ``l`` as small as it is, and halved."""
    c = integral_pole(lightest, ratio, INTEGRAL_SHARE)
    gains = np.polymul([1.0, 2.0 * ratio, 1.0], [1.0, c])[1:]

    def stable(gain: float) -> bool:
        return bool(np.roots([1.0, *(gain * gains)]).real.max() < 0.0)

    assert stable(lightest)
    assert stable(1.01 * lightest / GAIN_MARGIN)
    if c < INTEGRAL_SHARE:
        assert not stable(0.99 * lightest / GAIN_MARGIN)


@pytest.mark.parametrize('pole', [0.0, INTEGRAL_SHARE])
def test_the_nominal_bandwidth_bears_a_measurement_that_is_one_period_late(pole: float) -> None:
    """``(z - 1)^3 z^late + K_v (z - 1)^2 + K_p z (z - 1) + K_i z^2 = 0``, in units of a period."""

    def stable(w: float) -> bool:
        kp, kv, ki = (1.0 + 2.0 * pole) * w**2, (2.0 + pole) * w, pole * w**3
        still = np.polymul([1.0, -2.0, 1.0], [1.0, -1.0])
        law = kv * np.array([1.0, -2.0, 1.0]) + kp * np.array([1.0, -1.0, 0.0])
        law += ki * np.array([1.0, 0.0, 0.0])
        roots = np.roots(np.polyadd(np.append(still, 0.0), law))
        moving = roots if ki else roots[np.argsort(np.abs(roots - 1.0))[1:]]
        return bool(np.abs(moving).max() < 1.0)

    assert stable(BANDWIDTH_TIMES_PERIOD)
    assert not stable(0.4)


def test_bandwidths_of_the_comparison() -> None:
    defaults = ControlConfig()
    assert nominal_bandwidth(1.0 / 200.0) == pytest.approx(defaults.natural_frequency)
    assert observer_bandwidth(1.0 / 200.0) == pytest.approx(60.0)
    assert observer_bandwidth(1.0 / 2000.0) == defaults.bandwidth


@pytest.mark.parametrize('pole', [0.05, 0.2, 0.8])
def test_at_the_limit_of_the_gain_a_pole_is_at_minus_one(pole: float) -> None:
    """So exactly that each term of the limit counts, that of the integral too."""
    w = 100.0
    unit = (1.0 + 2.0 * pole) * w**2, (2.0 + pole) * w, pole * w**3
    gains = JointGains(*(np.array([gain]) for gain in unit))
    at_limit = times(gains, gain_limit(H, *unit))
    assert radius(np.eye(1), at_limit, H) == pytest.approx(1.0, abs=ROUNDING)


PARTS = 40
"""Physics steps of a period."""
LAGS = (0.0, 0.005, 0.015, 0.03)


def late_swing(robot: RobotModel, h: float, frequency: float, delay: float) -> float:
    """Return what is left of a deflection after twelve time constants, as a part of it.

    The robot gets each effort some time after the state that it was computed from, until the next
    one takes effect.
    """
    config = ControlConfig(law='computed_torque', rollback='observer', natural_frequency=frequency)
    control = ControlSimulation(robot, config, h)
    model, data = robot.pin_model, robot.pin_model.createData()
    q, v = robot.home + 1e-3, np.zeros(robot.n)
    control.start(JointState(q, v))
    still = Setpoint(robot.home, np.zeros(robot.n))
    resting = pin.computeGeneralizedGravity(model, data, q).copy()
    late = round(delay / h * PARTS)
    waiting = [resting] * late
    for _ in range(round(12.0 / frequency / h)):
        command = control.step(still)
        waiting += [command.effort] * PARTS
        for _ in range(PARTS):
            v = v + h / PARTS * pin.aba(model, data, q, v, waiting.pop(0))
            q = q + h / PARTS * v
        control.rollback(command, q)
    return float(np.abs(q - robot.home).max() / 1e-3)


@pytest.mark.parametrize('lag', LAGS)
@pytest.mark.parametrize('h', [0.01, 0.005, 0.002])
def test_a_bearable_frequency_bears_its_delay(h: float, lag: float, lwr: RobotModel) -> None:
    """A driver takes a command up to a period later, and the robot a lag after that."""
    frequency = min(ControlConfig().natural_frequency, bearable_frequency(h, h + lag))
    for delay in (0.0, 0.5 * h + lag, h + lag):
        assert late_swing(lwr, h, frequency, delay) < 0.02
    assert late_swing(lwr, h, frequency, 1.25 * (h + lag)) < 0.3


@pytest.mark.parametrize(('h', 'delay'), [(0.01, 0.005), (0.005, 0.006)])
def test_the_default_frequency_does_not_bear_slow_drivers(
    h: float, delay: float, lwr: RobotModel
) -> None:
    assert late_swing(lwr, h, ControlConfig().natural_frequency, delay) > 0.5
