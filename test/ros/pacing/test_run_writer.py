"""A run that is recorded from topics: its events, its end, its results."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import Command, JointState, PlantReport, Rollback, Setpoint
from simloop_ros.loop.step_record import StepRecord
from simloop_ros.record.run_folder import RunFolder
from simloop_ros.ros.messages.joint_state import DecodedJointState
from simloop_ros.ros.messages.notice import Notice
from simloop_ros.ros.messages.safety_status import CONTROL, SafetyStatus
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.pacing.run_writer import MAX_EVENTS, RunWriter, read_facts
from simloop_ros.scenario.loading import load_scenario

STEPS = 5
SETTINGS = ['period=0.01', f'duration={STEPS * 0.01}']


class Clock:
    """A clock that goes on by a second whenever somebody reads it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def open_writer(folder: Path, *, realtime: bool) -> RunWriter:
    text = msgspec.json.encode(load_scenario('sphere_step', SETTINGS)).decode()
    facts = read_facts(text, simulated=True)
    return RunWriter(facts, RunFolder(folder / 'out'), Clock(), realtime=realtime)


@pytest.fixture
def writer(tmp_path: Path) -> RunWriter:
    return open_writer(tmp_path, realtime=False)


@pytest.fixture
def realtime(tmp_path: Path) -> RunWriter:
    return open_writer(tmp_path, realtime=True)


def step(value: float = 0.0, index: int = 0, *, limited: bool = False) -> StepRecord:
    array = np.full(1, value)  # the sphere has one joint
    state = JointState(array, array)
    return StepRecord(
        index,
        Setpoint(array, array),
        Command(array, array, array, limited),
        array,
        Rollback(state, array),
        PlantReport(state, array),
    )


def take(writer: RunWriter, steps: int, *, periods: int = 1, kind: str = '') -> None:
    """Take rows in real time, each of some periods, in which the robot rests."""
    assert writer.timing is not None
    for _ in range(steps):
        begin = sum(writer.timing.row_steps)
        start, end = stamp_of(100 + begin, 0.01), stamp_of(100 + begin + periods, 0.01)
        writer.timing.command(start)
        writer.take(step(0.0, writer.rows))
        command = DecodedJointState(start, np.zeros(1), np.zeros(1), np.zeros(1), kind)
        state = DecodedJointState(end, np.zeros(1), np.zeros(1), np.zeros(1))
        writer.note_stamps(command, state)


def test_in_real_time_a_stop_is_told_once(realtime: RunWriter) -> None:
    """Whoever is heard first: the plant repeats the reason of control."""
    reason = 'desired_joint_states: no message for 50 periods'
    take(realtime, 2)
    realtime.take_safety(SafetyStatus(CONTROL, '', 0))
    realtime.take_safety(SafetyStatus('plant', f'{CONTROL}: {reason}', 1))
    realtime.take_safety(SafetyStatus(CONTROL, reason, 1, stamp=stamp_of(102, 0.01)))
    take(realtime, STEPS - 2)
    realtime.take_safety(SafetyStatus('plant', 'after the end', 2))
    summary = realtime.finish()
    assert summary['status'] == 'stopped'
    assert summary['verdict'][0] == f'stopped at 0.03 s: {CONTROL}: {reason}'
    (event,) = events(realtime)
    assert event == {'time': 0.03, 'kind': 'stop', 'source': CONTROL, 'message': reason}


def test_in_real_time_a_stop_that_stands_is_no_interruption(realtime: RunWriter) -> None:
    take(realtime, 2)
    realtime.take_safety(SafetyStatus('plant', 'brakes', 1))
    take(realtime, 1)
    assert realtime.finish()['status'] == 'stopped'


