import hashlib

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from simloop_ros.record.columns import COLUMNS
from simloop_ros.record.log import LogReader, LogWriter
from simloop_ros.record.metrics import compute_metrics

ROUNDING = 1e-12  # sums of the same numbers in another order


def write(path, rows):
    with LogWriter(path, rows.shape[2]) as writer:
        for row in rows:
            writer.append(row)
    return LogReader(path, rows.shape[2])


def rms(values):
    return np.sqrt(np.mean(values**2))


@pytest.mark.parametrize('count', [1, 4096, 5000])
def test_against_plain_numpy(tmp_path, count):
    rows = np.random.default_rng(count).standard_normal((count, 8, 3))
    metrics = compute_metrics(write(tmp_path / 'raw', rows))
    column = {name: rows[:, i] for i, name in enumerate(COLUMNS)}
    path = column['measured_position'] - column['desired_position']
    truth = column['true_position'] - column['desired_position']
    force = column['effort'] - column['rollback_effort']
    velocity = column['velocity'] - column['desired_velocity']
    assert metrics.path_error_rms == pytest.approx(rms(path), rel=ROUNDING)
    assert metrics.path_error_max == np.abs(path).max()
    assert metrics.true_path_error_rms == pytest.approx(rms(truth), rel=ROUNDING)
    assert metrics.true_path_error_max == np.abs(truth).max()
    assert metrics.force_difference_rms == pytest.approx(rms(force), rel=ROUNDING)
    assert metrics.force_difference_max == np.abs(force).max()
    assert metrics.force_difference_end == tuple(force[-1])
    assert metrics.velocity_difference_rms == pytest.approx(rms(velocity), rel=ROUNDING)
    assert metrics.digest == hashlib.sha256(rows.tobytes()).hexdigest()


@given(row=st.integers(0, 8), column=st.integers(0, 7), bit=st.integers(0, 63))
def test_digest_changes_with_any_bit(tmp_path_factory, row, column, bit):
    path = tmp_path_factory.mktemp('log') / 'raw'
    rows = np.random.default_rng(0).standard_normal((9, 8, 1))
    before = compute_metrics(write(path, rows)).digest
    rows.view(np.uint64)[row, column, 0] ^= np.uint64(1 << bit)
    assert compute_metrics(write(path, rows)).digest != before


def test_an_empty_log_gives_zeros(tmp_path):
    metrics = compute_metrics(write(tmp_path / 'raw', np.empty((0, 8, 2))))
    assert metrics.path_error_rms == metrics.force_difference_max == 0.0
    assert metrics.force_difference_end == (0.0, 0.0)
    assert metrics.digest == hashlib.sha256().hexdigest()


@pytest.mark.parametrize('bad', [np.nan, np.inf])
def test_a_number_that_is_none_shows_wherever_it_is(tmp_path, bad):
    rows = np.zeros((9000, 8, 2))
    rows[100, COLUMNS.index('effort'), 1] = bad
    metrics = compute_metrics(write(tmp_path / 'raw', rows))
    assert not np.isfinite(metrics.force_difference_rms)
    assert not np.isfinite(metrics.force_difference_max)
    assert metrics.path_error_max == 0.0
