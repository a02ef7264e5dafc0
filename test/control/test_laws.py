"""The control laws in the closed loop: their error equations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from steps import at

from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation, ControlSnapshot
from simloop_ros.control.laws import ComputedTorque, Deadbeat
from simloop_ros.core.values import JointState
from simloop_ros.robot.model import RobotModel

Step = Callable[[JointState, np.ndarray], JointState]

H = 0.002
LINEAR = 1e-10  # rad: rounding of some hundred steps; the law cancels every nonlinearity


def recursion(e: np.ndarray, e_dot: np.ndarray, kp: float, kv: float, steps: int) -> np.ndarray:
    """Return ``e'' + K_v e' + K_p e = 0`` in the steps of semi-implicit Euler."""
    errors = []
    for _ in range(steps):
        e_dot = e_dot - H * (kv * e_dot + kp * e)
        e = e + H * e_dot
        errors.append(e)
    return np.array(errors)


@pytest.mark.parametrize(('frequency', 'ratio'), [(60.0, 1.0), (20.0, 0.3), (100.0, 2.0)])
@pytest.mark.parametrize('name', ['sphere', 'two_link', 'yumi'])
def test_computed_torque_obeys_its_error_equation(
    shipped: Callable[[str], RobotModel],
    exact: Callable[[RobotModel, float], Step],
    name: str,
    frequency: float,
    ratio: float,
) -> None:
    """000 (3.5): started off the path, in position and velocity, on a path that moves."""
    robot = shipped(name)
    config = ControlConfig(law='computed_torque', natural_frequency=frequency, damping_ratio=ratio)
    control, step = ControlSimulation(robot, config, H), exact(robot, H)
    rng, steps = np.random.default_rng(1), 300
    wanted = JointState(robot.home, np.zeros(robot.n))
    state = JointState(
        robot.home + rng.normal(scale=2e-3, size=robot.n), rng.normal(scale=0.01, size=robot.n)
    )
    control.restore(
        ControlSnapshot(state=state, law=wanted, follower=None, steps=0, saturations=0)
    )
    expected = recursion(
        wanted.position - state.position,
        wanted.velocity - state.velocity,
        frequency**2,
        2.0 * ratio * frequency,
        steps,
    )
    path = robot.home + 0.05 * (1.0 - np.cos(3.0 * H * np.arange(1, steps + 1)))[:, None]
    errors = []
    for desired in path:
        command = control.step(at(desired))
        state = step(state, command.effort)
        control.rollback(command, state.position)
        errors.append(desired - state.position)
    assert control.saturations == 0
    np.testing.assert_allclose(errors, expected, rtol=0.0, atol=LINEAR)


def test_computed_torque_decays_as_in_continuous_time() -> None:
    """Small steps: critically damped, ``e = e_0 (1 + w t) exp(-w t)``."""
    w, h, e0 = 5.0, 1e-4, 0.1
    law = ComputedTorque(h, w, 1.0)
    goal = np.zeros(1)
    law.start(JointState(goal, goal))
    q, v = np.array([-e0]), np.zeros(1)
    for k in range(1, 10_001):
        v = v + h * law.acceleration(JointState(q, v), (goal - q) / h)
        q = q + h * v
        if k % 1000 == 0:
            t = k * h
            first_order = 2.0 * w * h * e0
            assert -q[0] == pytest.approx(e0 * (1 + w * t) * np.exp(-w * t), abs=first_order)


def test_deadbeat_leaves_no_error_after_one_step() -> None:
    rng = np.random.default_rng(2)
    q, v, desired = rng.normal(size=(3, 5))
    a = Deadbeat(H).acceleration(JointState(q, v), (desired - q) / H)
    rounding = 1e-14
    np.testing.assert_allclose(q + H * (v + H * a), desired, rtol=0.0, atol=rounding)


def test_with_the_gains_of_one_step_computed_torque_is_deadbeat() -> None:
    """Both poles of the error at zero.

    The characteristic polynomial ``z^2 - (2 - h K_v - h^2 K_p) z + (1 - h K_v)`` is ``z^2`` for
    K_v = 1/h, K_p = 1/h^2: an error is gone after two steps.
    """
    w = 1.0 / H
    law = ComputedTorque(H, w, 0.5)
    zero = np.zeros(1)
    law.start(JointState(zero, zero))
    q, v = np.array([0.01]), np.array([0.3])
    for _ in range(2):
        v = v + H * law.acceleration(JointState(q, v), (zero - q) / H)
        q = q + H * v
    rounding = 1e-15
    assert abs(q[0]) < rounding
    assert abs(v[0]) < rounding / H
