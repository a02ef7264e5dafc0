from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
import numpy as np
import pytest

from simloop_ros.report.series import Envelope

finite = st.floats(-1e6, 1e6)


def thin(values, points, block=7):
    envelope = Envelope(len(values), points)
    for first in range(0, len(values), block):
        envelope.add(values[first : first + block])
    return envelope.index, envelope.values(values.shape[1:])


@given(
    values=hnp.arrays(np.float64, st.tuples(st.integers(1, 200), st.just(2)), elements=finite),
    points=st.integers(2, 50),
    block=st.integers(1, 250),
)
def test_extremes_survive(values, points, block):
    index, kept = thin(values, points, block)
    assert len(index) == len(kept) <= max(points, 2)
    assert (np.diff(index) >= 0).all()
    assert 0 <= index[0] <= index[-1] < len(values)
    np.testing.assert_array_equal(kept.min(axis=0), values.min(axis=0))
    np.testing.assert_array_equal(kept.max(axis=0), values.max(axis=0))
    for column in range(2):
        assert np.isin(kept[:, column], values[:, column]).all()


@given(rows=st.integers(3, 300), spike=st.integers(0, 299))
def test_a_spike_stays_where_it_is(rows, spike):
    spike %= rows
    values = np.zeros((rows, 1))
    values[spike] = 1.0
    index, kept = thin(values, 20)
    bucket = -(-rows // 10)
    assert abs(index[kept[:, 0] == 1.0][0] - spike) <= bucket


def test_a_rising_curve_stays_rising():
    _, kept = thin(np.arange(1000.0)[:, None], 30)
    assert (np.diff(kept[:, 0]) >= 0.0).all()


def test_few_rows_pass_unchanged():
    values = np.random.default_rng(0).standard_normal((40, 3, 2))
    index, kept = thin(values, 40)
    np.testing.assert_array_equal(index, np.arange(40))
    np.testing.assert_array_equal(kept, values)


def test_nan_hides_nothing():
    values = np.ones((100, 1))
    values[50] = np.nan
    values[51] = 9.0
    assert np.nanmax(thin(values, 10)[1]) == 9.0


def test_no_rows():
    assert Envelope(0).values((3, 2)).shape == (0, 3, 2)


def test_one_point_is_refused():
    with pytest.raises(ValueError, match='1 points'):
        Envelope(10, 1)
