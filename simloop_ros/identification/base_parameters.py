"""Base parameters: the combinations of inertial parameters that torques can tell apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from scipy.linalg import qr, solve_triangular

from ..core.values import Array
from ..robot.chain import carried_link
from ..robot.model import RobotModel
from .regression import Terms

STATES_PER_JOINT = 40
"""Random motions per joint from which the structure of the regressor is found."""
RANK_SHARE = 1e-8
"""Part of the largest diagonal element of R below which a column depends on the others."""
LARGEST_ANGLE = np.pi
"""Largest position that is tried, where a joint has no range [rad]."""
PARTS = ('m', 'mx', 'my', 'mz', 'Ixx', 'Ixy', 'Iyy', 'Ixz', 'Iyz', 'Izz')
"""Names of the ten inertial parameters of a body."""
LEAST_FACTOR = 1e-6
"""Factor below which a parameter has no part in a combination."""


@dataclass(frozen=True)
class BaseParameters:
    """How the columns of a regression depend on each other, whatever the motion is.

    ::

        Y x = Y_b (x_b + K x_d)

    :ivar base: columns ``b`` that do not depend on each other, shape ``(r,)``.
    :ivar dependent: the others, ``d``, shape ``(s,)``.
    :ivar combination: the matrix ``K``, shape ``(r, s)``.
    :ivar names: of all columns.
    """

    base: Array
    dependent: Array
    combination: Array
    names: tuple[str, ...]

    def of(self, x: Array) -> Array:
        """Return the base parameters ``x_b + K x_d`` of all parameters."""
        result: Array = x[self.base] + self.combination @ x[self.dependent]
        return result

    def description(self, k: int) -> str:
        """Return a base parameter in words: the sum that it stands for."""
        text = self.names[self.base[k]]
        for factor, column in zip(self.combination[k], self.dependent, strict=True):
            if abs(factor) > LEAST_FACTOR:
                size = '' if abs(abs(factor) - 1.0) < LEAST_FACTOR else f'{abs(factor):.4g} '
                text += f' {"-" if factor < 0.0 else "+"} {size}{self.names[column]}'
        return text

    @property
    def without_effect(self) -> tuple[str, ...]:
        """Return the names of parameters that no motion shows."""
        none = ~(np.abs(self.combination) > LEAST_FACTOR).any(axis=0)
        return tuple(self.names[column] for column in self.dependent[none])


def parameter_names(model: RobotModel, terms: Terms) -> tuple[str, ...]:
    """Return the names of all columns of a regression: body and part, then joint and term."""
    bodies = [carried_link(model, joint) for joint in range(model.n)]
    inertial = [f'{body}.{part}' for body in bodies for part in PARTS]
    own = zip(model.joint_names, terms, strict=True)
    return (*inertial, *(f'{joint}.{term.kind}' for joint, kinds in own for term in kinds))


def base_parameters(model: RobotModel, terms: Terms) -> BaseParameters:
    """Find the base parameters by a QR decomposition with pivoting, at many random states.

    The columns are scaled to length 1 before, so that units do not matter.
    """
    design = _random_design(model, terms)
    scale = np.linalg.norm(design, axis=0)
    size = scale.max()
    columns = design / np.where(scale > RANK_SHARE * size, scale, 1.0)
    columns[:, scale <= RANK_SHARE * size] = 0.0
    _, r, order = qr(columns, mode='economic', pivoting=True)
    diagonal = np.abs(np.diag(r))
    rank = int((diagonal > RANK_SHARE * diagonal[0]).sum())
    scale = np.where(scale > RANK_SHARE * size, scale, 1.0)
    factors = solve_triangular(r[:rank, :rank], r[:rank, rank:])
    base, dependent = order[:rank], order[rank:]
    # Columns were scaled, so the factors are for scaled parameters.
    factors = factors * scale[dependent] / scale[base][:, None]
    return BaseParameters(base, dependent, factors, parameter_names(model, terms))


def _random_design(model: RobotModel, terms: Terms) -> Array:
    """Return the columns at states that fill the ranges evenly."""
    from scipy.stats import qmc  # here, as it takes a second

    n = model.n
    count = STATES_PER_JOINT * n
    numbers = qmc.Halton(3 * n, scramble=False).random(count + 1)[1:]
    lower, upper = (
        np.clip(ends, -LARGEST_ANGLE, LARGEST_ANGLE) for ends in (model.lower, model.upper)
    )
    q = lower + numbers[:, :n] * (upper - lower)
    v, a = (2.0 * numbers[:, k * n : k * n + n] - 1.0 for k in (1, 2))
    data = model.pin_model.createData()
    columns = sum(len(own) for own in terms)
    design = np.zeros((count, n, 10 * n + columns))
    for i in range(count):
        design[i, :, : 10 * n] = pin.computeJointTorqueRegressor(
            model.pin_model, data, q[i], v[i], a[i]
        )
    place = 10 * n
    for joint, own in enumerate(terms):
        for term in own:
            design[:, joint, place] = term.values(v[:, joint], a[:, joint])
            place += 1
    return design.reshape(count * n, -1)
