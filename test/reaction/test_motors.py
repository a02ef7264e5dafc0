"""What the motors can do, against dense matrices and the control simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.values import Array, JointState, Setpoint
from simloop_ros.reaction.motors import Motors
from simloop_ros.robot.model import RobotModel

H, MARGIN = 0.001, 0.8
ROUNDING = 1e-9  # relative


def dense(robot: RobotModel, state: JointState) -> tuple[Array, Array]:
    """Return the mass matrix and the non-linear effects."""
    data = robot.pin_model.createData()
    mass = pin.crba(robot.pin_model, data, state.position).reshape(robot.n, robot.n)
    mass = np.triu(mass) + np.triu(mass, 1).T
    return mass, pin.nonLinearEffects(robot.pin_model, data, state.position, state.velocity)


def moving(robot: RobotModel, rng: np.random.Generator, speed: float) -> JointState:
    limit = np.minimum(robot.velocity_limit, 3.0)
    return JointState(
        robot.home + rng.normal(scale=0.1, size=robot.n),
        speed * rng.uniform(-1.0, 1.0, robot.n) * limit,
    )


@pytest.mark.parametrize('speed', [1e-3, 0.1, 0.5])
def test_a_stop_is_as_hard_as_the_margin_allows_and_no_harder(
    robot: RobotModel, speed: float
) -> None:
    motors, rng = Motors(robot, H, MARGIN, H**2), np.random.default_rng(0)
    for _ in range(20):
        state = moving(robot, rng, speed)
        share = motors.stopping_share(state)
        mass, drift = dense(robot, state)
        used = np.abs(drift - share * mass @ state.velocity / H) / robot.effort_limit
        assert 0.0 < share <= 1.0
        if share < 1.0:
            assert used.max() == pytest.approx(MARGIN, rel=ROUNDING)
        else:
            assert used.max() <= MARGIN * (1.0 + ROUNDING)


def test_the_time_along_a_path_is_braked_as_hard_as_the_margin_allows(robot: RobotModel) -> None:
    motors, rng = Motors(robot, H, MARGIN, H**2), np.random.default_rng(1)
    for rate in (1.0, 0.4, 0.1):
        state = moving(robot, rng, 0.3)
        slope, bend = state.velocity, rng.normal(size=robot.n)
        most = motors.braking(state.position, slope, bend, rate)
        mass, drift = dense(robot, JointState(state.position, rate * slope))
        used = np.abs(drift + mass @ (rate**2 * bend - most * slope)) / robot.effort_limit
        assert used.max() == pytest.approx(MARGIN, rel=ROUNDING)


def test_where_weight_takes_the_margin_there_is_still_some_braking(robot: RobotModel) -> None:
    _, weight = dense(robot, JointState(robot.home, np.zeros(robot.n)))
    tight = replace(robot, effort_limit=1.1 * np.abs(weight) + 1.0)
    for speed in (-0.5, 0.5):
        state = JointState(robot.home, np.full(robot.n, speed))
        assert Motors(tight, H, 0.5, H**2).stopping_share(state) > 0.0


def test_out_of_reach_is_where_control_meets_a_limit(robot: RobotModel) -> None:
    motors, rng = Motors(robot, H, MARGIN, H**2), np.random.default_rng(2)
    control, met = ControlSimulation(robot, ControlConfig(), H), set()
    for _ in range(100):
        state = moving(robot, rng, 1e-3)
        control.start(state)
        far = 10.0 ** rng.uniform(-9.0, -3.0)
        position = state.position + far * rng.normal(size=robot.n)
        saturated = control.step(Setpoint(position, np.zeros_like(position))).saturated
        assert motors.can_reach(state, position) == (not saturated)
        met.add(saturated)
    assert met == {False, True}
    assert not motors.can_reach(state, np.full(robot.n, np.nan))


def test_motors_without_limits_stop_in_one_step(robot: RobotModel) -> None:
    free = replace(robot, effort_limit=np.full(robot.n, np.inf))
    motors, state = Motors(free, H, MARGIN, H**2), moving(robot, np.random.default_rng(3), 1.0)
    assert motors.stopping_share(state) == 1.0
    assert motors.braking(state.position, state.velocity, 0.0 * state.velocity, 1.0) == np.inf
    assert motors.can_reach(state, state.position)
    assert not motors.can_reach(state, np.full(robot.n, np.nan))
