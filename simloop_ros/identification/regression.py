"""Weighted least squares over all joints, with the robot's description as a prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..core.values import Array
from ..robot.model import RobotModel
from .friction_terms import Term
from .motion import Track
from .pseudo_inertia import SIZE

LEVER = 0.1
"""Shift of a link's centre of mass that counts as one [m]; its moments go with the square."""
WEAK_PRIOR = 1e-6
"""Weight of the prior of friction and rotors against all data: next to none."""
EXACT_SHARE = 1e-9
"""Part of the largest torque that counts as fully explained: a robot without noise."""
WEIGHTING_ROUNDS = 4
"""Number of times that the joints are weighted by what they leave unexplained."""
COLLINEAR = 1e-6
"""Part of a column below which it is nothing new."""
LONGEST_MEMORY = 1.0
"""Time over which what is left unexplained may be correlated [s]."""

STANDSTILL = 5e-3
"""Speed below which a joint may stick [rad/s]."""

Terms = tuple[tuple[Term, ...], ...]
"""The terms of each joint."""


@dataclass(frozen=True)
class Rows:
    """The filtered rows of a regression, of one or several tracks.

    :ivar tracks: which they are from.
    :ivar torque: [N m], shape ``(rows, n)``.
    :ivar regressor: of the inertial parameters, shape ``(rows, n, 10 n)``.
    :ivar starts: index of the first row of each track, and the number of all.
    :ivar trust: factor of each row and joint, in ``torque`` and ``regressor`` already, ``(rows,
        n)``.
    """

    tracks: tuple[Track, ...]
    torque: Array
    regressor: Array
    starts: tuple[int, ...]
    trust: Array

    @classmethod
    def of(cls, model: RobotModel, tracks: Sequence[Track]) -> Rows:
        """Return the rows of tracks."""
        counts = [len(each.rows) for each in tracks]
        return cls(
            tuple(tracks),
            np.concatenate([each.filtered(each.torque) for each in tracks]),
            np.concatenate([each.filtered_regressor(model.pin_model) for each in tracks]),
            (0, *np.cumsum(counts).tolist()),
            np.ones((sum(counts), model.n)),
        )

    @property
    def time(self) -> Array:
        """Return the times [s], shape ``(rows,)``."""
        return np.concatenate([each.time for each in self.tracks])

    @property
    def spacing(self) -> float:
        """Return the time between two rows [s]."""
        longest = max(self.tracks, key=lambda each: len(each.time)).time
        return float(longest[1] - longest[0]) if len(longest) > 1 else LONGEST_MEMORY

    @property
    def fastest(self) -> Array:
        """Return the largest speeds [rad/s], shape ``(n,)``."""
        return np.max([np.abs(each.velocity).max(axis=0) for each in self.tracks], axis=0)

    def column(self, joint: int, term: Term) -> Array:
        """Return the filtered column of a term of a joint, shape ``(rows,)``."""
        return self.trust[:, joint] * np.concatenate(
            [
                each.filtered(term.values(each.velocity[:, joint], each.acceleration[:, joint]))
                for each in self.tracks
            ]
        )

    @property
    def standing(self) -> Array:
        """Return the share of each row in which a joint stands still, shape ``(rows, n)``."""
        return np.concatenate(
            [
                each.filtered((np.abs(each.velocity) < STANDSTILL).astype(float))
                for each in self.tracks
            ]
        ).clip(0.0, 1.0)

    def trusted(self, trust: Array) -> Rows:
        """Return the rows with other factors, shape ``(rows, n)``."""
        change = trust / self.trust
        return replace(
            self,
            torque=self.torque * change,
            regressor=self.regressor * change[:, :, None],
            trust=trust,
        )


def inertial_units(model: RobotModel) -> Array:
    """Return a change of each inertial parameter that counts as large, shape ``(10 n,)``."""
    masses = np.array([body.mass for body in model.pin_model.inertias][1:])
    scale = np.maximum(masses, masses.mean() or 1.0)
    return np.outer(scale, [1.0, *3 * [LEVER], *6 * [LEVER**2]]).ravel()


def known_parameters(model: RobotModel) -> Array:
    """Return the inertial parameters of the description, shape ``(10 n,)``."""
    bodies = list(model.pin_model.inertias)[1:]
    return np.concatenate([body.toDynamicParameters() for body in bodies])


def columns_of(terms: Terms) -> list[slice]:
    """Return the places of each joint's terms behind the inertial parameters."""
    ends = np.cumsum([0, *(len(own) for own in terms)])
    first = SIZE * len(terms)
    return [slice(first + a, first + b) for a, b in pairwise(ends.tolist())]


def design_matrix(rows: Rows, terms: Terms) -> Array:
    """Return all columns, shape ``(rows, n, columns)``."""
    n = len(terms)
    places = columns_of(terms)
    design = np.zeros((len(rows.torque), n, places[-1].stop))
    design[:, :, : SIZE * n] = rows.regressor
    for joint, (own, place) in enumerate(zip(terms, places, strict=True)):
        for k, term in enumerate(own):
            design[:, joint, place.start + k] = rows.column(joint, term)
    return design


@dataclass(frozen=True)
class RegressionFit:
    """What a regression found.

    :ivar coefficients: inertial parameters, then each joint's terms.
    :ivar left: what it leaves of each joint's torque (rms) [N m], shape ``(n,)``.
    :ivar weight: of each joint's rows, 1/[N m], shape ``(n,)``.
    """

    coefficients: Array
    left: Array
    weight: Array


