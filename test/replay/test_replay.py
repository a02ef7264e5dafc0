"""A log through the monitors: thresholds from one part, the rest is judged."""

from __future__ import annotations

import json

import msgspec
import numpy as np
from pages import ROOT, blocks
import pytest
from robot_logs import recording

from simloop_ros.collision.explanation import nothing_learnt
from simloop_ros.core.errors import ConfigError, LogError
from simloop_ros.replay.identified import fitted_span
from simloop_ros.replay.injection import (
    ContactConfig,
    ContactTorque,
    InjectionConfig,
    RandomContacts,
    load_injection,
    rise,
)
from simloop_ros.replay.monitoring import Span
from simloop_ros.replay.replay import ReplaySettings, replay

HAND, FOREARM = 'lwr_7_link', 'lwr_4_link'
KIND = 'disturbance_observer'
SETTINGS = ReplaySettings(kinds=(KIND,))


@pytest.fixture(scope='module')
def lwr(shipped):
    return shipped('lwr')


@pytest.fixture(scope='module')
def made(lwr):
    return recording(lwr, 16.0, period=0.01, noise=0.5)


@pytest.fixture(scope='module')
def plain(lwr, made):
    trials = RandomContacts(links=(HAND, FOREARM), forces=(0.5, 2.0, 40.0), count=12)
    contact = ContactConfig(link=HAND, time=12.0, force=(0.0, 0.0, 30.0), duration=0.5)
    injection = InjectionConfig(contacts=(contact,), random=trials)
    return replay(made, lwr, SETTINGS, injection=injection)


def test_free_motion_has_no_alarm_and_says_how_little_that_shows(plain):
    (run,) = plain.runs
    assert run.alarms == ()
    assert run.rate.judged == pytest.approx(8.0, abs=0.3)
    assert run.rate.highest == pytest.approx(3600.0 * 2.9957 / run.rate.judged, rel=1e-3)


def test_thresholds_come_from_their_part_only(lwr, made, plain):
    """Noise that begins later changes no threshold, and alarms."""
    assert made.effort is not None
    loud = made.effort.copy()
    loud[made.time > 14.0] *= 1.3
    found = replay(msgspec.structs.replace(made, effort=loud), lwr, SETTINGS)
    assert found.calibration.thresholds == plain.calibration.thresholds
    assert min(alarm.start for alarm in found.runs[0].alarms) > 13.9
    assert not found.runs[0].judged[made.time < 7.9].any()
    assert Span(0.5, 1.0).holds(np.array([7.9, 8.1, 16.0]), 16.0).tolist() == [False, True, True]


def test_a_strong_injected_contact_is_found_and_a_tiny_one_is_not(plain):
    table = {(row.link, row.force): row for row in plain.sensitivity}
    for link in (HAND, FOREARM):
        strong, tiny = table[link, 40.0], table[link, 0.5]
        assert strong.share >= 0.75  # a force along the arm has next to no torque
        assert tiny.share <= strong.share
        assert strong.trials + strong.left_out == 12
        assert 0.0 < strong.median_delay <= strong.p95_delay < 0.4
    assert table[HAND, 0.5].share < 0.5


def test_an_injected_contact_leaves_the_real_run_alone(lwr, made, plain):
    bare = replay(made, lwr, SETTINGS)
    np.testing.assert_array_equal(bare.runs[0].torque, plain.runs[0].torque)
    assert plain.runs[0].alarms == ()
    (found,) = plain.found
    assert found.delay is not None
    assert found.delay < 0.1
    assert found.torque_error < 1.5  # of 30 N, with noise of 0.5 N m
    assert plain.injected_runs[0].alarms


def test_the_estimated_torque_is_that_of_the_force(lwr, made, plain):
    (run,) = plain.injected_runs
    row = int(np.searchsorted(made.time, 12.4))
    torque = ContactTorque(lwr).torque(made.position[row], HAND, np.array([0.0, 0.0, 30.0]))
    np.testing.assert_allclose(run.torque[row], torque, atol=2.5)
    assert np.abs(torque).max() > 5.0


def test_trials_are_the_same_for_the_same_seed_only(lwr, made, plain):
    def trials(seed):
        random = RandomContacts(links=(HAND,), forces=(2.0,), count=12, seed=seed)
        return replay(made, lwr, SETTINGS, injection=InjectionConfig(random=random)).sensitivity

    assert trials(1)[0] == plain.sensitivity[1]
    assert trials(2) != trials(1)


def test_an_identified_robot_explains_more(lwr):
    made = recording(lwr, 12.0, period=0.01, noise=0.05, coulomb=2.0)
    learnt = msgspec.structs.replace(
        nothing_learnt(lwr), coulomb=(2.0,) * lwr.n, smoothing=(0.01,) * lwr.n
    )
    found = replay(made, lwr, SETTINGS, learnt)
    for own, urdf in zip(found.fits, found.urdf_fits, strict=True):
        assert own.error_rms < 0.5 * urdf.error_rms
    # The slowest joint hardly turns in this log: while it sticks, it may hold all its friction.
    assert np.min(np.array(found.calibration.thresholds[KIND])[1, :, 0]) > 2.0 * 2.0
    assert found.runs[0].alarms == ()