def test_in_real_time_a_robot_that_was_released_can_be_interrupted(realtime: RunWriter) -> None:
    take(realtime, 1)
    realtime.take_safety(SafetyStatus(CONTROL, 'requested by service', 1))
    realtime.take_safety(SafetyStatus('plant', f'{CONTROL}: requested by service', 1))
    take(realtime, 1)
    realtime.take_safety(SafetyStatus(CONTROL, '', 1))
    realtime.take_safety(SafetyStatus('plant', '', 1))
    assert realtime.finish()['status'] == 'interrupted'
    assert [(e['kind'], e['source']) for e in events(realtime)] == [
        ('stop', CONTROL),
        ('release', CONTROL),
    ]


def test_periods_without_a_command_are_late(realtime: RunWriter) -> None:
    """Of seven periods two have none, and no state either."""
    take(realtime, 3)
    take(realtime, 1, periods=3)
    take(realtime, 1)
    summary = realtime.finish()
    assert summary['late_share'] == pytest.approx(2 / 7)
    assert summary['longest_gap'] == pytest.approx(0.03)
    assert summary['largest_acceleration'] == {'joints': 0.0, 'tips': 0.0}
    assert summary['verdict'][1] == '28.6 % of the periods were late, the longest gap was 30 ms'


def test_in_lockstep_nothing_is_said_about_time(writer: RunWriter) -> None:
    for k in range(STEPS):
        writer.take(step(0.0, k))
    assert not {'late_share', 'longest_gap', 'largest_acceleration'} & set(writer.finish())


def events(writer: RunWriter) -> list[dict[str, object]]:
    return json.loads((writer.folder.publish() / 'summary.json').read_text())['events']


def test_a_complete_run_ends_with_its_last_step(writer: RunWriter) -> None:
    assert writer.elapsed == 0.0
    for k in range(STEPS):
        assert not writer.complete
        writer.take(step(float(k), k))
    assert (writer.complete, writer.rows, writer.elapsed) == (True, STEPS, 1.0)
    summary = writer.finish()
    assert (summary['status'], summary['steps']) == ('ended', STEPS)
    assert summary['real_time_factor'] == pytest.approx(STEPS * 0.01)
    folder = writer.folder.publish()
    assert {path.name for path in folder.iterdir()} == {'log.mcap', 'summary.json'}


def test_limited_efforts_are_those_that_control_reports(writer: RunWriter) -> None:
    """Not those that happen to be at a limit."""
    for index, limited in enumerate((False, True, True, False)):
        writer.take(step(1e6, index, limited=limited))
    summary = writer.finish()
    assert summary['effort_limited_steps'] == 2
    (event,) = events(writer)
    assert event['kind'] == 'effort_limit'
    assert event['time'] == pytest.approx(0.02)


def test_a_divergence_ends_the_run_at_its_step(writer: RunWriter) -> None:
    for _ in range(2):
        writer.take(step())
    writer.take_safety(SafetyStatus('plant', 'brakes', 1, stamp=stamp_of(1, 0.01)))
    assert not writer.complete
    diverged = SafetyStatus(CONTROL, 'ran away', 1, diverged=True, stamp=stamp_of(3, 0.01))
    writer.take_safety(diverged)
    assert (writer.steps, writer.complete) == (3, False)
    writer.take(step())
    assert writer.complete
    assert writer.finish()['status'] == 'diverged'
    kinds = [event['kind'] for event in events(writer)]
    assert kinds == ['stop', 'divergence']


def test_in_real_time_a_notice_belongs_to_the_present_step(writer: RunWriter) -> None:
    for _ in range(3):
        writer.take(step())
    writer.take_notice(Notice(0, True, 'push', -0.5))
    for _ in range(2 * MAX_EVENTS):
        writer.take_notice(Notice(0, True, 'impact', 0.0))
    assert writer.finish()['status'] == 'interrupted'
    first, second = events(writer)
    assert (first['kind'], first['nature'], first['margin']) == ('collision', 'push', -0.5)
    assert first['time'] == pytest.approx(0.04)
    assert second['nature'] == 'impact'


def test_what_is_no_scenario_is_refused() -> None:
    with pytest.raises(ConfigError, match=r'recorder\.scenario: not a scenario'):
        read_facts('{"name": 5}', simulated=True)
