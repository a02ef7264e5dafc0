"""The physically consistent estimate: inertias that bodies can have, friction that brakes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from ..core.values import Array
from ..robot.model import RobotModel
from .pseudo_inertia import SIZE, LogCholesky
from .regression import (
    WEAK_PRIOR,
    Rows,
    Solution,
    Terms,
    columns_of,
    inertial_units,
    known_parameters,
    residual,
)

SMALLEST_SHARE = 1e-3
"""Part of the mean mass that stands for a link without any."""
NOT_NEGATIVE = ('armature', 'viscous', 'coulomb')
"""Terms that cannot be below zero: friction takes energy, and rotors have inertia."""
PRIOR_ARMATURE = 1.0
"""Weight of the prior of a rotor against one unit of inertia: next to none against data."""


@dataclass(frozen=True)
class ConsistentFit:
    """What ``fit_consistent`` found.

    :ivar coefficients: inertial parameters and terms, as those of a ``Solution``.
    :ivar left: what it leaves of each joint's torque (rms) [N m], shape ``(n,)``.
    """

    coefficients: Array
    left: Array


def fit_consistent(
    model: RobotModel,
    rows: Rows,
    design: Array,
    terms: Terms,
    start: Solution,
    memory: Array,
) -> ConsistentFit:
    """Return the estimate in which every link is a body, near the description.

    ::

        min  |R x(t) - z|^2 + |t|^2

    ``|R x - z|`` is what the data says in units of its noise, of independent rows. ``x(t)`` has
    the inertial parameters of ``LogCholesky``, so no estimate is outside of what is physical, and
    a combination that the data does not know stays where the description has it; one that it knows
    is decided by hundreds of rows against one. A projection after a fit without constraints
    would need the same prior, and a solver for matrix inequalities. Friction and rotors are not
    negative.

    :param design: all columns, shape ``(rows, n, columns)``.
    :param start: whose weights are used.
    :param memory: rows that tell as much as one, per joint, shape ``(n,)``.
    """
    n = model.n
    weight = start.weight / np.sqrt(memory)
    flat = (design * weight[:, None]).reshape(-1, design.shape[2])
    r = np.linalg.qr(np.column_stack((flat, (rows.torque * weight).ravel())), mode='r')
    triangle, right = r[:-1, :-1], r[:-1, -1]
    problem = _Problem(model, terms, triangle, right)
    found = least_squares(
        problem.residual,
        problem.start(start.coefficients),
        problem.jacobian,
        bounds=(problem.lower, np.full(len(problem.lower), np.inf)),
        x_scale='jac',
        method='trf',
    )
    coefficients = problem.coefficients(found.x)
    left = residual(rows, design, coefficients)
    assert coefficients.size == SIZE * n + sum(len(own) for own in terms)
    return ConsistentFit(coefficients, np.sqrt(np.mean(left**2, axis=0)))


class _Problem:
    """The least-squares problem in the logarithmic factors and the terms."""

    def __init__(self, model: RobotModel, terms: Terms, triangle: Array, right: Array):
        self._triangle, self._right = triangle, right
        self._inertial = SIZE * model.n
        known, units = known_parameters(model), inertial_units(model)
        # A ball of a tenth of LEVER, of little mass.
        smallest = SMALLEST_SHARE * units.reshape(-1, SIZE) * [1, 0, 0, 0, 1, 0, 1, 0, 0, 1]
        self._bodies = [
            LogCholesky(own, small)
            for own, small in zip(known.reshape(-1, SIZE), smallest, strict=True)
        ]
        kinds = [term.kind for own in terms for term in own]
        joints = [joint for joint, own in enumerate(terms) for _ in own]
        moments = units.reshape(-1, SIZE)[joints, -1]
        rotor = np.array([kind == 'armature' for kind in kinds])
        own = np.linalg.norm(triangle[:, self._inertial :], axis=0)
        self._term_prior = np.where(
            rotor, PRIOR_ARMATURE / moments, np.sqrt(WEAK_PRIOR) * (own + np.finfo(float).tiny)
        )
        self.lower = np.full(self._inertial + len(kinds), -np.inf)
        self.lower[self._inertial :][[kind in NOT_NEGATIVE for kind in kinds]] = 0.0

    def start(self, coefficients: Array) -> Array:
        """Return the description's inertias with the friction of an earlier solution."""
        t = np.zeros(len(self.lower))
        t[self._inertial :] = coefficients[self._inertial :]
        bounded = np.isfinite(self.lower)
        t[bounded] = np.maximum(t[bounded], 1e-9)
        return t

    def coefficients(self, t: Array) -> Array:
        """Return all coefficients."""
        parts = t[: self._inertial].reshape(-1, SIZE)
        inertial = [body.parameters(own) for body, own in zip(self._bodies, parts, strict=True)]
        return np.concatenate((*inertial, t[self._inertial :]))

    def residual(self, t: Array) -> Array:
        """Return what is left of the data, and the distance from the prior."""
        terms = t[self._inertial :] * self._term_prior
        return np.concatenate(
            (
                self._triangle @ self.coefficients(t) - self._right,
                t[: self._inertial],
                terms,
            )
        )

    def jacobian(self, t: Array) -> Array:
        """Return the derivative of ``residual``."""
        inertial = self._inertial
        data = self._triangle.copy()
        for i, body in enumerate(self._bodies):
            own = slice(SIZE * i, SIZE * i + SIZE)
            data[:, own] = self._triangle[:, own] @ body.derivative(t[own])
        prior = np.diag(np.concatenate((np.ones(inertial), self._term_prior)))
        return np.concatenate((data, prior))


def places(terms: Terms, kind: str) -> list[int | None]:
    """Return the index of each joint's term of a kind among all coefficients, if it has one."""
    found: list[int | None] = []
    for own, place in zip(terms, columns_of(terms), strict=True):
        kinds = [term.kind for term in own]
        found.append(place.start + kinds.index(kind) if kind in kinds else None)
    return found
