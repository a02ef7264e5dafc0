"""A coasting motion: its way, its speed and its deceleration belong together."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.maths.coasting import coasting_rate, coasting_time

T = 0.5  # s
TIMES = np.linspace(0.0, T, 2001)


def coasting_slope(time: float, stop_time: float) -> float:
    """Return the derivative of the rate [1/s], by hand."""
    x = time / stop_time
    return -6.0 * x * (1.0 - x) / stop_time


def test_rate_and_slope_are_the_derivatives_of_the_way() -> None:
    middle, step = (TIMES[1:] + TIMES[:-1]) / 2, np.diff(TIMES)
    way = np.diff([coasting_time(t, T) for t in TIMES]) / step
    speed = np.diff([coasting_rate(t, T) for t in TIMES]) / step
    np.testing.assert_allclose(way, [coasting_rate(t, T) for t in middle], atol=1e-6)
    np.testing.assert_allclose(speed, [coasting_slope(t, T) for t in middle], atol=1e-4)


def test_it_begins_at_full_speed_without_a_jerk_and_ends_at_rest() -> None:
    assert (coasting_rate(0.0, T), coasting_slope(0.0, T), coasting_time(0.0, T)) == (1, 0, 0)
    assert (coasting_rate(T, T), coasting_slope(T, T)) == (0, 0)
    assert coasting_time(T, T) == pytest.approx(T / 2)
    assert coasting_time(9.0, T) == pytest.approx(T / 2)
    assert min(coasting_slope(t, T) for t in TIMES) == pytest.approx(-1.5 / T)


def test_a_short_pause_loses_next_to_nothing() -> None:
    assert 0.02 - coasting_time(0.02, T) < 1e-4
    assert coasting_time(-0.1, T) == 0.0
