"""Cubics: they are what their ends and slopes say, and what scipy makes of these."""

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from simloop_ros.maths.cubic import catmull_rom, hermite

ROUNDING = 1e-14
SHARES = np.linspace(0.0, 1.0, 7)


def test_a_hermite_cubic_is_that_of_scipy() -> None:
    start, end, out, back = np.random.default_rng(0).normal(size=(4, 5))
    cubic = hermite(start, end, out, back)
    spline = CubicHermiteSpline([0.0, 1.0], [start, end], [out, back])
    for u in SHARES:
        np.testing.assert_allclose(cubic.position(u), spline(u), rtol=0.0, atol=ROUNDING)
        np.testing.assert_allclose(cubic.slope(u), spline(u, 1), rtol=0.0, atol=10 * ROUNDING)
        np.testing.assert_allclose(cubic.bend(u), spline(u, 2), rtol=0.0, atol=10 * ROUNDING)


def test_catmull_and_rom_take_the_slopes_of_the_neighbours_chords() -> None:
    before, here, there, beyond = np.random.default_rng(1).normal(size=(4, 5))
    cubic = catmull_rom(before, here, there, beyond)
    expected = hermite(here, there, 0.5 * (there - before), 0.5 * (beyond - here))
    np.testing.assert_allclose(np.array(cubic), np.array(expected), rtol=0.0, atol=ROUNDING)
    np.testing.assert_array_equal(cubic.position(0.0), here)
