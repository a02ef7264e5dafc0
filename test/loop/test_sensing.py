"""The loop with a monitor: from contact to reaction, and bit for bit again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from steps import into

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.collision.build import build_monitor
from simloop_ros.collision.detector import CollisionDetector
from simloop_ros.collision.wrist_torque import WristTorque
from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import Command, JointState, PlantReport, Rollback, Setpoint
from simloop_ros.loop.sensing import MonitoredSensing, Sensing
from simloop_ros.record.log import LogWriter
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario

SCENARIO = 'sphere_collision'
REACTIONS = ('stop', 'hold', 'retreat', 'float', 'comply')
CONTACT = 3.16  # s: when the sphere is at the ceiling


def summary_of(folder: Path, *settings: str) -> dict[str, Any]:
    prepared = assemble(load_scenario(SCENARIO, list(settings)))
    ticks = iter(range(10**9))
    return run(prepared, folder, lambda: float(next(ticks)))


def kinds(summary: dict[str, Any]) -> list[str]:
    return [event['kind'] for event in summary['events']]


def test_watching_alone_changes_nothing(tmp_path: Path) -> None:
    watched = summary_of(tmp_path / 'watched')
    alone = summary_of(tmp_path / 'alone', "monitor.calibration=''")
    assert watched['digest'] == alone['digest']
    assert 'collision' in kinds(watched)
    assert 'collision' not in kinds(alone)


@pytest.mark.parametrize('reaction', REACTIONS)
def test_a_contact_is_found_named_and_answered(tmp_path: Path, reaction: str) -> None:
    """Without a reaction the sphere presses with 66 N at first and 20 N in the end."""
    summary = summary_of(tmp_path, f'monitor.reaction={reaction}')
    found = next(event for event in summary['events'] if event['kind'] == 'collision')
    assert found['time'] == pytest.approx(CONTACT, abs=0.011)
    located = next(e for e in summary['events'] if e['kind'] == 'collision_located')
    assert located['link'] == 'sphere'
    assert summary['contact_force_max'] < 66.0
    assert summary['contact_force_end'] < 5.0
    assert summary['tip_error_end']['sphere'] > 0.4  # m: it did not go on to its goal


def test_a_motion_that_is_resumed_tries_again(tmp_path: Path) -> None:
    summary = summary_of(tmp_path, 'monitor.reaction=retreat', 'monitor.resume_after=0.2')
    assert kinds(summary).count('collision') > 1


@pytest.mark.parametrize('reaction', ['none', *REACTIONS])
def test_what_follows_a_state_follows_it_again(tmp_path: Path, reaction: str) -> None:
    """Before the contact, in the reaction and after it."""
    prepared = assemble(load_scenario(SCENARIO, [f'monitor.reaction={reaction}']))
    loop = prepared.loop
    raw = tmp_path / 'raw'
    for steps in (600, 34, 20):
        with LogWriter(raw, 1) as log:
            loop.run(steps, into(log))
        state = loop.snapshot()
        logs = []
        for _ in range(2):
            loop.restore(state)
            with LogWriter(raw, 1) as log:
                loop.run(100, into(log))
            logs.append(raw.read_bytes())
        assert logs[0] == logs[1]
        loop.restore(state)
    loop.plant.close()


def test_a_reaction_needs_thresholds() -> None:
    settings = ["monitor.calibration=''", 'monitor.reaction=stop']
    with pytest.raises(ConfigError, match='simloop calibrate'):
        assemble(load_scenario(SCENARIO, settings))


def test_a_period_without_a_calibration_is_named() -> None:
    with pytest.raises(ConfigError, match=r'period of 0.001 s; there is one for a period of'):
        assemble(load_scenario(SCENARIO, ['period=0.001']))


def test_a_push_can_have_a_reaction_of_its_own(tmp_path: Path) -> None:
    """The sphere's contact builds up slowly against its motor: a push."""
    both = [
        summary_of(tmp_path / push, 'monitor.reaction=hold', f'monitor.push={push}')
        for push in ('none', 'hold')
    ]
    forces = [summary['contact_force_end'] for summary in both]
    assert forces[0] > 15.0
    assert forces[1] < 1.0
    assert np.isfinite(forces).all()


