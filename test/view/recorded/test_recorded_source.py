"""A recorded run as frames: those of the log, at any time, in any order."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.core.errors import SimloopError
from simloop_ros.record.columns import DESIRED_POSITION, TRUE_POSITION
from simloop_ros.record.mcap import read_mcap
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.view.actions import (
    Halt,
    Pause,
    Play,
    Reset,
    Seek,
    SetSpeed,
    Step,
)
from simloop_ros.view.recorded import recorded_frames
from simloop_ros.view.recorded.recorded_source import RecordedSource

HAND_ERROR = 0.03
"""Share by which the force of a hand differs: the log has its torque's mean over a step."""


def no_clock() -> float:
    return 0.0


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def record(folder, scenario, *settings):
    """Make a run, and return its folder and the forces that its hands had."""
    assembly = assemble(load_scenario(scenario, settings))
    hands = []
    step = assembly.loop.step

    def kept():
        made = step()
        hands.append([hand.force for hand in made.plant.hands])
        return made

    assembly.loop.step = kept
    run(assembly, folder, no_clock)
    return folder, hands


@pytest.fixture(scope='module')
def sphere_run(tmp_path_factory):
    return record(tmp_path_factory.mktemp('sphere') / 'run', 'sphere_collision')[0]


@pytest.fixture(scope='module')
def guided(tmp_path_factory):
    return record(
        tmp_path_factory.mktemp('lwr') / 'run', 'lwr_tcp', 'duration=1.5', 'period=0.002'
    )


@pytest.fixture(scope='module')
def beam(tmp_path_factory):
    folder = tmp_path_factory.mktemp('beam') / 'run'
    return record(folder, 'yumi_hold', 'duration=0.5', 'period=0.002')[0]


def test_frames_are_rows_of_the_log_in_any_order(sphere_run):
    source = RecordedSource(sphere_run, no_clock)
    log = read_mcap(sphere_run / 'log.mcap')
    for step in np.random.default_rng(0).integers(0, len(log.time), 40):
        frame = source.frame_at(float(log.time[step]))
        assert frame.time == pytest.approx(log.time[step])
        np.testing.assert_array_equal(frame.joints, log.column('true_position')[step])
        np.testing.assert_array_equal(frame.twin, log.column('position')[step])
        assert frame.times[-1] == pytest.approx(frame.time)


def test_signals_of_consecutive_frames_are_the_log(sphere_run):
    clock = Clock()
    source = RecordedSource(sphere_run / 'log.mcap', clock)
    log = read_mcap(sphere_run / 'log.mcap')
    source.send(Play())
    traces = []
    while (frame := source.frame()) is not None:
        traces.append(frame.trace[:, :2])
        clock.now += 1.0 / 30.0
    played = np.concatenate(traces)
    np.testing.assert_array_equal(played, log.columns[:, [DESIRED_POSITION, TRUE_POSITION]])


def test_signals_after_a_leap_keep_their_extremes(sphere_run, monkeypatch):
    monkeypatch.setattr(recorded_frames, 'MOST_ROWS', 20)
    log = read_mcap(sphere_run / 'log.mcap')
    frame = RecordedSource(sphere_run, no_clock).frame_at(float(log.time[-1]))
    first = max(0, len(log.time) - round(recorded_frames.WINDOW / log.period))
    efforts = frame.trace[:, [name for name, _ in SPHERE_COLUMNS].index('effort')]
    assert len(efforts) <= 20
    shown = log.column('effort')[first:]
    assert (efforts.min(), efforts.max()) == (shown.min(), shown.max())


SPHERE_COLUMNS = tuple(
    pair for name, pair in recorded_frames.TRACES.items() if 'external' not in name
)


