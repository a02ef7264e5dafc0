"""Calibration: found again by its own robot, and quiet in motion that it has not seen."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.assembly.plant import build_simulated_robot
from simloop_ros.calibration.calibrate import LEAST_DURATION, calibrate
from simloop_ros.calibration.config import ALARMS_PER_HOUR
from simloop_ros.calibration.following import follow
from simloop_ros.calibration.free_motion import random_motion
from simloop_ros.collision.build import KINDS, build_monitor
from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.errors import ConfigError
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.loading import load_scenario

SETTINGS = [
    'robot=two_link',
    'planner.move=[[0, 0, 0]]',
    'plant.mass_bias=0.1',
    'plant.noise=1e-5',
    'plant.friction.coulomb=0.3',
]


@pytest.fixture(scope='module')
def scenario():
    return load_scenario('step', SETTINGS)


@pytest.fixture(scope='module')
def calibration(scenario):
    return calibrate(scenario, duration=LEAST_DURATION)


def test_it_is_for_this_robot_and_period(scenario, calibration):
    assert calibration.robot == 'two_link'
    assert calibration.period == scenario.period
    assert set(calibration.thresholds) == set(KINDS)


def test_dry_friction_is_found(calibration):
    """From half a minute of motion."""
    np.testing.assert_allclose(calibration.explanation.coulomb, 0.3, rtol=0.01)


def test_the_inertia_of_the_robot_is_found(scenario, calibration):
    """Not less of it than there is, as where encoder noise is taken for acceleration."""
    model = load_fit_robot(scenario.robot)
    real = model.with_mass_bias(0.1).pin_model
    learnt = calibration.explanation.corrected(model)
    for q in np.random.default_rng(3).uniform(-2.0, 2.0, (10, model.n)):
        true, found = (np.diag(pin.crba(robot, robot.createData(), q)) for robot in (real, learnt))
        np.testing.assert_allclose(found, true, rtol=0.02)


def test_learning_lowers_the_thresholds(calibration):
    """While a joint slides, the learnt monitor has lower thresholds than the others."""
    learnt = np.array(calibration.thresholds['disturbance_observer'])[0].min(axis=0)
    for kind in ('force_difference', 'momentum_observer'):
        assert np.all(learnt < np.array(calibration.thresholds[kind])[0, 0])


def test_a_joint_that_turns_is_as_uncertain_as_its_friction(calibration):
    """Friction between its two directions, evenly, has an rms of its size over the root of 3."""
    _, turning = np.array(calibration.noise['disturbance_observer'])
    assert np.all(turning >= np.array(calibration.explanation.coulomb) / np.sqrt(3.0))


def test_no_calibration_knows_friction_better_than_three_percent():
    """The explanation of a simulated robot is exact; that of a gear on another day is not."""
    scenario = load_scenario('step', [*SETTINGS, 'plant.noise=0.0'])
    found = calibrate(scenario, duration=LEAST_DURATION)
    sliding, _ = np.array(found.noise['disturbance_observer'])
    np.testing.assert_array_less(0.03 * np.array(found.explanation.coulomb), sliding)
    assert np.all(sliding < 0.1 * np.array(found.explanation.coulomb))


def test_no_learnt_threshold_is_below_what_friction_may_change_by(scenario, calibration):
    """Three tenths of the friction at full speed, in every channel and regime."""
    learnt = calibration.explanation
    speed = load_fit_robot(scenario.robot).velocity_limit
    friction = np.abs(learnt.coulomb) + np.abs(learnt.viscous) * speed
    found = np.array(calibration.thresholds['disturbance_observer'])
    assert np.all(found >= (0.3 - 1e-12) * friction)
    assert np.any(found <= (0.3 + 1e-12) * friction), 'the bound was nowhere needed'


def test_unseen_free_motion_is_quiet(scenario, calibration):
    model = load_fit_robot(scenario.robot)
    plant = build_simulated_robot(
        scenario.plant, model, scenario.period, 99, scenario.safety
    ).plant
    control = ControlSimulation(model, ControlConfig().resolved(noisy=True), scenario.period)
    monitors = [build_monitor(kind, model, scenario.period, calibration) for kind in KINDS]
    motion = random_motion(model, 60.0, np.random.default_rng(99))
    steps = round(60.0 / scenario.period)
    verdicts = {
        monitor.step(row).verdict
        for row in follow(control, plant, motion, scenario.period, steps)
        for monitor in monitors
    }
    assert verdicts == {'unknown', 'free'}


def test_a_low_rate_of_alarms_needs_higher_thresholds_and_nothing_else(scenario, calibration):
    """The motion is seeded: all else is the same, bit for bit."""
    seldom = calibrate(scenario, 0.001, LEAST_DURATION)
    usual = {'thresholds': calibration.thresholds, 'false_alarms_per_hour': ALARMS_PER_HOUR}
    assert msgspec.structs.replace(seldom, **usual) == calibration
    for kind in KINDS:
        higher, usual = (np.array(some.thresholds[kind]) for some in (seldom, calibration))
        # Where the trust in friction decides, the rate does not matter.
        assert np.all(higher >= usual)
        assert np.any(higher > usual)


def test_it_can_be_stopped_and_cannot_be_too_short(scenario):
    with pytest.raises(ConfigError, match='stopped'):
        calibrate(scenario, duration=LEAST_DURATION, progress=lambda share: share < 0.1)
    with pytest.raises(ConfigError, match='needs'):
        calibrate(scenario, duration=10.0)
