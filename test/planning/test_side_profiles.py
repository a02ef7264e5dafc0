"""From rest to rest along a side: ends, symmetry, and the speeds that the laws promise."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.planning.side_profiles import Quintic, SideProfile, Tabulated, Trapezoidal

U = np.linspace(0.0, 1.0, 4001)
DU = U[1] - U[0]
FINE = 1e-3  # of a difference quotient over DU, against the law it stands for


def slope(profile: SideProfile) -> np.ndarray:
    return np.gradient(profile.share(U), DU, edge_order=2)


@pytest.mark.parametrize(
    'profile', [Quintic(), Trapezoidal(0.25), Trapezoidal(0.5), Trapezoidal(0.01)]
)
def test_from_rest_to_rest(profile: SideProfile) -> None:
    share = profile.share(U)
    assert share[0] == 0.0
    assert share[-1] == 1.0
    assert (np.diff(share) > 0.0).all()
    np.testing.assert_allclose(share + share[::-1], 1.0, atol=1e-12)
    speed = slope(profile)
    assert abs(speed[0]) < 0.1 * speed.max()
    # At rest: the way after a small time is of second order in it.
    tiny = np.array([1e-4, 2e-4])
    first, second = profile.share(tiny)
    assert second / first > 3.99


def test_the_quintic_has_no_acceleration_at_corners() -> None:
    tiny = np.array([1e-3, 2e-3])
    first, second = Quintic().share(tiny)
    assert second / first == pytest.approx(8.0, rel=1e-2)  # the way grows with the third power
    assert slope(Quintic()).max() == pytest.approx(1.875, rel=FINE)
    acceleration = np.gradient(slope(Quintic()), DU)
    assert acceleration.max() == pytest.approx(10.0 / np.sqrt(3.0), rel=FINE)


@pytest.mark.parametrize('ramp', [0.1, 0.25, 0.5])
def test_the_trapezoid_holds_its_speed(ramp: float) -> None:
    speed = slope(Trapezoidal(ramp))
    assert speed.max() == pytest.approx(1.0 / (1.0 - ramp), rel=FINE)
    between = (ramp + 0.01 < U) & (1.0 - ramp - 0.01 > U)
    np.testing.assert_allclose(speed[between], 1.0 / (1.0 - ramp), rtol=1e-9)
    up = (U > 0.01) & (ramp - 0.01 > U)
    np.testing.assert_allclose(np.gradient(speed, DU)[up], 1.0 / (ramp * (1.0 - ramp)), rtol=1e-6)


def test_a_table_of_constant_acceleration_is_that_motion() -> None:
    """``s = a t^2 / 2`` up to the middle and the same back: ``s' = sqrt(2 a s)``."""
    shares = np.linspace(0.0, 1.0, 41)
    a = 4.0
    speeds = np.sqrt(2.0 * a * np.minimum(shares, 1.0 - shares))
    profile = Tabulated(shares, speeds)
    assert profile.duration == pytest.approx(2.0 * np.sqrt(1.0 / a), rel=1e-12)
    t = U * profile.duration
    half = profile.duration / 2.0
    expected = np.where(t < half, 0.5 * a * t**2, 1.0 - 0.5 * a * (profile.duration - t) ** 2)
    np.testing.assert_allclose(profile.share(U), expected, atol=1e-12)
