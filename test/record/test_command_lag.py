"""The lag from commands to their effect, found again from motion alone."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.values import Array
from simloop_ros.drivers.config import DriverContract, FaultConfig
from simloop_ros.drivers.stand_in import StandIn
from simloop_ros.maths.lag import find_lag
from simloop_ros.plants.config import Friction, PlantConfig
from simloop_ros.record.columns import COLUMNS
from simloop_ros.record.command_lag import CommandLag, measure_lag
from simloop_ros.record.facts import DrivenRun
from simloop_ros.record.log import LogArray
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.robot_files import robot_config

PERIOD = 0.01
STIFFNESS = 8.0  # of the loop that is closed around the robot: bears three periods [rad/s]
EARLY = 0.5  # of the integrator inside, which has a step's new velocity for all of it [periods]
TOLERANCE = 0.25  # [periods]
MODEL = load_fit_robot(robot_config('lwr'))
GOAL = np.array([0.5, -0.4, 0.3, 0.5, -0.3, 0.4, 0.2])  # [rad]


def contract(takes: Literal['effort', 'position'], periods: float) -> DriverContract:
    return DriverContract(
        description='',
        takes=takes,
        command_topic='commands',
        rate=1.0 / PERIOD,
        gravity='command',
        effort='torque',
        lag=periods * PERIOD,
    )


def desired(step: int) -> tuple[Array, Array, Array]:
    """Return position, velocity and acceleration of a motion of minimum jerk, 2 s long."""
    s = np.clip((step * PERIOD - 0.5) / 2.0, 0.0, 1.0)
    shape = 10 * s**3 - 15 * s**4 + 6 * s**5
    speed = (30 * s**2 - 60 * s**3 + 30 * s**4) / 2.0
    bend = (60 * s - 180 * s**2 + 120 * s**3) / 4.0
    return MODEL.home + shape * GOAL, speed * GOAL, bend * GOAL


def logged(
    takes: Literal['effort', 'position'],
    periods: float,
    plant: PlantConfig,
    steps: int = 300,
    lost: range = range(0),
) -> LogArray:
    """Return the log of a robot that is led along a motion through its driver.

    :param lost: steps whose commands the driver does not get.
    """
    robot = StandIn(
        contract(takes, periods), MODEL, plant, FaultConfig(), np.random.default_rng(1)
    )
    data, rows = MODEL.pin_model.createData(), []
    for step in range(steps):
        q_d, v_d, a_d = desired(step + 1)
        q, v = robot.state().position, robot.state().velocity
        a = a_d + STIFFNESS**2 * (q_d - q) + 2.0 * STIFFNESS * (v_d - v)
        effort = pin.rnea(MODEL.pin_model, data, q, v, a).copy()
        if step not in lost:
            robot.take(effort if takes == 'effort' else q_d)
        robot.step()
        columns = {'desired_position': q_d, 'effort': effort}
        columns['measured_position'] = robot.state().position
        rows.append([columns.get(name, np.zeros(MODEL.n)) for name in COLUMNS])
    return LogArray(np.array(rows))


def measured(log: LogArray, takes: Literal['effort', 'position']) -> CommandLag | None:
    return measure_lag(MODEL, log, np.ones(log.rows), PERIOD, DrivenRun(takes))


NOISY = {'noise': 1e-5, 'resolution': 1e-5}
REAL = {**NOISY, 'mass_bias': 0.1, 'friction': Friction(coulomb=0.3, viscous=0.5)}


@pytest.mark.parametrize('periods', [0, 1, 3])
@pytest.mark.parametrize('errors', [{}, NOISY, {**NOISY, 'mass_bias': 0.1}])
def test_the_lag_of_efforts(periods: int, errors: dict[str, Any]) -> None:
    found = measured(logged('effort', periods, PlantConfig(**errors)), 'effort')
    assert found is not None
    assert found.lag / PERIOD == pytest.approx(max(0.0, periods - EARLY), abs=TOLERANCE)


def test_the_lag_of_efforts_against_friction_and_wrong_masses() -> None:
    found = measured(logged('effort', 3, PlantConfig(**REAL)), 'effort')
    assert found is not None
    assert found.lag / PERIOD == pytest.approx(3.0 - EARLY, abs=TOLERANCE)
    assert found.words == 'commands take effect after 25 ms (standard error 1.5 ms), and the ' + (
        'driver file says 0 ms: write lag: 0.025 into it'
    )


@pytest.mark.parametrize('periods', [0, 1, 3])
@pytest.mark.parametrize('errors', [{}, NOISY, REAL])
def test_the_lag_of_positions(periods: int, errors: dict[str, Any]) -> None:
    found = measured(logged('position', periods, PlantConfig(**errors)), 'position')
    assert found is not None
    assert found.lag / PERIOD == pytest.approx(periods, abs=TOLERANCE)
    assert bool(found.words) == (periods == 3)


@pytest.mark.parametrize('errors', [{}, NOISY])
def test_a_disturbance_at_the_start_is_no_lag(errors: dict[str, Any]) -> None:
    """The robot stands still for 0.1 s, and catches up: 32 ms, with an error of 3, would fit."""
    late = logged('effort', 0, PlantConfig(**errors), lost=range(50, 60))
    assert measured(late, 'effort') is None
    again = logged('effort', 3, PlantConfig(**errors), lost=range(0, 10))  # before the motion
    found = measured(again, 'effort')
    assert found is not None
    assert found.lag / PERIOD == pytest.approx(3.0 - EARLY, abs=TOLERANCE)


def test_a_robot_that_rests_tells_nothing() -> None:
    assert measured(logged('position', 1, PlantConfig(**NOISY), steps=40), 'position') is None


def test_rows_that_are_missing_change_nothing() -> None:
    log = logged('position', 3, PlantConfig(**NOISY))
    kept = np.setdiff1d(np.arange(log.rows), np.arange(7, log.rows, 11))
    thinned = LogArray(next(log.chunks())[kept])
    steps = np.diff(kept, prepend=-1).astype(float)
    found = measure_lag(MODEL, thinned, steps, PERIOD, DrivenRun('position', 0.03))
    assert found is not None
    assert found.lag / PERIOD == pytest.approx(3.0, abs=TOLERANCE)
    assert found.words == ''


def test_what_is_beyond_noise_is_needed() -> None:
    """A drive that has nothing to do with the response has no lag."""
    rng = np.random.default_rng(0)
    drive, response = rng.normal(size=(2, 400, 3, 1))

    def explaining(times: Array) -> Array:
        return response[np.clip(times.round().astype(int), 0, 399)]

    assert find_lag(drive[:, :, 0], explaining, 1e-6, 15.0) is None
