"""The joints along a side, interpolated between samples."""

from __future__ import annotations

import numpy as np

from ..core.values import Array

FEWEST_KNOTS = 5
END_SLOPE = np.array([-11.0, 18.0, -9.0, 2.0]) / 6.0
"""Weights of four knots in the slope at the first, per spacing: that of the cubic through them."""


class SideJoints:
    """A cubic spline through joints at places that are evenly spread from 0 to 1.

    At both ends its slopes are those of the cubic through four knots, so the error falls with the
    fourth power of the spacing everywhere. It depends on nothing but the knots: a redundant arm's
    course has no slope of its own.

    :param knots: joints at the places [rad], shape ``(k, n)``.
    :ivar shares: the places, shape ``(k,)``.
    """

    def __init__(self, knots: Array):
        from scipy.interpolate import CubicSpline  # here, as it takes half a second

        if len(knots) < FEWEST_KNOTS:
            raise ValueError(f'{len(knots)} knots, at least {FEWEST_KNOTS} are needed')
        self.knots = knots
        self.shares = np.linspace(0.0, 1.0, len(knots))
        first, last = END_SLOPE @ knots[:4], -(END_SLOPE @ knots[:-5:-1])
        intervals = len(knots) - 1
        ends = ((1, intervals * first), (1, intervals * last))
        self._spline = CubicSpline(self.shares, knots, bc_type=ends)

    def at(self, shares: Array) -> Array:
        """Return the joints at places [rad], shape ``(m, n)``; the last knot bit for bit.

        :param shares: places, 0 to 1, shape ``(m,)``.
        """
        return np.where(shares[:, None] < 1.0, self._spline(shares), self.knots[-1])

    def derivative(self, shares: Array, order: int) -> Array:
        """Return a derivative by the place [rad], shape ``(m, n)``.

        :param order: 1 or 2.
        """
        return np.asarray(self._spline(shares, order))