class _Layout:
    """Where the columns of a choice of terms are.

    :ivar size: number of all coefficients.
    :ivar places: of each joint, its coefficients among all.
    :ivar columns: of each joint, the same among its own columns.
    """

    def __init__(self, inertial: int, chosen: Sequence[Sequence[int]]):
        ends = np.cumsum([inertial, *(len(own) for own in chosen)])
        self.size = int(ends[-1])
        self.places = [np.r_[0:inertial, a:b] for a, b in pairwise(ends.tolist())]
        self.columns = [np.r_[0:inertial, inertial + np.array(own, int)] for own in chosen]


class JointGrams:
    """Products of the columns of each joint, from which any choice of terms is solved at once.

    :param candidates: every term that a joint may have.
    """

    def __init__(self, model: RobotModel, rows: Rows, candidates: Terms):
        self._prior = known_parameters(model)
        self._units = inertial_units(model)
        self._n = model.n
        self._inertial = SIZE * model.n
        self.rows = len(rows.torque)
        unknown = rows.torque - rows.regressor @ self._prior
        self.rounding = EXACT_SHARE * float(np.abs(rows.torque).max()) + np.finfo(float).tiny
        self.memory = np.ones(model.n)
        self._products = []
        for joint, own in enumerate(candidates):
            columns = [rows.column(joint, term) for term in own]
            local = np.column_stack((rows.regressor[:, joint], *columns, unknown[:, joint]))
            self._products.append(local.T @ local)

    def solve(self, chosen: Sequence[Sequence[int]]) -> RegressionFit:
        """Return the solution with some of the candidates, by their indices, for each joint."""
        layout = _Layout(self._inertial, chosen)
        left = np.sqrt([product[-1, -1] / self.rows for product in self._products])
        x, weight = np.zeros(layout.size), np.ones(self._n)
        for _ in range(WEIGHTING_ROUNDS):
            weight = 1.0 / np.maximum(left, 1e-3 * left.max() + self.rounding)
            gram, right, root = self._equations(layout, weight)
            x = root * np.linalg.lstsq(gram, right * root, rcond=None)[0]
            squares = [
                self._square(product, x[place], own)
                for product, place, own in zip(
                    self._products, layout.places, layout.columns, strict=True
                )
            ]
            left = np.sqrt(np.maximum(squares, 0.0) / self.rows)
        x[: self._inertial] += self._prior
        return RegressionFit(x, left, weight)

    def gains(self, chosen: Sequence[Sequence[int]], solution: RegressionFit) -> list[Array]:
        """Return for each joint how much each of its candidates would explain in addition.

        By how much the sum of squares in units of the noise would fall, of independent rows, with
        the weights of a solution; for those that are chosen the number means nothing.
        """
        layout = _Layout(self._inertial, chosen)
        gram, _, root = self._equations(layout, solution.weight)
        x = solution.coefficients.copy()
        x[: self._inertial] -= self._prior
        strength = solution.weight**2 / self.memory
        found = []
        for w, product, place, own in zip(
            strength, self._products, layout.places, layout.columns, strict=True
        ):
            more = np.arange(self._inertial, len(product) - 1)
            cross = np.zeros((layout.size, len(more)))
            cross[place] = w * product[np.ix_(own, more)]
            known = np.linalg.lstsq(gram, cross * root[:, None], rcond=None)[0]
            alone = w * np.diag(product)[more] - (cross * (root[:, None] * known)).sum(axis=0)
            alone = np.maximum(alone, COLLINEAR * w * np.diag(product)[more] + 1e-300)
            found.append((w * product[more, -1] - cross.T @ x) ** 2 / alone)
        return found

    def _equations(self, layout: _Layout, weight: Array) -> tuple[Array, Array, Array]:
        """Return matrix and right side of the normal equations, and the units of the prior.

        The matrix is for unknowns in these units: it has the prior as ones on its diagonal.
        """
        gram, right = np.zeros((layout.size, layout.size)), np.zeros(layout.size)
        strength = weight**2 / self.memory
        for w, product, place, own in zip(
            strength, self._products, layout.places, layout.columns, strict=True
        ):
            gram[np.ix_(place, place)] += w * product[np.ix_(own, own)]
            right[place] += w * product[own, -1]
        prior = WEAK_PRIOR * (1.0 + np.diag(gram))
        prior[: self._inertial] = 1.0 / self._units**2
        root = 1.0 / np.sqrt(prior)
        # Least squares are solved with it, for without any noise the prior is lost in rounding.
        return gram * np.outer(root, root) + np.eye(layout.size), right, root

    @staticmethod
    def _square(product: Array, x: Array, own: Array) -> float:
        """Return the sum of the squares that are left of a joint's torque."""
        return float(
            product[-1, -1] - 2.0 * x @ product[own, -1] + x @ product[np.ix_(own, own)] @ x
        )


def residual(rows: Rows, design: Array, coefficients: Array) -> Array:
    """Return the torque that is left unexplained [N m], shape ``(rows, n)``."""
    return rows.torque - design @ coefficients


def memory_factors(rows: Rows, left: Array) -> Array:
    """Return how many rows tell as much as one independent one, at least 1, shape ``(n,)``.

    ``1 + 2 sum (1 - k/K) rho_k`` with the autocorrelation of what is left over up to
    ``LONGEST_MEMORY``.
    """
    lags = max(1, round(LONGEST_MEMORY / rows.spacing))
    parts = [left[a:b] for a, b in pairwise(rows.starts)]
    square = np.maximum((left**2).sum(axis=0), np.finfo(float).tiny)
    factors = np.ones(left.shape[1])
    for lag in range(1, lags):
        products = sum((part[lag:] * part[:-lag]).sum(axis=0) for part in parts)
        factors += 2.0 * (1.0 - lag / lags) * products / square
    return np.maximum(factors, 1.0)
