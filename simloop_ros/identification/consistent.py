"""The physically consistent estimate: inertias that bodies can have, friction that brakes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import lsq_linear

from ..core.values import Array
from ..robot.model import RobotModel
from .pseudo_inertia import SIZE, LogCholesky
from .regression import WEAK_PRIOR, Terms, columns_of, inertial_units, known_parameters

SMALLEST_SHARE = 1e-3
"""Part of the mean mass that stands for a link without any."""
NOT_NEGATIVE = ('armature', 'viscous', 'coulomb')
"""Terms that cannot be below zero: friction takes energy, and rotors have inertia."""
LEAST_TERM = 1e-9
"""Where a term that cannot be below zero starts at least."""
MOST_STEPS = 400
"""Steps of the search at most: some 20 are the rule, a payload may take hundreds."""
FIRST_DAMPING, LARGEST_DAMPING = 1e-4, 1e8
"""Damping of its steps, against the curvature along each unknown."""
CONVERGED = 1e-10
"""Relative fall of the sum of squares at which it ends."""
BALL = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0])
"""Inertial parameters of a ball, in units of its mass and moments."""


@dataclass(frozen=True)
class Body:
    """A body of the estimate and its prior.

    :ivar shape: the inertias that it can have.
    :ivar spread: standard deviation of the prior of its logarithmic parameters.
    """

    shape: LogCholesky
    spread: float


@dataclass(frozen=True)
class ConsistentFit:
    """What ``fit_consistent`` found.

    :ivar coefficients: inertial parameters of all bodies, then each joint's terms.
    :ivar covariance: of these, prior and constraints included, by linearisation.
    :ivar surprise: minus twice the logarithm of how probable the data is under the prior (by
        Laplace's approximation), up to a constant: the smaller, the better the prior.
    """

    coefficients: Array
    covariance: Array
    surprise: float


def link_bodies(model: RobotModel, spread: float) -> list[Body]:
    """Return the links of the description, or rather what each joint carries, as bodies."""
    known, units = known_parameters(model), inertial_units(model)
    smallest = SMALLEST_SHARE * units.reshape(-1, SIZE) * BALL
    return [
        Body(LogCholesky(own, small), spread)
        for own, small in zip(known.reshape(-1, SIZE), smallest, strict=True)
    ]


def fit_consistent(
    bodies: Sequence[Body], terms: Terms, design: Array, torque: Array, start: Array
) -> ConsistentFit:
    """Return the estimate in which every link is a body, near its prior.

    ::

        min  |X x(t) - y|^2 + |t / s|^2

    ``|X x - y|`` is what the data says in units of its noise, of independent rows. ``x(t)`` has
    the inertial parameters of ``LogCholesky``, so no estimate is outside of what is physical, and
    a combination that the data does not know stays where the description has it; one that it knows
    is decided by hundreds of rows against one. (To project a fit without constraints needs the
    same prior, and a solver for matrix inequalities besides.) Friction and rotors are not
    negative.

    :param design: all columns in units of the noise, shape ``(rows, columns)``.
    :param torque: likewise, shape ``(rows,)``.
    :param start: coefficients of the terms to start from.
    """
    r = np.asarray(np.linalg.qr(np.column_stack((design, torque)), mode='r'))
    size = design.shape[1]
    problem = _Problem(bodies, terms, r[:size, :size], r[:size, size])
    found = problem.solve(start)
    slope, jacobian = problem.slope(found), problem.jacobian(found)
    information = jacobian.T @ jacobian
    inverse = np.linalg.pinv(information, hermitian=True)
    spreads = np.array([body.spread for body in bodies])
    surprise = np.square(problem.residual(found)).sum() + np.linalg.slogdet(information)[1]
    return ConsistentFit(
        problem.coefficients(found),
        slope @ inverse @ slope.T,
        float(surprise + 2.0 * SIZE * np.log(spreads).sum()),
    )


class _Problem:
    """The least-squares problem in the logarithmic factors and the terms."""

    def __init__(self, bodies: Sequence[Body], terms: Terms, triangle: Array, right: Array):
        self._bodies, self._triangle, self._right = bodies, triangle, right
        self._inertial = SIZE * len(bodies)
        kinds = [term.kind for own in terms for term in own]
        own = np.linalg.norm(triangle[:, self._inertial :], axis=0)
        spreads = np.repeat([body.spread for body in bodies], SIZE)
        weak = np.sqrt(WEAK_PRIOR) * (own + np.finfo(float).tiny)
        self._prior = np.concatenate((1.0 / spreads, weak))
        self.lower = np.full(self._inertial + len(kinds), -np.inf)
        self.lower[self._inertial :][[kind in NOT_NEGATIVE for kind in kinds]] = 0.0

    def start(self, terms: Array) -> Array:
        """Return the priors of the bodies, with terms to start from."""
        t = np.zeros(len(self.lower))
        t[self._inertial :] = terms
        return np.where(np.isfinite(self.lower), np.maximum(t, LEAST_TERM), t)

    def solve(self, terms: Array) -> Array:
        """Return the unknowns of the least sum of squares.

        Steps of Levenberg and Marquardt, each a linear problem with bounds: many terms end at
        theirs, which general solvers approach slowly or stop short of.
        """
        t = self.start(terms)
        cost = float(np.square(self.residual(t)).sum())
        damping = FIRST_DAMPING
        for _ in range(MOST_STEPS):
            slope = self.jacobian(t)
            lengths = np.linalg.norm(slope, axis=0)
            step = lsq_linear(
                np.concatenate((slope, np.diag(np.sqrt(damping) * lengths))),
                np.concatenate((-self.residual(t), np.zeros(len(t)))),
                (self.lower - t, np.full(len(t), np.inf)),
                method='bvls',
            ).x
            tried = np.maximum(t + step, self.lower)
            with np.errstate(over='ignore', invalid='ignore'):  # a step may be far too long
                new = float(np.square(self.residual(tried)).sum())
            if not new < cost:
                damping *= 10.0
                if damping > LARGEST_DAMPING:
                    break
                continue
            done = cost - new < CONVERGED * cost
            t, cost, damping = tried, new, damping / 5.0
            if done:
                break
        return t

    def coefficients(self, t: Array) -> Array:
        """Return all coefficients."""
        parts = t[: self._inertial].reshape(-1, SIZE)
        own = zip(self._bodies, parts, strict=True)
        inertial = [body.shape.parameters(part) for body, part in own]
        return np.concatenate((*inertial, t[self._inertial :]))

    def slope(self, t: Array) -> Array:
        """Return the derivative of the coefficients."""
        slope = np.eye(len(t))
        for i, body in enumerate(self._bodies):
            own = slice(SIZE * i, SIZE * i + SIZE)
            slope[own, own] = body.shape.derivative(t[own])
        return slope

    def residual(self, t: Array) -> Array:
        """Return what is left of the data, and the distance from the prior."""
        data = self._triangle @ self.coefficients(t) - self._right
        return np.concatenate((data, self._prior * t))

    def jacobian(self, t: Array) -> Array:
        """Return the derivative of ``residual``."""
        return np.concatenate((self._triangle @ self.slope(t), np.diag(self._prior)))


def places(terms: Terms, kind: str, bodies: int | None = None) -> list[int | None]:
    """Return the index of each joint's term of a kind among all coefficients, if it has one.

    :param bodies: whose parameters come first; one for each joint where none is given.
    """
    shift = 0 if bodies is None else SIZE * (bodies - len(terms))
    found: list[int | None] = []
    for own, place in zip(terms, columns_of(terms), strict=True):
        kinds = [term.kind for term in own]
        found.append(shift + place.start + kinds.index(kind) if kind in kinds else None)
    return found
