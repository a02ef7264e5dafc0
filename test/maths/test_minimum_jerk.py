"""The motion of minimum jerk."""

import numpy as np
import pytest

from simloop_ros.maths.minimum_jerk import (
    PEAK_ACCELERATION,
    PEAK_VELOCITY,
    minimum_jerk,
    minimum_jerk_motion,
)

ROUNDING = 1e-14


def test_minimum_jerk_has_no_speed_and_acceleration_at_its_ends() -> None:
    s = np.linspace(0.0, 1.0, 2001)
    values = minimum_jerk(s)
    assert (values[0], values[-1]) == (0.0, 1.0)
    speed = np.gradient(values, s)
    acceleration = np.gradient(speed, s)
    assert np.abs(speed[[0, -1]]).max() < 1e-5
    assert np.abs(acceleration[[0, -1]]).max() < 0.05
    assert speed.min() >= 0.0
    assert speed.max() == pytest.approx(PEAK_VELOCITY, rel=1e-5)
    assert acceleration.max() == pytest.approx(PEAK_ACCELERATION, rel=1e-5)


def test_the_motion_is_the_polynomial_and_its_derivative() -> None:
    s = np.linspace(0.0, 1.0, 101)
    polynomial = np.polynomial.Polynomial([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])
    x, rate = np.array([minimum_jerk_motion(float(each)) for each in s]).T
    np.testing.assert_allclose(x, polynomial(s), rtol=0.0, atol=ROUNDING)
    np.testing.assert_allclose(x, minimum_jerk(s), rtol=0.0, atol=ROUNDING)
    np.testing.assert_allclose(rate, polynomial.deriv()(s), rtol=0.0, atol=ROUNDING)
