"""The admittance in numbers of fifty digits, and robots to be led."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext

import msgspec
import numpy as np
import pytest

from simloop_ros.model import RobotConfig, RobotModel, load_robot
from simloop_ros.resources import resource_folder

Matrix = list[list[Decimal]]
DIGITS = 50
"""A stiff joint squares the exponential 20 times; this leaves more than 30 digits."""
TERMS = 18
"""Of Taylor's series at 0.01: ``0.01^19/19!`` is 1e-55."""


def _product(a: Matrix, b: Matrix) -> Matrix:
    """Return the product of matrices whose last rows are zero, but for the last entry."""
    corner = a[2][2]
    rows = [[x * b[0][k] + y * b[1][k] + z * b[2][k] for k in range(3)] for x, y, z in a[:2]]
    return [*rows, [Decimal(0), Decimal(0), corner * b[2][2]]]


def _expm(a: Matrix) -> Matrix:
    """Return the exponential of a matrix by scaling, Taylor's series and squaring."""
    size = max(sum(abs(x) for x in row) for row in a)
    squarings = 0
    while size > Decimal('0.01'):
        size /= 2
        squarings += 1
    a = [[x / 2**squarings for x in row] for row in a]
    identity = [[Decimal(int(i == j)) for j in range(3)] for i in range(3)]
    result = identity
    for k in range(TERMS, 0, -1):
        power = _product(a, result)
        result = [[x / k + identity[i][j] for j, x in enumerate(power[i])] for i in range(3)]
    for _ in range(squarings):
        result = _product(result, result)
    return result


def _transition(mass: float, damping: float, stiffness: float, h: float) -> np.ndarray:
    with localcontext() as context:
        context.prec = DIGITS
        m, d, s, t = (Decimal(float(x)) for x in (mass, damping, stiffness, h))
        zero, one = Decimal(0), Decimal(1)
        a = [[zero, one, zero], [-s * t * t / m, -d * t / m, one], [zero, zero, zero]]
        return np.array([[float(x) for x in row] for row in _expm(a)])


@pytest.fixture(scope='session')
def transition() -> Callable[[float, float, float, float], np.ndarray]:
    """Return how (e, v h, tau h^2/m) go over into those one step later, shape ``(3, 3)``.

    The exponential of the matrix of 001 (2) with the torque as a third, constant state; in units
    of the step ``h``, so that its entries can be compared with each other. Arguments are mass,
    damping, stiffness and ``h``.
    """
    return _transition


def _shipped(name: str) -> RobotModel:
    text = (resource_folder('config') / 'robots' / f'{name}.yaml').read_bytes()
    config = msgspec.yaml.decode(text, type=RobotConfig)
    return load_robot(config, resource_folder('urdf'))


@pytest.fixture(scope='session')
def sphere() -> RobotModel:
    """A point mass on one vertical joint."""
    return _shipped('sphere')


@pytest.fixture(scope='session')
def two_link() -> RobotModel:
    """Two links of 1 m in the x-z plane."""
    return _shipped('two_link')


@pytest.fixture(scope='session')
def yumi() -> RobotModel:
    """Two arms of seven joints."""
    return _shipped('yumi')