def test_what_the_robot_was_identified_from_is_not_judged(lwr, made, tmp_path):
    folder = tmp_path / 'identified'
    folder.mkdir()
    log = tmp_path / 'log.csv'
    summary = {'fit_on': '0:0.25', 'logs': [str(log)]}
    (folder / 'summary.json').write_text(json.dumps(summary))
    fitted = fitted_span(folder, log)
    assert fitted == Span(0.0, 0.25)
    assert fitted_span(folder, tmp_path / 'other.csv') is None
    assert fitted_span(log, log) is None
    settings = ReplaySettings(kinds=(KIND,), calibrate_on=Span(0.25, 0.75), fitted=fitted)
    found = replay(made, lwr, settings)
    assert not found.runs[0].judged[made.time < 11.9].any()
    assert found.runs[0].judged[made.time > 12.1].all()
    assert found.hints == ()
    both = msgspec.structs.replace(settings, calibrate_on=Span(0.0, 0.5))
    assert 'may be too low' in replay(made, lwr, both).hints[0]
    all_used = msgspec.structs.replace(settings, calibrate_on=Span(0.25, 1.0))
    with pytest.raises(LogError, match='nothing is left to judge'):
        replay(made, lwr, all_used)


def test_a_log_without_efforts_is_refused(lwr, made):
    bare = msgspec.structs.replace(made, effort=None)
    with pytest.raises(LogError, match='no efforts in the log'):
        replay(bare, lwr, SETTINGS)
    sent = msgspec.structs.replace(bare, command=made.effort)
    with pytest.raises(LogError, match=r'no measured torques in the log; .*--signal command'):
        replay(sent, lwr, ReplaySettings(signal='measured'))


def test_too_short_a_log_is_refused(lwr, made):
    with pytest.raises(LogError, match='too short for thresholds'):
        replay(made.picked(made.time < 4.0), lwr, SETTINGS)


def test_a_monitor_that_needs_more_than_a_log_has_is_refused(lwr, made):
    with pytest.raises(ConfigError, match='position_difference'):
        replay(made, lwr, ReplaySettings(kinds=('position_difference',)))


# Injection


def test_the_torque_of_a_force_is_its_power_by_speed(lwr):
    """``tau^T v = f^T dp/dt`` of the point that it acts on."""
    rng = np.random.default_rng(0)
    q, v, force = lwr.home, rng.normal(size=lwr.n), rng.normal(size=3)
    point = np.array([0.1, -0.2, 0.05])
    torque = ContactTorque(lwr).torque(q, FOREARM, force, point)

    def place(x):
        return lwr.frame_poses(x, [FOREARM])[0].act(point)

    step = 1e-6
    velocity = (place(q + step * v) - place(q - step * v)) / (2.0 * step)
    assert torque @ v == pytest.approx(force @ velocity, rel=1e-6)


def test_a_force_rises_stays_and_ends():
    assert [rise(t, 1.0, 0.5) for t in (-0.1, 0.0, 0.25, 0.6, 1.0)] == [0.0, 0.0, 0.5, 1.0, 0.0]
    assert rise(0.0, 1.0, 0.0) == 1.0


def test_contacts_are_typed_data(lwr, tmp_path):
    path = tmp_path / 'contacts.yaml'
    path.write_text(
        f'contacts:\n- {{link: {HAND}, time: 1, force: [0, 3, 4]}}\n'
        f'- {{link: {HAND}, time: 2, size: 10, direction: [0, 0, 2]}}\n'
    )
    one, two = load_injection(path, lwr, 10.0).contacts
    np.testing.assert_allclose(one.vector, [0.0, 3.0, 4.0])
    np.testing.assert_allclose(two.vector, [0.0, 0.0, 10.0])


def test_the_contacts_of_the_page_are_valid(shipped, tmp_path):
    (block,) = (b for b in blocks(ROOT / 'docs' / 'logs.md', 'yaml') if 'contacts' in b)
    path = tmp_path / 'contacts.yaml'
    path.write_text(block)
    found = load_injection(path, shipped('irb120'), 20.0)
    assert found.random is not None
    assert len(found.contacts) == 2


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('{}', 'nothing to inject'),
        ('random: {links: [lwr_8_link], forces: [1]}', 'did you mean lwr_'),
        ('random: {links: [lwr_7_link], forces: []}', 'at least one'),
        ('random: {link: [lwr_7_link], forces: [1]}', 'did you mean random.links'),
        ('contacts: [{link: lwr_7_link, time: 1, size: 5}]', 'with a direction'),
        ('contacts: [{link: lwr_7_link, time: 1, force: [0, 0, 0]}]', 'of zero'),
        ('contacts: [{link: lwr_7_link, time: 99, force: [0, 0, 1]}]', 'the log has 10 s'),
        ('contacts: [{link: lwr_base_link, time: 1, force: [0, 0, 1]}]', 'does not move'),
    ],
)
def test_contacts_that_cannot_be_injected_are_refused(lwr, tmp_path, text, words):
    path = tmp_path / 'contacts.yaml'
    path.write_text(text)
    with pytest.raises(ConfigError, match=words):
        load_injection(path, lwr, 10.0)
