"""The joints along a side, between the places at which they were found."""

from __future__ import annotations

import numpy as np

from ..core.values import Array

FEWEST_KNOTS = 5


class SideJoints:
    """A cubic spline through joints at places that are evenly spread from 0 to 1.

    Its slopes ``m_i`` make the second derivative continuous, with ``d`` the spacing::

        m_i-1 + 4 m_i + m_i+1 = 3 (q_i+1 - q_i-1)/d

    and at both ends they are those of the cubic through four knots, so the error falls with
    ``d^4`` everywhere. It depends on nothing but the knots: a redundant arm's course has no slope
    of its own.

    :param knots: joints at the places [rad], shape ``(k, n)``.
    :ivar shares: the places, shape ``(k,)``.
    """

    def __init__(self, knots: Array):
        if len(knots) < FEWEST_KNOTS:
            raise ValueError(f'{len(knots)} knots, at least {FEWEST_KNOTS} are needed')
        self.knots = knots
        self.shares = np.linspace(0.0, 1.0, len(knots))
        self._intervals = len(knots) - 1
        self._slopes = _slopes(knots)

    def at(self, shares: Array) -> Array:
        """Return the joints at places [rad], shape ``(m, n)``.

        :param shares: places, 0 to 1, shape ``(m,)``.
        """
        place = shares * self._intervals
        i = np.clip(place.astype(int), 0, self._intervals - 1)
        u = (place - i)[:, None]
        q, q_next, m, m_next = (
            self.knots[i],
            self.knots[i + 1],
            self._slopes[i],
            self._slopes[i + 1],
        )
        way = q_next - q
        return q + u * (m + u * (3.0 * way - 2.0 * m - m_next + u * (m + m_next - 2.0 * way)))


def _slopes(knots: Array) -> Array:
    """Return the derivative at each knot by the number of the knot, shape ``(k, n)``."""
    slopes = np.empty_like(knots)
    end = np.array([-11.0, 18.0, -9.0, 2.0]) / 6.0
    slopes[0] = end @ knots[:4]
    slopes[-1] = -(end @ knots[:-5:-1])
    right = 3.0 * (knots[2:] - knots[:-2])
    right[0] -= slopes[0]
    right[-1] -= slopes[-1]
    # Thomas' algorithm for the rows (1, 4, 1).
    pivots = np.empty(len(right))
    pivots[0] = 4.0
    for i in range(1, len(right)):
        pivots[i] = 4.0 - 1.0 / pivots[i - 1]
        right[i] -= right[i - 1] / pivots[i - 1]
    slopes[-2] = right[-1] / pivots[-1]
    for i in range(len(right) - 2, -1, -1):
        slopes[i + 1] = (right[i] - slopes[i + 2]) / pivots[i]
    return slopes
