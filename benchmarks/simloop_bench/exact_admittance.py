"""The discrete admittance against its matrix exponential in numbers of fifty digits."""

from __future__ import annotations

from decimal import Decimal, localcontext

import msgspec
import numpy as np

from simloop_ros.core.values import Array
from simloop_ros.guiding.joint_admittance import Admittance, AdmittanceState
from simloop_ros.maths.discretisation import Parameters

PERIOD = 0.002
DIGITS = 50
"""A stiff joint squares the exponential 20 times; this leaves more than 30 digits."""
TERMS = 18
"""Of Taylor's series at 0.01: ``0.01^19/19!`` is 1e-55."""
KINDS = 8
"""Kinds of degenerate parameters, see ``draw``."""

Matrix = list[list[Decimal]]


class Cases(msgspec.Struct, frozen=True):
    """Joints, where they are and what pushes them."""

    parameters: Parameters
    state: AdmittanceState
    torque: Array


class ExactError(msgspec.Struct, frozen=True):
    """Largest error of a step, relative to the size of the state before or of what is added up.

    The former is the largest of ``e``, ``e' h`` and ``tau h^2/m``. The latter counts where it is
    larger: ``e' h`` of a stiff joint may become a hundred times ``e``, and the rounding of its
    parameters alone changes it by as much.

    :ivar deflection: of ``e+``.
    :ivar velocity: of ``e'+ h``.
    :ivar scipy: of either by SciPy's ``expm``; NaN where it is not installed.
    """

    deflection: float
    velocity: float
    scipy: float


def draw(count: int, seed: int) -> Cases:
    """Return joints of every kind: tiny, stiff, without spring or damper, nearly critical."""
    rng = np.random.default_rng([seed, 5])
    kind = rng.integers(0, KINDS, count)
    x = 10.0 ** rng.uniform(-9.0, 4.0, count)  # d h/m
    y = 10.0 ** rng.uniform(-12.0, 4.0, count)  # s h^2/m
    critical = 0.25 * x * x
    off = rng.choice([-1.0, 1.0], count) * 10.0 ** rng.uniform(-16.0, -1.0, count)
    y[kind == 1] = 0.0
    y[kind == 2] = critical[kind == 2]
    y[kind == 3] = (critical * (1.0 + off))[kind == 3]
    x[(kind == 4) | (kind == 5)] = 0.0
    y[kind == 5] = 0.0
    y[kind == 6] = (critical * 10.0 ** rng.uniform(-12.0, 0.0, count))[kind == 6]
    m = 10.0 ** rng.uniform(-3.0, 2.0, count)
    size = 10.0 ** rng.uniform(-3.0, 1.0, count)
    e, v, u = rng.normal(size=(3, count)) * size
    h = PERIOD
    return Cases(Parameters(m, x * m / h, y * m / h**2), AdmittanceState(e, v / h), u * m / h**2)


def exact_error(count: int, seed: int) -> ExactError:
    """Return the largest error over random sets of parameters, states and torques."""
    cases = draw(count, seed)
    p, state, h = cases.parameters, cases.state, PERIOD
    start = np.array([state.deflection, state.velocity * h, cases.torque * h**2 / p.mass])
    exact = transitions(p)
    end = np.einsum('nij,jn->in', exact, start)
    added = np.einsum('nij,jn->in', np.abs(exact), np.abs(start))
    size = np.maximum(added, np.abs(start).max(axis=0))
    step = Admittance(h).step(state, p, cases.torque)
    theirs = _by_scipy(cases)
    scipy = np.nan
    if theirs is not None:
        away = np.einsum('nij,jn->in', theirs, start) - end
        scipy = float(np.abs(away / size)[:2].max())
    return ExactError(
        float(np.abs((step.state.deflection - end[0]) / size[0]).max()),
        float(np.abs((step.state.velocity * h - end[1]) / size[1]).max()),
        scipy,
    )


def _by_scipy(cases: Cases) -> Array | None:
    """Return the transitions by SciPy, shape ``(count, 3, 3)``; none where it is not installed."""
    try:
        from scipy.linalg import expm
    except ImportError:
        return None
    p, h = cases.parameters, PERIOD
    a = np.zeros((len(p.mass), 3, 3))
    a[:, 0, 1] = a[:, 1, 2] = 1.0
    a[:, 1, 0], a[:, 1, 1] = -p.stiffness * h**2 / p.mass, -p.damping * h / p.mass
    found: Array = expm(a)
    return found


def transitions(parameters: Parameters) -> Array:
    """Return how (e, e' h, tau h^2/m) go over into those one step later, shape ``(n, 3, 3)``.

    The exponential of the matrix of 001 (2) with the torque as a third, constant state; in units
    of the step ``h``, so that its entries can be compared with each other.
    """
    p = parameters
    rows = zip(p.mass, p.damping, p.stiffness, strict=True)
    return np.array([_transition(*row) for row in rows])


def _transition(mass: float, damping: float, stiffness: float) -> Array:
    with localcontext() as context:
        context.prec = DIGITS
        m, d, s, h = (Decimal(float(x)) for x in (mass, damping, stiffness, PERIOD))
        zero, one = Decimal(0), Decimal(1)
        a = [[zero, one, zero], [-s * h * h / m, -d * h / m, one], [zero, zero, zero]]
        return np.array([[float(x) for x in row] for row in _expm(a)])


def _expm(a: Matrix) -> Matrix:
    """Return the exponential by scaling, Taylor's series and squaring; the last row is zero."""
    size = max(sum((abs(x) for x in row), Decimal(0)) for row in a)
    squarings = 0
    while size > Decimal('0.01'):
        size /= 2
        squarings += 1
    a = [[x / 2**squarings for x in row] for row in a]
    one = [[Decimal(int(i == j)) for j in range(3)] for i in range(3)]
    result = one
    for k in range(TERMS, 0, -1):
        power = _product(a, result)
        result = [[x / k + one[i][j] for j, x in enumerate(power[i])] for i in range(3)]
    for _ in range(squarings):
        result = _product(result, result)
    return result


def _product(a: Matrix, b: Matrix) -> Matrix:
    """Return the product of matrices whose last rows are zero, but for the last entry."""
    rows = [[x * b[0][k] + y * b[1][k] + z * b[2][k] for k in range(3)] for x, y, z in a[:2]]
    return [*rows, [Decimal(0), Decimal(0), a[2][2] * b[2][2]]]
