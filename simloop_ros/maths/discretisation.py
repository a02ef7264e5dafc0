"""The exact solution of an axis's admittance over one step, as coefficients.

An axis is a joint, or one of the six of a hand or an object: then m has kg or kg m^2 and so on.
"""

from __future__ import annotations

from math import comb, factorial

import msgspec
import numpy as np

from ..core.values import Array

SERIES_ORDER = 14
"""Last power in the series: its remainder ``0.5^15/15!`` is below rounding within the bounds."""
SERIES_BOUND = 0.125
"""Value of ``d h/(2 m)`` and ``s h^2/m`` below which the series is taken if all axes are below it;
beyond it divided differences lose one digit at most."""
SLOW_AXIS_BOUND = 0.01
"""Value of ``d h/(2 m)`` and ``h sqrt(s/m)`` below which divided differences would lose more than
two digits: there the series is taken for a slow axis even beside fast ones."""
ZERO_GUARD = np.array(1e-300 + 0j)
"""Takes the place of a zero that would be divided by; the quotient is the limit, exactly."""
# As arrays these spare numpy a conversion in every product.
TWICE_ZERO_GUARD = np.array(2e-300 + 0j)
MINUS_TWO = np.array(-2.0)


class Parameters(msgspec.Struct, frozen=True, gc=False):
    """Mass, damping and stiffness of each axis, shape ``(n,)`` each.

    :ivar mass: m [kg m^2, kg], positive.
    :ivar damping: d [N m s/rad, N s/m], not negative.
    :ivar stiffness: s [N m/rad, N/m], not negative.
    """

    mass: Array
    damping: Array
    stiffness: Array


class Discretisation(msgspec.Struct, frozen=True, gc=False):
    """Coefficients of one step of length ``h``, shape ``(n,)`` each.

    ``p(t)`` is the deflection after a unit impulse, ``m p'' + d p' + s p = 0``, ``p(0) = 0``,
    ``p'(0) = 1``.

    :ivar inverse_mass: ``1/m`` [1/(kg m^2), 1/kg].
    :ivar stiffness: ``s`` [N m/rad, N/m].
    :ivar decay: ``d/m`` [1/s].
    :ivar slope: ``p'(h)``.
    :ivar impulse: ``p(h)`` [s].
    :ivar area: integral of ``p`` from 0 to ``h`` [s^2].
    :ivar recoil: ``p(h) s/m`` [1/s].
    """

    inverse_mass: Array
    stiffness: Array
    decay: Array
    slope: Array
    impulse: Array
    area: Array
    recoil: Array


class Discretiser:
    """The exact solution over a step, for any parameters that are constant over it.

    In units of the step, with ``x = d h/(2 m)`` and ``y = -s h^2/m``, ``z`` and ``w`` the roots
    of ``z^2 + 2 x z = y``, the three functions are divided differences of ``exp``::

        p'(h) = (z e^z - w e^w)/(z - w)
        p(h)  = h exp[z, w]
        area  = h^2 exp[0, z, w]

    which are real, and smooth where roots meet (critical damping, no stiffness, neither).

    :param period: length ``h`` of a step [s].
    """

    def __init__(self, period: float):
        self._to_units = np.array([[0.5 * period], [-(period**2)]])
        self._from_units = np.array([[1.0], [period], [period**2]])

    def __call__(self, parameters: Parameters) -> Discretisation:
        """Return the coefficients of a step."""
        inverse_mass = np.reciprocal(parameters.mass)
        rates = np.empty((2, len(inverse_mass)))
        decay, pull = rates
        np.multiply(parameters.damping, inverse_mass, out=decay)
        np.multiply(parameters.stiffness, inverse_mass, out=pull)
        xy = rates * self._to_units
        x, y = xy.tolist()  # of so few numbers Python finds the extremes sooner than numpy
        if max(x) < SERIES_BOUND and min(y) > -SERIES_BOUND:
            unit = _series(xy)
        else:
            unit = _differences(xy)
            if min(x) < SLOW_AXIS_BOUND:
                slow = (xy[0] < SLOW_AXIS_BOUND) & (xy[1] > -SLOW_AXIS_BOUND * SLOW_AXIS_BOUND)
                unit[:, slow] = _series(xy[:, slow])
        slope, impulse, area = unit * self._from_units
        return Discretisation(
            inverse_mass, parameters.stiffness, decay, slope, impulse, area, impulse * pull
        )


def _table() -> Array:
    """Return the coefficients of ``x^i y^j`` in the series, rows ``(k, j)``, columns ``i``.

    ``exp[z, w] = sum f_n/(n + 1)!`` with ``f_n = sum_j (n - j over j) (-2 x)^(n - 2 j) y^j``,
    the complete symmetric polynomials of the roots; ``p'`` has ``n!`` and the area ``(n + 2)!``.
    """
    table = np.zeros((3, SERIES_ORDER // 2 + 1, SERIES_ORDER + 1))
    for n in range(SERIES_ORDER + 1):
        for j in range(n // 2 + 1):
            i = n - 2 * j
            number = (-2) ** i * comb(n - j, j)
            table[:, j, i] = [number / factorial(n + k) for k in range(3)]
    return table.reshape(-1, SERIES_ORDER + 1)


_TABLE = _table()


def _series(xy: Array) -> Array:
    """Return slope, impulse and area in units of the step by their power series.

    :param xy: ``x`` and ``y``, both small, shape ``(2, n)``.
    """
    powers = np.empty((SERIES_ORDER + 1, *xy.shape))
    powers[0] = 1.0
    powers[1:] = xy
    np.multiply.accumulate(powers, axis=0, out=powers)
    terms = _TABLE.dot(powers[:, 0]).reshape(3, SERIES_ORDER // 2 + 1, -1)
    terms *= powers[: SERIES_ORDER // 2 + 1, 1]
    return np.add.reduce(terms, axis=1)


def _differences(xy: Array) -> Array:
    """Return the same from the roots, which may be complex or meet, where they are not small.

    ``z = y/(x + r)``, ``w = z - 2 r``, ``r^2 = x^2 + y``: no difference of nearly equal numbers,
    so that the slow root of a stiff axis is exact.
    """
    x, y = xy + ZERO_GUARD
    r = x * x
    r += y
    r += TWICE_ZERO_GUARD
    np.sqrt(r, out=r)
    q = x + r
    z = y / q
    r *= MINUS_TWO  # w - z
    slope, impulse, area = unit = np.empty((3, len(x)), dtype=complex)
    np.exp(z, out=slope)
    np.expm1(r, out=impulse)
    impulse /= r
    impulse *= slope
    np.expm1(z, out=area)
    area /= z
    area -= impulse
    area /= q
    r += z
    r *= impulse
    slope += r
    return unit.real
