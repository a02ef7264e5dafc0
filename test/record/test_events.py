"""Events: each is told once, at the end of its step, in the order of time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from simloop_ros.core.values import (
    Command,
    Contact,
    JointState,
    PlantReport,
    Rollback,
    Setpoint,
)
from simloop_ros.loop.step_record import StepRecord
from simloop_ros.record.columns import COLUMNS
from simloop_ros.record.events import (
    END_WINDOW,
    RESIDUAL_WINDOW,
    EventRecorder,
    follows_disturbance,
    halt_reason,
    halt_step,
)
from simloop_ros.record.log import LogReader, LogWriter
from simloop_ros.scenario.loading import load_scenario

PERIOD = 0.01
LATE = 1e9  # after everything
ROUNDING = 1e-12  # of a mean


def recorder(*settings: str) -> EventRecorder:
    return EventRecorder(load_scenario('sphere_step', [f'period={PERIOD}', *settings]))


def touch(force: float, obstacle: str = 'wall') -> Contact:
    return Contact('sphere', obstacle, force, (0.0, 0.0, 0.0))


def times(events: list) -> list:
    return [(event['kind'], pytest.approx(event['time'])) for event in events]


def write(path: Path, rows: np.ndarray) -> LogReader:
    with LogWriter(path, rows.shape[2]) as writer:
        for row in rows:
            writer.append(row)
    return LogReader(path, rows.shape[2])


def test_an_effort_limit_is_told_once() -> None:
    events = recorder()
    for step in (3, 4, 7):
        events.saturation(step)
    assert times(events.events(LATE)) == [('effort_limit', 0.04)]


def test_a_contact_is_told_when_it_begins_and_ends() -> None:
    events = recorder()
    for step, contacts in enumerate([(), (touch(1.0),), (touch(2.0),), (), (touch(3.0),)]):
        events.contacts(step, contacts)
    found = events.events(LATE)
    assert times(found) == [('contact', 0.02), ('contact_end', 0.04), ('contact', 0.05)]
    assert found[0] == {**found[0], 'link': 'sphere', 'obstacle': 'wall', 'force': 1.0}


def test_two_contacts_are_two_events() -> None:
    events = recorder()
    events.contacts(0, (touch(1.0), touch(2.0, 'floor')))
    events.contacts(1, (touch(1.0),))
    assert times(events.events(LATE)) == [
        ('contact', 0.01),
        ('contact', 0.01),
        ('contact_end', 0.02),
    ]


@pytest.mark.parametrize(
    ('end', 'kinds'),
    [
        (0.5, []),
        (1.0, ['push_start']),
        (1.4, ['push_start']),
        (1.5, ['push_start', 'push_end']),
        (LATE, ['push_start', 'push_end']),
    ],
)
def test_a_push_counts_if_the_run_got_that_far(end: float, kinds: list[str]) -> None:
    events = recorder('plant.pushes=[{link: sphere, start: 1, duration: 0.5}]')
    assert [event['kind'] for event in events.events(end)] == kinds


@pytest.mark.parametrize(
    ('times', 'kinds'),
    [('start: 1, end: 2', ['hand_start', 'hand_end']), ('start: 1', ['hand_start'])],
)
def test_a_hand_takes_hold_and_lets_go(times: str, kinds: list[str]) -> None:
    hand = f'{{link: sphere, stiffness: 100, damping: 5, max_force: 20, {times}}}'
    events = recorder(f'plant.hands=[{hand}]')
    assert [event['kind'] for event in events.events(LATE)] == kinds


def test_events_are_in_the_order_of_time() -> None:
    events = recorder('plant.pushes=[{link: sphere, start: 1, duration: 0.5}]')
    events.add(119, 'note', text='x')
    events.saturation(9)
    assert times(events.events(LATE)) == [
        ('effort_limit', 0.1),
        ('push_start', 1.0),
        ('note', 1.2),
        ('push_end', 1.5),
    ]


def test_without_contact_there_is_no_contact_summary(tmp_path: Path) -> None:
    events = recorder()
    events.contacts(0, ())
    assert events.contact_summary(write(tmp_path / 'raw', np.zeros((1, 8, 1)))) == {}


def test_contact_forces_at_the_end_are_those_of_the_last_moment(tmp_path: Path) -> None:
    events, steps, last = recorder(), 1000, round(END_WINDOW / PERIOD)
    forces = 1.0 + np.random.default_rng(0).random(steps)
    for step, force in enumerate(forces):
        events.contacts(step, (touch(float(force)),))
    summary = events.contact_summary(write(tmp_path / 'raw', np.zeros((steps, 8, 1))))
    assert summary['contact_force_max'] == forces.max()
    assert summary['contact_force_end'] == pytest.approx(forces[-last:].mean(), rel=ROUNDING)


@pytest.mark.parametrize('first', [0, 5, 300, 499])
def test_signs_are_the_largest_differences_around_first_contact(
    tmp_path: Path, first: int
) -> None:
    """000 section 7.1; at the ends of the log there is less to look at."""
    events, width = recorder(), round(RESIDUAL_WINDOW / PERIOD)
    rows = np.random.default_rng(first).standard_normal((500, 8, 2))
    for step in range(500):
        events.contacts(step, (touch(1.0),) if step >= first else ())
    residuals = events.contact_summary(write(tmp_path / 'raw', rows))['contact_residuals']
    column = {name: rows[:, i] for i, name in enumerate(COLUMNS)}
    position = np.abs(column['measured_position'] - column['desired_position']).max(axis=1)
    force = np.abs(column['effort'] - column['rollback_effort']).max(axis=1)
    for name, values in (('position_difference', position), ('force_difference', force)):
        before, after = values[max(0, first - width) : first], values[first : first + width]
        assert residuals[name] == {'before': before.max(initial=0.0), 'after': after.max()}


def test_what_two_hands_do_is_told_when_it_begins() -> None:
    """Of a step: what it was told before it began."""
    events = recorder()
    doing = [
        'task 1 (approach)',
        'task 1 (approach)',
        'task 2 (grasp)',
        'stopped: a',
        'stopped: a',
    ]
    for step, word in enumerate([*doing, 'task 2 (grasp)']):
        events.task(step, word)
    told = [(event['time'], event['kind'], event['doing']) for event in events.events(LATE)]
    assert told == [
        (0.0, 'task', 'task 1 (approach)'),
        (pytest.approx(0.02), 'task', 'task 2 (grasp)'),
        (pytest.approx(0.03), 'task', 'stopped: a'),
        (pytest.approx(0.05), 'task', 'task 2 (grasp)'),
    ]


def test_hands_are_halted_in_the_step_in_which_they_first_stop() -> None:
    events = recorder()
    for step, word in enumerate(['task 1 (grasp)', 'task 2 (move)', 'task 2 (move)']):
        events.task(step, word)
        assert events.halted is None
    for step, word in enumerate(['stopped: a', 'stopped: b', 'task 2 (move)', 'stopped: a'], 3):
        events.task(step, word)
        assert events.halted == 3


def test_events_tell_the_step_of_the_first_halt() -> None:
    events = recorder()
    assert halt_step(events.events(LATE), PERIOD) is None
    for step, doing in ((0, 'task 1 (move)'), (7, 'stopped: weak: 1 N'), (29, 'stopped: lost')):
        events.task(step, doing)
    found = events.events(LATE)
    assert halt_step(found, PERIOD) == events.halted == 7
    assert [halt_reason(event) for event in found] == [None, 'weak: 1 N', 'lost']


def test_a_limit_that_was_applied_is_in_the_record_of_the_step() -> None:
    """Whatever the size of the effort."""
    events, state = recorder(), JointState(np.zeros(1), np.zeros(1))
    for index, saturated in enumerate((False, False, True, False, True)):
        events.take(
            StepRecord(
                index,
                Setpoint(state.position, state.velocity),
                Command(state.velocity, state.velocity, np.ones(1), saturated),
                state.position,
                Rollback(state, np.ones(1)),
                PlantReport(state, np.zeros(1)),
                None,
                None,
            )
        )
    assert times(events.events(LATE)) == [('effort_limit', 0.03)]
    assert events.limited_steps == 2


def test_a_contact_comes_before_the_report_of_the_same_step() -> None:
    recorder = EventRecorder(load_scenario('sphere_collision'))
    recorder.collision(3, 'push', -1.0, None)
    recorder.contacts(3, (touch(2.0, 'ceiling'),))
    assert [event['kind'] for event in recorder.events(1.0)] == ['contact', 'collision']


@pytest.mark.parametrize(
    ('time', 'follows'), [(2.4, False), (2.6, True), (3.1, True), (4.3, False)]
)
def test_a_force_settles_soon_after_a_disturbance_and_is_noise_later(
    time: float, follows: bool
) -> None:
    events = [{'kind': 'push_start', 'time': 2.5}, {'kind': 'push_end', 'time': 2.7}]
    assert follows_disturbance([*events, {'kind': 'task', 'time': 4.2}], time) == follows