def test_play_pause_step_seek_reset(sphere_run):
    clock = Clock()
    source = RecordedSource(sphere_run, clock)
    h = source.description().period
    first = source.frame()
    assert first is not None
    assert first.time == 0.0
    np.testing.assert_array_equal(first.joints, source.description().model.home)
    assert source.frame() is None
    source.send(SetSpeed(0.5))
    source.send(Play())
    source.frame()
    clock.now = 0.2
    playing = source.frame()
    assert playing is not None
    assert playing.time == pytest.approx(0.1, abs=h)
    assert playing.progress.playing
    source.send(Pause())
    source.send(Step(3))
    stepped = source.frame()
    assert stepped is not None
    assert stepped.time == pytest.approx(playing.time + 3 * h)
    source.send(Seek(source.duration))
    last = source.frame()
    assert last is not None
    assert last.progress.ended
    source.send(Reset())
    again = source.frame()
    assert again is not None
    assert again.time == 0.0
    assert not again.progress.ended
    source.send(Halt())
    source.send(SetSpeed(-1.0))
    assert [notice.level for notice in source.notices()] == ['error', 'error']


def test_a_hand_is_found_in_the_external_torque(guided):
    folder, hands = guided
    source = RecordedSource(folder, no_clock)
    h, compared = source.description().period, 0
    for step in range(0, len(hands), 10):
        true = hands[step][0]
        size = float(np.linalg.norm(true))
        if size < 1.0:
            continue
        (force,) = source.frame_at((step + 1) * h).forces
        assert force.kind == 'hand'
        np.testing.assert_allclose(force.vector, true, atol=HAND_ERROR * size)
        compared += 1
    assert compared > 20
    masses = source.frame_at(1.0).effective_masses
    assert masses is not None
    assert (np.linalg.norm(masses, axis=1) > 0.0).all()


def test_no_force_is_made_up_that_moves_no_joint(tmp_path):
    folder, hands = record(tmp_path / 'run', 'lwr_full_body', 'duration=1.5', 'period=0.004')
    source = RecordedSource(folder, no_clock)
    true = hands[-1][0]
    (force,) = source.frame_at(1.5).forces
    size = float(np.linalg.norm(true))
    assert 0.8 * size < float(np.linalg.norm(force.vector)) <= (1.0 + HAND_ERROR) * size
    # Two joints move the elbow, on a sphere: the rest of the force points to its centre.
    assert abs(force.vector @ (true - force.vector)) < HAND_ERROR * size**2


def test_the_beam_of_two_hands_is_where_the_log_has_it(beam):
    source = RecordedSource(beam, no_clock)
    hands = read_mcap(beam / 'hands.mcap')
    (described,) = source.description().bodies
    (body,) = source.frame_at(float(hands.time[100])).bodies
    assert body.name == described.name
    np.testing.assert_array_equal(body.position, hands.column('object_pose')[100, :3])
    assert source.frame_at(0.4).activity.startswith('task')


def test_contacts_and_alarms_are_those_of_the_events(sphere_run):
    source = RecordedSource(sphere_run, no_clock)
    events = json.loads((sphere_run / 'summary.json').read_text())['events']
    contact = next(event for event in events if event['kind'] == 'contact')
    assert 'touches' in source.frame_at(contact['time']).activity


def test_the_urdf_is_not_needed_again(sphere_run, tmp_path):
    folder = tmp_path / 'moved'
    shutil.copytree(sphere_run, folder)
    log = read_mcap(folder / 'log.mcap')
    assert RecordedSource(folder, no_clock).description().model.joint_names == log.joint_names


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ('.', 'not the folder of a run'),
        ('nowhere', 'not there'),
        ('other.mcap', 'not a complete log'),
        ('cut.mcap', 'not a complete log'),
        ('empty.mcap', 'not a complete log'),
    ],
)
def test_what_is_no_run_is_one_line(sphere_run, tmp_path, given, words):
    log = (sphere_run / 'log.mcap').read_bytes()
    (tmp_path / 'cut.mcap').write_bytes(log[: len(log) // 2])
    (tmp_path / 'empty.mcap').write_bytes(b'')
    (tmp_path / 'other.mcap').write_text('steps')
    with pytest.raises(SimloopError, match=words) as caught:
        RecordedSource(tmp_path / given, no_clock)
    assert '\n' not in str(caught.value)


def test_the_log_of_hands_alone_is_refused(beam):
    with pytest.raises(SimloopError, match='log of two hands'):
        RecordedSource(beam / 'hands.mcap', no_clock)
