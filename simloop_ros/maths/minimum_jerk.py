"""The point-to-point motion of minimum jerk, from rest to rest over the unit interval.

::

    x  = 10 s^3 - 15 s^4 + 6 s^5
    x' = 30 s^2 (1 - s)^2

Velocity and acceleration are zero at both ends.
"""

from __future__ import annotations

from ..core.values import Array

PEAK_VELOCITY, PEAK_ACCELERATION = 1.875, 5.7735
"""Largest first and second derivative."""


def minimum_jerk(s: Array) -> Array:
    """Return ``x``, for ``0 <= s <= 1`` of any shape."""
    return s**3 * (10.0 + s * (6.0 * s - 15.0))


def minimum_jerk_motion(s: float) -> tuple[float, float]:
    """Return ``x`` and ``x'`` at one instant, for ``0 <= s <= 1``.

    ``x`` is expanded, not nested, and so differs from ``minimum_jerk`` by up to 3e-15: runs with
    a guiding hand depend on its bits.
    """
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2), 30.0 * s**2 * (1.0 - s) ** 2
