"""Logs of a program that polls: the motion tells when samples were taken."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from robot_logs import motion, recording

from simloop_ros.logs.recording import RobotRecording
from simloop_ros.logs.sample_clock import on_sender_clock

PERIOD = 1e-3
DIGITS = 4  # that positions are printed with


@pytest.fixture(scope='module')
def lwr(shipped):
    return shipped('lwr')


def polled(model, seed=0, rows=4000):
    """Return a log of a reader that is about as fast as the robot, and the ticks of its rows."""
    rng = np.random.default_rng(seed)
    read = np.cumsum(rng.uniform(0.7e-3, 1.35e-3, rows))
    read[rows // 2 :] += 0.0086  # a pause of the reader
    ticks = np.floor(read / PERIOD)
    q, v, _ = motion(model, PERIOD * ticks)
    log = RobotRecording('polled', model.joint_names, read, q.round(DIGITS), v.round(5), 2.0 * q)
    return log, ticks


def test_samples_get_the_times_at_which_they_were_taken(lwr):
    log, ticks = polled(lwr)
    found = on_sender_clock(log)
    fresh = np.concatenate(([True], np.diff(ticks) > 0))
    assert found.rows == fresh.sum()
    expected = PERIOD * (ticks[fresh] - ticks[0])
    wrong = np.abs(found.time - found.time[0] - expected) > 0.1 * PERIOD
    # After the pause one tick more or less cannot be told.
    assert not wrong[: fresh[: len(ticks) // 2].sum()].any()
    np.testing.assert_allclose(np.diff(found.time)[-500:], np.diff(expected)[-500:], rtol=1e-3)
    np.testing.assert_array_equal(found.effort, log.effort[fresh])
    again = (~fresh).sum()
    assert f'{again} rows are a sample again' in found.notes[0]


def test_accelerations_are_far_less_noisy(lwr):
    log, _ = polled(lwr)

    def noise(each):
        grid = np.arange(0.1, 1.5, PERIOD)
        q = np.interp(grid, each.time - each.time[0], each.position[:, 0])
        return np.diff(q, 2).std()

    assert noise(on_sender_clock(log)) < 0.5 * noise(log)


def test_even_stamps_of_a_reader_that_is_faster_than_the_robot(lwr):
    """A publisher at 30 Hz of samples that come at 29.3 Hz: now and then one comes twice."""
    stamps = np.arange(1200) / 30.0
    ticks = np.floor(stamps * 29.3)
    q, v, _ = motion(lwr, ticks / 29.3)
    log = RobotRecording('log', lwr.joint_names, stamps, q, v, 2.0 * q)
    found = on_sender_clock(log)
    assert found.rows == len(np.unique(ticks))
    np.testing.assert_allclose(np.diff(found.time), 1.0 / 29.3, rtol=1e-3)


def test_a_robot_at_rest_is_not_read_twice(lwr):
    """All numbers of a simulated robot may stay the same: that is no sample again."""
    even = recording(lwr, 2.0, period=0.002)
    still = np.minimum(np.arange(1000), 600)
    rest = even.picked(still)
    rest = msgspec.structs.replace(rest, time=even.time, velocity=rest.velocity.copy())
    rest.velocity[600:] = 0.0
    assert on_sender_clock(rest) is rest


def test_nothing_later_counts(lwr):
    log, _ = polled(lwr)
    cut = log.picked(slice(0, 2500))
    whole, part = on_sender_clock(log), on_sender_clock(cut)
    np.testing.assert_allclose(whole.time[: part.rows], part.time, rtol=1e-4)


def test_stamps_that_are_those_of_the_samples_stay(lwr):
    even = recording(lwr, 2.0, period=0.002)
    assert on_sender_clock(even) is even
    rng = np.random.default_rng(0)
    uneven = recording(lwr, time=np.cumsum(rng.uniform(0.7e-3, 1.35e-3, 2000)))
    assert on_sender_clock(uneven) is uneven
    log, _ = polled(lwr)
    bare = msgspec.structs.replace(log, velocity=None)
    assert on_sender_clock(bare) is bare