class Timekeeper(Sensing):
    """Remembers the times of observations [s]."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def step(self, time: float, *_: Any) -> None:
        self.times.append(time)


def test_an_observation_has_the_time_at_the_end_of_its_step() -> None:
    loop = assemble(load_scenario(SCENARIO)).loop
    loop.sensing = timekeeper = Timekeeper()
    for _ in range(3):
        loop.step()
    loop.plant.close()
    assert timekeeper.times == [k * loop.control.period for k in (1, 2, 3)]


# Two hands on one object

HOLD = (
    'bimanual.tasks=[{do: approach, path: cp, clearance: 0.005, durations: [0.15]}, '
    '{do: grasp, squeeze: 20, durations: [0.15]}, {do: hold, duration: 0.3}]'
)
PUSHED = 'plant.pushes=[{link: wb_link_4_l, start: 0.5, duration: 1, force: [0, 0, -40]}]'


def test_wrist_readings_are_the_torque_of_the_object() -> None:
    """``J^T w`` at the sensors is what the plant knows to act from outside: only the object."""
    loop = assemble(load_scenario('workerbot_hold', [HOLD])).loop
    for _ in range(400):
        loop.step()
    truth = loop.plant.report().true_wrenches
    assert truth is not None
    felt = WristTorque(loop.control.model, 0.1, loop.control.period)
    found = felt.torque(loop.plant.truth.position, truth)
    # The plant's is the mean over its last step; the object rests.
    np.testing.assert_allclose(found, loop.plant.report().external, rtol=0.0, atol=0.02)
    assert np.abs(found).max() > 2.0  # N m
    lost = np.vstack((np.full(6, np.nan), truth[1]))
    torque = felt.torque(loop.plant.truth.position, lost)
    assert np.isfinite(torque).all()
    left, right = np.abs(found[:7]).max(), np.abs(found[7:]).max()
    assert np.abs(torque[:7]).max() < 1e-12 < 1.0 < min(left, right)


def torques_of_monitor(told: bool, *settings: str) -> np.ndarray:
    """Return the torques that an observer estimates [N m], shape ``(steps, n)``.

    :param told: whether it is told what the wrists feel.
    """
    loop = assemble(load_scenario('workerbot_hold', [HOLD, *settings])).loop
    model, period = loop.control.model, loop.control.period
    loop.sensing = MonitoredSensing(
        CollisionDetector(build_monitor('momentum_observer', model, period)),
        wrenches=loop.plant.report().wrenches,
        wrist_torque=WristTorque(model, 0.1, period) if told else None,
    )
    records = [loop.step() for _ in range(600)]
    assert records[-1].planner is not None
    assert 'hold' in records[-1].planner.activity
    return np.array([record.monitor.reading.torque for record in records])


def test_an_object_in_hand_is_no_collision() -> None:
    held, told = (torques_of_monitor(told) for told in (False, True))
    assert np.abs(held[-1]).max() > 2.0
    assert np.abs(told[-1]).max() < 0.05
    assert np.abs(told).max() < 0.2 * np.abs(held).max()


def test_the_bias_of_a_sensor_is_no_collision() -> None:
    """It would be 2 N at an arm of half a metre and more."""
    biased = torques_of_monitor(True, 'plant.sensors={bias: 2}')
    assert np.abs(biased[-1]).max() < 0.05


def test_what_touches_the_arm_elsewhere_is_still_seen() -> None:
    free, pushed = (torques_of_monitor(True, *more) for more in ((), (PUSHED,)))
    assert np.abs(free[-1]).max() < 0.05
    assert np.abs(pushed[-1]).max() > 2.0
    assert np.abs(pushed[-1, 7:]).max() < 0.5 < np.abs(pushed[-1, :7]).max()


def test_the_torque_of_the_inputs_is_estimated_or_true(two_link: RobotModel) -> None:
    """A real robot knows the estimated one only."""
    home, still = two_link.home, np.zeros(2)
    state = JointState(home, still)
    true = np.array([7.0, -7.0])
    for by_truth in (False, True):
        monitor = build_monitor('force_difference', two_link, 0.01)
        sensing = MonitoredSensing(CollisionDetector(monitor), by_truth=by_truth)
        for i in range(1, 4):
            sensing.step(
                0.01 * i,
                Setpoint(home, still),
                Command(still, still, np.array([1.0, 2.0]), False),
                home,
                Rollback(state, np.array([3.0, 5.0])),
                PlantReport(state, true),
            )
        np.testing.assert_array_equal(sensing.inputs.torque, true if by_truth else [2.0, 3.0])
