"""Uneven stamps: gaps stay gaps, and nothing comes from later than the next sample."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.errors import LogError
from simloop_ros.logs.recording import RobotRecording
from simloop_ros.logs.segments import examine_stamps, uniform_segments

PERIOD = 0.01


def log(time, position=None):
    position = np.sin(time)[:, None] if position is None else position
    return RobotRecording('log', ('j',), time, position, effort=2.0 * position)


def jittered(rows=500, seed=0):
    rng = np.random.default_rng(seed)
    return PERIOD * np.arange(rows) + rng.uniform(-0.3, 0.3, rows) * PERIOD


def test_even_samples_are_taken_as_they_are():
    made = log(PERIOD * np.arange(100))
    (segment,) = uniform_segments(made)
    np.testing.assert_array_equal(segment.recording.position, made.position)
    assert segment.period == pytest.approx(PERIOD)


def test_uneven_samples_lie_on_the_lines_between_them():
    time = jittered()
    (segment,) = uniform_segments(log(time, 3.0 * time[:, None] + 1.0))
    new = segment.recording
    np.testing.assert_allclose(np.diff(new.time), segment.period)
    np.testing.assert_allclose(new.position[:, 0], 3.0 * new.time + 1.0)
    np.testing.assert_allclose(new.effort[:, 0], 6.0 * new.time + 2.0)


def test_nothing_is_taken_from_later_than_the_next_sample():
    time = jittered()
    made = log(time)
    changed = made.position.copy()
    changed[300:] += 1.0
    (one,), (other,) = uniform_segments(made), uniform_segments(log(time, changed))
    same = one.recording.time <= time[299]
    np.testing.assert_array_equal(one.recording.position[same], other.recording.position[same])


def test_gaps_stay_gaps():
    time = jittered()
    kept = (time < 1.0) | (time > 1.5)
    kept[400:402] = False  # two lost samples are no gap
    parts = uniform_segments(log(time[kept]))
    assert len(parts) == 2
    assert parts[0].recording.time[-1] < 1.01
    assert parts[1].start > 1.49
    stamps = examine_stamps(time[kept], 'log')
    assert stamps.gaps == 1
    assert stamps.missing == pytest.approx(0.5, abs=0.03)
    assert '1 gaps' in stamps.line()


def test_duplicates_and_single_steps_back_are_left_out_and_counted():
    time = PERIOD * np.arange(500)
    time[100] = time[99]
    time[200] = time[150]
    stamps = examine_stamps(time, 'log')
    assert (stamps.duplicates, stamps.backward) == (1, 1)
    (segment,) = uniform_segments(log(time, np.arange(500.0)[:, None]))
    np.testing.assert_allclose(np.diff(segment.recording.position[:, 0]), 1.0, atol=1e-9)


def test_jitter_is_measured():
    stamps = examine_stamps(jittered(5000), 'log')
    # Of the difference of two uniform numbers.
    assert stamps.jitter == pytest.approx(0.6 * PERIOD / np.sqrt(6.0), rel=0.1)
    assert not stamps.even


@pytest.mark.parametrize(
    ('time', 'words'),
    [
        (np.zeros(100), 'all 100 stamps are equal'),
        (np.arange(3.0), '3 samples'),
        (np.concatenate([np.arange(100.0)] * 2), 'go back in time, the first after 99 s'),
        (np.cumsum(1.0 + 9.0 * (np.arange(90) % 5 == 4)), 'without a gap'),
    ],
)
def test_stamps_that_cannot_be_used_are_refused(time, words):
    with pytest.raises(LogError, match=words):
        uniform_segments(log(np.asarray(time, float)))
