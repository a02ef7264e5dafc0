"""Control behind its gate: the same as without while all is well, and a defined stop otherwise."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from steps import at, sending

from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.resources import resource_folder
from simloop_ros.core.values import Array, JointState
from simloop_ros.loop.guarded_control import GuardedControl
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.safety.config import SafetyConfig, StopKind
from simloop_ros.scenario.robot_files import robot_config

PERIOD = 0.001
TINY = 1e-7  # a step that deadbeat control reaches within the limits [rad]


@pytest.fixture(scope='module')
def model() -> RobotModel:
    return load_robot(robot_config('two_link'), resource_folder('urdf'))


def control_of(model: RobotModel) -> ControlSimulation:
    return ControlSimulation(model, ControlConfig(), PERIOD)


@pytest.fixture
def guarded(model: RobotModel) -> GuardedControl:
    return GuardedControl(control_of(model), PERIOD, SafetyConfig())


def gravity(model: RobotModel, position: Array) -> Array:
    return pin.computeGeneralizedGravity(
        model.pin_model, model.pin_model.createData(), np.asarray(position)
    )


def test_while_all_is_well_the_gate_changes_nothing(
    model: RobotModel, guarded: GuardedControl
) -> None:
    plain = control_of(model)
    position = model.home
    for step in range(1, 50):
        desired = model.home + TINY * step
        ours, theirs = guarded.step(at(desired)), plain.step(at(desired))
        assert ours.effort.tobytes() == theirs.effort.tobytes()
        position = desired + 1e-9 * np.sin(step)
        mine, other = guarded.rollback(position), plain.rollback(theirs, position)
        assert mine.effort.tobytes() == other.effort.tobytes()
        assert guarded.state.position.tobytes() == plain.state.position.tobytes()
    assert (guarded.stopped, guarded.stops) == ('', 0)


@pytest.mark.parametrize('bad', [np.nan, np.inf, -np.inf])
def test_a_desired_position_that_is_no_number_stops(
    model: RobotModel, guarded: GuardedControl, bad: float
) -> None:
    command = guarded.step(at(model.home + np.array([0.0, bad])))
    assert guarded.stopped
    assert guarded.stops == 1
    assert guarded.diverged
    np.testing.assert_array_equal(command.effort, gravity(model, model.home))


def test_a_desired_position_out_of_reach_costs_no_more_than_the_limits(
    model: RobotModel, guarded: GuardedControl
) -> None:
    with np.errstate(over='ignore'):
        command = guarded.step(at(model.home + 1e300))
    assert (np.abs(command.effort) <= model.effort_limit).all()


def test_a_state_that_is_too_old_stops(model: RobotModel, guarded: GuardedControl) -> None:
    oldest = SafetyConfig().timeout_periods(PERIOD) * PERIOD
    guarded.step(at(model.home), age=oldest)
    assert not guarded.stopped
    guarded.step(at(model.home), age=1.01 * oldest)
    assert 'old' in guarded.stopped
    assert not guarded.diverged


def test_a_rate_that_is_too_high_stops(model: RobotModel) -> None:
    guarded = GuardedControl(control_of(model), PERIOD, SafetyConfig(effort_rate=0.1))
    guarded.step(at(model.home))
    guarded.step(at(model.home + 1e-5))
    assert 'effort rate' in guarded.stopped


def test_a_stopped_robot_is_held_whatever_is_desired(
    model: RobotModel, guarded: GuardedControl
) -> None:
    guarded.stop('first')
    guarded.stop('second')
    assert (guarded.stopped, guarded.stops) == ('first', 1)
    robot = PinocchioPlant(model, PERIOD)
    for _ in range(200):
        guarded.rollback(robot.truth.position)
        robot.step(guarded.step(at(model.home + 5.0)).effort)
    np.testing.assert_allclose(robot.truth.position, model.home, rtol=0.0, atol=1e-9)
    np.testing.assert_array_equal(guarded.state.position, guarded.rest)


@pytest.mark.parametrize('kind', ['path', 'hold', 'damp'])
def test_a_moving_robot_is_braked(model: RobotModel, kind: StopKind) -> None:
    guarded = GuardedControl(control_of(model), PERIOD, SafetyConfig(stop=kind))
    robot = PinocchioPlant(model, PERIOD)
    robot.start(JointState(model.home, np.array([0.5, -0.4])))
    guarded.step(at(model.home))
    guarded.stop('test')
    for _ in range(600):
        guarded.rollback(robot.truth.position)
        effort = guarded.step(at(model.home)).effort
        assert (np.abs(effort) <= model.effort_limit).all()
        robot.step(effort)
    np.testing.assert_allclose(robot.truth.velocity, 0.0, atol=1e-3)
    assert np.abs(robot.truth.position - model.home).max() < 0.06


def test_how_to_stop_can_be_changed(model: RobotModel) -> None:
    """A robot that is damped is not drawn back; one that is held is."""
    moved = model.home + np.array([1e-5, 0.0])
    for kind, before in (('damp', 'hold'), ('hold', 'damp')):
        guarded = GuardedControl(control_of(model), PERIOD, SafetyConfig(stop=before))
        guarded.stop('test')
        guarded.configure(SafetyConfig(stop=kind))
        for _ in range(5):  # it rests at its home
            guarded.rollback(model.home)
            guarded.step(at(model.home))
        for _ in range(5):
            guarded.rollback(moved)
            effort = guarded.step(at(model.home)).effort
        drawn = np.abs(effort - gravity(model, moved)).max()
        assert bool(drawn > 1e-3) == (kind == 'hold')


def test_after_a_release_control_starts_where_the_robot_rests(
    model: RobotModel, guarded: GuardedControl
) -> None:
    guarded.step(at(model.home + TINY))
    guarded.stop('test')
    rest = model.home + 0.4
    guarded.rollback(rest)
    guarded.release()
    assert guarded.stopped == ''
    command = guarded.step(at(rest))  # to stay is to bear gravity, without a jump
    np.testing.assert_allclose(command.effort, gravity(model, rest), rtol=1e-12)
    guarded.stop('again')
    assert guarded.stops == 2


def test_no_measured_position_makes_the_stop_effort_unsafe(
    model: RobotModel, guarded: GuardedControl
) -> None:
    guarded.stop('test')
    for bad in (np.nan, np.inf, 1e300, -1e308):
        guarded.rollback(np.full(model.n, bad))
        effort = guarded.step(at(model.home)).effort
        assert np.isfinite(effort).all()
        assert (np.abs(effort) <= model.effort_limit).all()


def test_a_wanted_effort_passes_the_same_gate(model: RobotModel, guarded: GuardedControl) -> None:
    effort = gravity(model, model.home)
    np.testing.assert_array_equal(guarded.step(sending(effort)).effort, effort)
    guarded.rollback(model.home)
    clipped = guarded.step(sending(10.0 * model.effort_limit))
    np.testing.assert_array_equal(clipped.effort, model.effort_limit)
    guarded.step(sending(np.full(model.n, np.nan)))
    assert guarded.diverged
    guarded.rollback(model.home)
    held = guarded.step(sending(0.0 * effort)).effort
    np.testing.assert_allclose(held, effort, rtol=1e-9)


def test_a_wanted_effort_from_an_old_state_stops(
    model: RobotModel, guarded: GuardedControl
) -> None:
    guarded.step(sending(gravity(model, model.home)), age=1.0)
    assert 'old' in guarded.stopped


def test_before_the_first_command_control_is_where_the_robot_is(
    model: RobotModel, guarded: GuardedControl
) -> None:
    """At rest: its velocity is not known yet."""
    for measured in (model.home + 0.1, model.home - 0.2):
        rollback = guarded.rollback(measured)
        np.testing.assert_array_equal(guarded.state.position, measured)
        np.testing.assert_array_equal(guarded.state.velocity, 0.0)
        np.testing.assert_array_equal(rollback.effort, gravity(model, measured))


def test_the_first_effort_after_a_release_is_compared_with_none(model: RobotModel) -> None:
    """The robot may have been moved while it was stopped: its weight is another one there."""
    guarded = GuardedControl(control_of(model), PERIOD, SafetyConfig(effort_rate=0.1))
    guarded.step(at(model.home))
    guarded.stop('test')
    elsewhere = model.home + 0.4
    guarded.rollback(elsewhere)
    guarded.release()
    guarded.step(at(elsewhere))
    assert guarded.stopped == ''


def test_the_twin_moves_with_the_effort_that_was_applied(model: RobotModel) -> None:
    """A command that came too late was not: with an observer it would be a disturbance."""
    config = ControlConfig(law='computed_torque', rollback='observer')
    twin, told = (
        GuardedControl(ControlSimulation(model, config, PERIOD), PERIOD, SafetyConfig())
        for _ in range(2)
    )
    robot = PinocchioPlant(model, PERIOD)
    for step in range(60):
        desired = at(model.home + 1e-4 * step)
        for each in (twin, told):
            each.step(desired)
        applied = gravity(model, robot.truth.position)  # whatever was commanded
        robot.step(applied)
        twin.rollback(robot.truth.position)
        told.rollback(robot.truth.position, applied)
    np.testing.assert_allclose(told.state.velocity, robot.truth.velocity, atol=1e-9)
    assert np.abs(twin.state.velocity - robot.truth.velocity).max() > 1e-3
