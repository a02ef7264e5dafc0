"""PD with gravity, and PID: their closed loops, and what the integral does at a limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from steps import at, sending

from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.control.joint_laws import PidSnapshot
from simloop_ros.control.tuning import JointGains, pd_gains, pid_gains
from simloop_ros.core.values import JointState
from simloop_ros.loop.guarded_control import GuardedControl
from simloop_ros.robot.model import RobotModel
from simloop_ros.safety.config import SafetyConfig

Step = Callable[[JointState, np.ndarray], JointState]
Exact = Callable[[RobotModel, float], Step]

H, W = 0.002, 40.0
LAWS = ('pd_gravity', 'pid')
LINEAR = 1e-9  # m: rounding of some hundred steps
HEAVIER = 0.1


def control_of(robot: RobotModel, law: str, **more: float) -> ControlSimulation:
    return ControlSimulation(robot, ControlConfig(law=law, natural_frequency=W, **more), H)


def weight_of(robot: RobotModel, q: np.ndarray) -> np.ndarray:
    return pin.computeGeneralizedGravity(robot.pin_model, robot.pin_model.createData(), q)


def integral_of(control: ControlSimulation) -> np.ndarray:
    memory = control.snapshot().law
    assert isinstance(memory, PidSnapshot)
    return memory.integral


def settle(control: ControlSimulation, step: Step, desired: np.ndarray, steps: int) -> JointState:
    """Return the state of a robot that was held at a position."""
    state = control.state
    for _ in range(steps):
        command = control.step(at(desired))
        state = step(state, command.effort)
        control.rollback(command, state.position)
    return state


@pytest.mark.parametrize('law', LAWS)
def test_held_at_home_a_robot_gets_its_weight(robot: RobotModel, exact: Exact, law: str) -> None:
    control = control_of(robot, law)
    weight = weight_of(robot, robot.home)
    np.testing.assert_allclose(control.step(at(robot.home)).effort, weight, rtol=0.0, atol=1e-12)
    control.start(control.state)
    state = settle(control, exact(robot, H), robot.home, 100)
    np.testing.assert_allclose(state.position, robot.home, rtol=0.0, atol=LINEAR)


@pytest.mark.parametrize('law', LAWS)
def test_the_error_of_one_mass_obeys_its_equation(
    sphere: RobotModel, exact: Exact, law: str
) -> None:
    """A step: ``m a = K_p e - K_v v + z - weight`` in the steps of semi-implicit Euler."""
    sphere = replace(sphere, effort_limit=np.full(1, np.inf))
    gains = {'pd_gravity': pd_gains, 'pid': pid_gains}[law](sphere, H, W, 1.0)
    kp, kv, ki = (float(g[0]) for g in (gains.stiffness, gains.damping, gains.integral))
    mass = float(pin.crba(sphere.pin_model, sphere.pin_model.createData(), sphere.home)[0, 0])
    control, step, state = (
        control_of(sphere, law),
        exact(sphere, H),
        JointState(sphere.home, np.zeros(1)),
    )
    # The law looks at where the robot should be now: it hears of the step one period later.
    goal, q, v, z = sphere.home[0] + 0.01, sphere.home[0], 0.0, 0.0
    wanted, speed = sphere.home[0], 0.0
    for _ in range(400):
        command = control.step(at(np.array([goal])))
        state = step(state, command.effort)
        control.rollback(command, state.position)
        z += H * ki * (wanted - q)
        v += H * (kp * (wanted - q) + kv * (speed - v) + z) / mass
        q += H * v
        wanted, speed = goal, (goal - wanted) / H
        assert state.position[0] == pytest.approx(q, abs=LINEAR)
    assert state.position[0] == pytest.approx(goal, abs=2e-4 if law == 'pid' else 1e-6)


def test_pd_gives_way_under_a_weight_that_it_does_not_know(
    sphere: RobotModel, exact: Exact
) -> None:
    """Ten per cent of the weight over the stiffness."""
    control = control_of(sphere, 'pd_gravity')
    heavy = sphere.with_mass_bias(HEAVIER)
    state = settle(control, exact(heavy, H), sphere.home, 1000)
    stiffness = pd_gains(sphere, H, W, 1.0).stiffness
    unknown = HEAVIER * weight_of(sphere, sphere.home)
    np.testing.assert_allclose(sphere.home - state.position, unknown / stiffness, rtol=1e-6)


@pytest.mark.parametrize('name', ['sphere', 'two_link', 'yumi'])
def test_pid_finds_the_weight(
    shipped: Callable[[str], RobotModel], exact: Exact, name: str
) -> None:
    robot = shipped(name)
    control, heavy = control_of(robot, 'pid'), robot.with_mass_bias(HEAVIER)
    state = settle(control, exact(heavy, H), robot.home, 3000)
    np.testing.assert_allclose(state.position, robot.home, rtol=0.0, atol=1e-8)
    weight = weight_of(heavy, robot.home)
    np.testing.assert_allclose(integral_of(control), weight, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize('law', LAWS)
def test_efforts_are_clipped_to_the_limits(robot: RobotModel, exact: Exact, law: str) -> None:
    """The command says what the twin does under the effort that leaves, not the one wished."""
    control, step = control_of(robot, law), exact(robot, H)
    control.step(at(robot.home + 5.0))
    command = control.step(at(robot.home + 5.0))
    assert command.saturated
    np.testing.assert_array_equal(np.abs(command.effort).max(), robot.effort_limit.max())
    assert np.all(np.abs(command.effort) <= robot.effort_limit)
    after = step(control.state, command.effort)
    twin = (after.velocity - control.state.velocity) / H
    np.testing.assert_allclose(command.acceleration, twin, rtol=1e-9)
    assert (control.steps, control.saturations) == (2, 1)


@pytest.mark.parametrize('way', [1.0, -1.0])
def test_the_integral_does_not_wind_up_at_a_limit(two_link: RobotModel, way: float) -> None:
    """A robot that is held fast, far from where it should be: only the free joint integrates."""
    control = control_of(two_link, 'pid')
    weight = integral_of(control).copy()
    far = two_link.home + np.array([way, 1e-6])
    control.step(at(far))  # which looks at where the robot should have been before
    for _ in range(500):
        command = control.step(at(far))
        control.rollback(command, two_link.home)
        assert command.saturated
    after = integral_of(control)
    assert after[0] == weight[0]
    assert after[1] > weight[1]
    # Setpoint on the other side it lets go at once.
    control.step(at(two_link.home - np.array([way, 0.0])))
    assert np.sign(control.step(at(two_link.home - np.array([way, 0.0]))).effort[0]) == -way


def test_an_integral_stays_within_the_limits(sphere: RobotModel) -> None:
    """An error that is too small to saturate but never goes away."""
    weight = weight_of(sphere, sphere.home)
    tight = replace(sphere, effort_limit=1.05 * np.abs(weight))
    control = control_of(tight, 'pid')
    for _ in range(5000):
        command = control.step(at(tight.home + 1e-4))
        control.rollback(command, tight.home)
        assert abs(integral_of(control)[0]) <= tight.effort_limit[0]
    assert command.saturated


def test_from_an_effort_pid_goes_on_without_a_leap(robot: RobotModel, exact: Exact) -> None:
    control, step, state = control_of(robot, 'pid'), exact(robot, H), None
    effort = weight_of(robot, robot.home) + 0.01 * np.minimum(robot.effort_limit, 1.0)
    state = control.state
    for _ in range(5):
        command = control.step(sending(effort))
        state = step(state, command.effort)
        control.rollback(command, state.position)
    went_on = control.step(at(state.position + H * state.velocity)).effort
    np.testing.assert_allclose(went_on, effort, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize('law', LAWS)
def test_a_stop_forgets_and_a_release_starts_with_the_weight(
    two_link: RobotModel, exact: Exact, law: str
) -> None:
    """What was integrated before a stop is not sent after it."""
    control = control_of(two_link, law)
    guarded = GuardedControl(control, H, SafetyConfig())
    step = exact(two_link.with_mass_bias(0.3), H)
    state = JointState(two_link.home, np.zeros(2))
    guarded.start(state.position)
    for _ in range(200):
        state = step(state, guarded.step(at(two_link.home)).effort)
        guarded.rollback(state.position)
    guarded.stop('test')
    guarded.step(at(two_link.home))
    guarded.rollback(state.position)
    guarded.release()
    weight = weight_of(two_link, state.position)
    np.testing.assert_allclose(guarded.step(at(state.position)).effort, weight, rtol=1e-12)


@pytest.mark.parametrize('law', LAWS)
def test_gains_come_from_the_configuration(two_link: RobotModel, law: str) -> None:
    """The effort of a known error, by the gains of the rule at other settings."""
    rule = {'pd_gravity': pd_gains, 'pid': pid_gains}[law]
    gains: JointGains = rule(two_link, H, W, 0.7)
    control = control_of(two_link, law, damping_ratio=0.7)
    control.step(at(two_link.home))
    error = np.array([1e-4, -2e-4])
    control.state = JointState(two_link.home - error, np.zeros(2))
    weight = weight_of(two_link, two_link.home - (error if law == 'pd_gravity' else 0.0))
    wanted = weight + (gains.stiffness + H * gains.integral) * error
    np.testing.assert_allclose(control.step(at(two_link.home)).effort, wanted, rtol=1e-12)
