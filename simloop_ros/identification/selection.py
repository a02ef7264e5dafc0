"""Which friction a joint has: chosen by an information criterion."""

from __future__ import annotations

import numpy as np

from ..core.values import Array
from ..robot.model import RobotModel
from .friction_terms import SMOOTHING_SPEEDS, Term, basic_terms, optional_terms
from .regression import (
    JointGrams,
    Rows,
    Solution,
    Terms,
    design_matrix,
    memory_factors,
    residual,
)

ALWAYS = len(basic_terms(1.0))
"""Number of the terms that every joint has."""


def choose_terms(model: RobotModel, rows: Rows) -> Terms:
    """Return the terms of each joint that the data asks for.

    Every joint has a rotor, dry and viscous friction. The smoothing of dry friction is, per joint,
    the one that explains best. Offset, asymmetry and Stribeck friction are added one by one, each
    time the one that lowers the criterion of Schwarz most, as long as one does::

        BIC = sum_j N_j ln(s_j^2) + k ln(sum_j N_j)

    with ``s_j`` what is left of joint ``j`` (rms), ``k`` terms, and ``N_j`` rows that count as
    independent.
    """
    smoothing = _smoothing(model, rows)
    candidates: Terms = tuple(
        (*basic_terms(w), *optional_terms(w, fastest))
        for w, fastest in zip(smoothing, rows.fastest.tolist(), strict=True)
    )
    grams = JointGrams(model, rows, candidates)
    chosen = [list(range(ALWAYS)) for _ in range(model.n)]
    solution = grams.solve(chosen)
    grams.memory = _memory(rows, candidates, chosen, solution)
    lowest = _criterion(grams, grams.solve(chosen), chosen)
    while True:
        tried = {
            (joint, k): _criterion(grams, grams.solve(more), more)
            for joint, k in _further(candidates, chosen)
            for more in [_with(chosen, joint, k)]
        }
        best = min(tried, key=lambda key: tried[key], default=None)
        if best is None or tried[best] >= lowest:
            break
        lowest, chosen = tried[best], _with(chosen, *best)
    return tuple(
        tuple(own[k] for k in picked) for own, picked in zip(candidates, chosen, strict=True)
    )


def _smoothing(model: RobotModel, rows: Rows) -> list[float]:
    """Return the best smoothing of the dry friction of each joint [rad/s]."""
    others = [term for term in basic_terms(1.0) if term.kind != 'coulomb'] + [Term('offset')]
    tried = [Term('coulomb', speed) for speed in SMOOTHING_SPEEDS]
    grams = JointGrams(model, rows, tuple((*others, *tried) for _ in range(model.n)))
    known = list(range(len(others)))
    left = [grams.solve([[*known, len(others) + k]] * model.n).left for k in range(len(tried))]
    return [SMOOTHING_SPEEDS[k] for k in np.argmin(left, axis=0)]


def _further(candidates: Terms, chosen: list[list[int]]) -> list[tuple[int, int]]:
    """Return the joints and candidates that may be added: of each kind one at most."""
    return [
        (joint, k)
        for joint, (own, picked) in enumerate(zip(candidates, chosen, strict=True))
        for k, term in enumerate(own)
        if term.kind not in {own[i].kind for i in picked}
    ]


def _with(chosen: list[list[int]], joint: int, k: int) -> list[list[int]]:
    return [[*own, k] if i == joint else own for i, own in enumerate(chosen)]


def _criterion(grams: JointGrams, solution: Solution, chosen: list[list[int]]) -> float:
    independent = grams.rows / grams.memory
    left = np.maximum(solution.left, grams.rounding)
    terms = sum(len(own) for own in chosen)
    return float(2.0 * independent @ np.log(left) + terms * np.log(independent.sum()))


def _memory(rows: Rows, candidates: Terms, chosen: list[list[int]], solution: Solution) -> Array:
    terms = tuple(tuple(own[k] for k in p) for own, p in zip(candidates, chosen, strict=True))
    left = residual(rows, design_matrix(rows, terms), solution.coefficients)
    return memory_factors(rows, left)
