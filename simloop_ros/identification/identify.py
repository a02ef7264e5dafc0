"""Identification of a robot from motion and torque: what it is, and how well that is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..collision.explanation import Explanation
from ..core.values import Array
from ..robot.model import RobotModel
from .base_parameters import BaseParameters, base_parameters
from .config import CUTOFF
from .consistent import fit_consistent, link_bodies, places
from .friction_terms import Term
from .low_pass import FilterForm
from .motion import Stretch, tracks
from .pseudo_inertia import SIZE
from .regression import (
    JointGrams,
    Rows,
    Terms,
    design_matrix,
    inertial_units,
    memory_factors,
    residual,
)
from .selection import choose_terms
from .uncertainty import covariance

TOLD = 0.5
"""Standard error of a base parameter, as a part of a large change, from which on the data does not
tell it."""
SPREAD = 1.0
"""Standard deviation of the prior of each link: its inertia is the description's within a factor
of e. It decides what the data does not tell."""
LEAST_STANDING = 0.05
"""Share of a row in which a joint stands still, below which that does not matter."""
TRUST_ROUNDS = 2
"""Number of times that rows in which a joint stands still are weighted: the first time, their
friction is still in all that is known about the noise of the others."""
LEAST_TRUST = 1e-3
"""What such a row counts for at least."""

Step = Callable[[str], None]
"""Gets what is being done."""


@dataclass(frozen=True)
class Identification:
    """What was identified.

    :ivar explanation: the robot, physically consistent, for monitors and replay.
    :ivar terms: friction that was chosen for each joint.
    :ivar base: which combinations torques can tell at all.
    :ivar values: of the base parameters, physically consistent, shape ``(r,)``.
    :ivar free: the same by least squares alone, without prior and constraint, shape ``(r,)``.
    :ivar errors: standard errors of ``free``, shape ``(r,)``: those of ``values`` are not larger.
    :ivar noise: torque that least squares leave unexplained (rms) [N m], shape ``(n,)``.
    :ivar condition: condition number of the base regressor, columns of equal length.
    :ivar untold: base parameters that this data does not tell, in words.
    """

    explanation: Explanation
    terms: Terms
    base: BaseParameters
    values: Array
    free: Array
    errors: Array
    noise: Array
    condition: float
    untold: tuple[str, ...]


@dataclass(frozen=True)
class WeightedRows:
    """Rows with the columns of chosen terms, and what makes their noise white and of size one.

    :ivar design: all columns, shape ``(rows, n, columns)``.
    :ivar weight: of each joint, 1/[N m], shape ``(n,)``.
    :ivar memory: rows that tell as much as one independent one, shape ``(n,)``.
    :ivar start: coefficients of a first solution: inertial parameters, then the terms.
    :ivar noise: what it leaves unexplained (rms) [N m], shape ``(n,)``.
    """

    rows: Rows
    terms: Terms
    design: Array
    weight: Array
    memory: Array
    start: Array
    noise: Array

    def scaled(self, columns: Array) -> Array:
        """Return columns or torques in units of the noise, all joints below each other."""
        factor = self.weight / np.sqrt(self.memory)
        if columns.ndim == 2:
            return (columns * factor).ravel()
        return (columns * factor[:, None]).reshape(-1, columns.shape[2])


def weighted_rows(
    model: RobotModel, stretches: Sequence[Stretch], cutoff: float, form: FilterForm, step: Step
) -> WeightedRows:
    """Filter a motion, choose the friction of each joint, and weight joints by their noise."""
    step('filters')
    rows = Rows.of(model, tracks(stretches, cutoff, form))
    step('friction')
    data = _weighted(model, rows)
    if rows.standing.max() < LEAST_STANDING:
        return data
    for _ in range(TRUST_ROUNDS):
        data = _weighted(model, rows.trusted(_trust(data)))
    return data


def _weighted(model: RobotModel, rows: Rows) -> WeightedRows:
    terms = choose_terms(model, rows)
    grams = JointGrams(model, rows, terms)
    chosen = [list(range(len(own))) for own in terms]
    design = design_matrix(rows, terms)
    first = grams.solve(chosen)
    memory = memory_factors(rows, residual(rows, design, first.coefficients))
    grams.memory = memory
    solution = grams.solve(chosen)
    return WeightedRows(
        rows, terms, design, solution.weight, memory, solution.coefficients, solution.left
    )


def _trust(data: WeightedRows) -> Array:
    """Return what rows count for in which a joint stands still, shape ``(rows, n)``.

    There its dry friction may be anything from ``-F`` to ``F``, which is noise of ``F/sqrt(3)``
    (rms) in addition to that of the rows in which it slides.
    """
    dry = [0.0 if k is None else abs(data.start[k]) for k in places(data.terms, 'coulomb')]
    rows = data.rows
    slides = rows.standing < LEAST_STANDING
    left = np.square(residual(rows, data.design, data.start) / rows.trust)
    noise = np.where(slides, left, 0.0).sum(axis=0) / np.maximum(slides.sum(axis=0), 1)
    noise = np.where(slides.any(axis=0), noise, np.square(data.noise))
    more = np.square(dry) / 3.0 / np.maximum(noise, np.finfo(float).tiny)
    trust: Array = np.maximum(1.0 / np.sqrt(1.0 + rows.standing**2 * more), LEAST_TRUST)
    return trust


def identify(
    model: RobotModel,
    stretches: Sequence[Stretch],
    cutoff: float = CUTOFF,
    form: FilterForm = 'causal',
    step: Step = lambda _: None,
) -> Identification:
    """Identify a robot.

    ::

        L tau = L (Y(q, v, a) phi + friction)

    with the same low-pass filter ``L`` on both sides; joints are weighted by their noise.

    :param cutoff: of the filter [Hz].
    :raises ConfigError: there is too little data.
    """
    data = weighted_rows(model, stretches, cutoff, form, step)
    rows, terms = data.rows, data.terms
    step('consistent fit')
    coefficients = _consistent(model, data)
    step('standard errors')
    base = base_parameters(model, terms)
    free, errors, condition = _free_estimate(data, base)
    return Identification(
        explanation=explanation_of(terms, coefficients, rows.fastest),
        terms=terms,
        base=base,
        values=base.of(coefficients),
        free=free,
        errors=errors,
        noise=data.noise,
        condition=condition,
        untold=_untold(model, base, errors),
    )


def explain(
    model: RobotModel, stretches: Sequence[Stretch], cutoff: float = CUTOFF
) -> Explanation:
    """Identify a robot without asking how well it is known.

    :raises ConfigError: there is too little data.
    """
    data = weighted_rows(model, stretches, cutoff, 'causal', lambda _: None)
    return explanation_of(data.terms, _consistent(model, data), data.rows.fastest)


def _consistent(model: RobotModel, data: WeightedRows) -> Array:
    """Return inertial parameters and terms, physically consistent."""
    fit = fit_consistent(
        link_bodies(model, SPREAD),
        data.terms,
        data.scaled(data.design),
        data.scaled(data.rows.torque),
        data.start[SIZE * model.n :],
    )
    return fit.coefficients


def _free_estimate(data: WeightedRows, base: BaseParameters) -> tuple[Array, Array, float]:
    """Return base parameters by least squares, their standard errors and the condition number.

    The smoothing of dry friction is a further unknown of each joint, by its derivative.
    """
    rows, weight, count = data.rows, data.weight, len(base.base)
    n = len(weight)
    columns = np.zeros((len(rows.torque), n, count + n))
    columns[:, :, :count] = data.design[:, :, base.base]
    for joint, own in enumerate(data.terms):
        smoothing = next(term.smoothing for term in own if term.kind == 'coulomb')
        columns[:, joint, count + joint] = rows.column(joint, Term('slope', smoothing))
    flat = (columns * weight[:, None]).reshape(-1, count + n)
    scale = np.maximum(np.linalg.norm(flat, axis=0), np.finfo(float).tiny)
    condition = float(np.linalg.cond((flat / scale)[:, :count]))
    free = np.linalg.lstsq(flat / scale, (rows.torque * weight).ravel(), rcond=None)[0] / scale
    left = residual(rows, columns, free)
    variances = np.diag(covariance(rows, columns, left, weight))[:count]
    return free[:count], np.sqrt(np.maximum(variances, 0.0)), condition


def _untold(model: RobotModel, base: BaseParameters, errors: Array) -> tuple[str, ...]:
    units = inertial_units(model)
    return tuple(
        base.description(k)
        for k, column in enumerate(base.base)
        if column < SIZE * model.n and errors[k] > TOLD * units[column]
    )


def explanation_of(terms: Terms, coefficients: Array, fastest: Array) -> Explanation:
    """Return coefficients by their names.

    :param coefficients: inertial parameters of what each joint carries, then the terms.
    """
    n = len(terms)

    def of(kind: str) -> tuple[float, ...]:
        return tuple(
            0.0 if place is None else float(coefficients[place]) for place in places(terms, kind)
        )

    kinds = [{term.kind: term for term in own} for own in terms]
    asymmetry, stribeck = of('asymmetry'), of('stribeck')
    fading = tuple(own['stribeck'].fading if 'stribeck' in own else 1.0 for own in kinds)
    return Explanation(
        inertias=tuple(tuple(row) for row in coefficients[: SIZE * n].reshape(n, SIZE).tolist()),
        armature=of('armature'),
        coulomb=of('coulomb'),
        smoothing=tuple(own['coulomb'].smoothing for own in kinds),
        viscous=of('viscous'),
        offset=of('offset'),
        fastest=tuple(fastest.tolist()),
        asymmetry=asymmetry if any(asymmetry) else (),
        stribeck=stribeck if any(stribeck) else (),
        fading=fading if any(stribeck) else (),
    )
