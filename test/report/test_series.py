import numpy as np

from simloop_ros.record.columns import COLUMNS
from simloop_ros.record.log import LogReader, LogWriter
from simloop_ros.report.series import DIFFERENCES, series_of


def series(path, rows, points):
    with LogWriter(path, rows.shape[2]) as writer:
        for row in rows:
            writer.append(row)
    return series_of(LogReader(path, rows.shape[2]), 0.005, ['a', 'b'], ['rad', 'm'], points)


def test_a_short_log_is_drawn_as_it_is(tmp_path):
    rows = np.random.default_rng(0).standard_normal((50, 8, 2))
    got = series(tmp_path / 'raw', rows, 4000)
    np.testing.assert_allclose(got.time, 0.005 * np.arange(1, 51), rtol=1e-15)
    assert set(got.curves) == {*COLUMNS, *DIFFERENCES}
    for i, name in enumerate(COLUMNS):
        np.testing.assert_array_equal(got.curves[name], rows[:, i])


def test_differences_keep_their_own_extremes(tmp_path):
    rows = np.random.default_rng(0).standard_normal((10_000, 8, 2))
    got = series(tmp_path / 'raw', rows, 100)
    assert len(got.time) <= 100
    for name, (minuend, subtrahend) in DIFFERENCES.items():
        full = rows[:, COLUMNS.index(minuend)] - rows[:, COLUMNS.index(subtrahend)]
        np.testing.assert_array_equal(got.curves[name].min(axis=0), full.min(axis=0))
        np.testing.assert_array_equal(got.curves[name].max(axis=0), full.max(axis=0))


def test_an_empty_log(tmp_path):
    got = series(tmp_path / 'raw', np.empty((0, 8, 2)), 100)
    assert got.time.shape == (0,)
    assert got.curves['effort'].shape == (0, 2)
