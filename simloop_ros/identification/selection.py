"""Which friction a joint has: chosen by an information criterion."""

from __future__ import annotations

import numpy as np

from ..core.values import Array
from ..robot.model import RobotModel
from .friction_terms import SMOOTHING_SPEEDS, Term, basic_terms, optional_terms
from .regression import (
    JointGrams,
    RegressionFit,
    Rows,
    Terms,
    columns_of,
    design_matrix,
    memory_factors,
    residual,
)

ALWAYS = len(basic_terms(1.0)) + 1
"""Number of the terms that every joint has while others are chosen: with that of a wrong
smoothing, which would else be taken for Stribeck friction."""

REFINEMENTS = 2
"""Steps of Gauss and Newton from the best smoothing that was tried."""
LARGEST_STEP = 0.4
"""Largest relative change of the smoothing in such a step."""


def choose_terms(model: RobotModel, rows: Rows) -> Terms:
    """Return the terms of each joint that the data asks for.

    Every joint has a rotor, dry and viscous friction and an offset. The smoothing of dry friction
    is, per joint, the one that explains best. Asymmetry and Stribeck friction are added one by
    one, each time the one that explains most, as long as that is more than the extended criterion
    of Schwarz asks for one more parameter (Chen, Chen 2008)::

        fall of sum_j |r_j|^2 / s_j^2 > ln(N) + 2 ln(K)

    with ``r_j`` what is left of joint ``j`` in ``N`` rows that count as independent, ``s_j`` its
    rms, and ``K`` terms to choose from: the best of many explains something by chance.
    """
    smoothing = _smoothing(model, rows)
    for _ in range(REFINEMENTS):
        smoothing = _refined(model, rows, smoothing)
    candidates: Terms = tuple(
        (*basic_terms(w), Term('slope', w), *optional_terms(w, fastest))
        for w, fastest in zip(smoothing, rows.fastest.tolist(), strict=True)
    )
    grams = JointGrams(model, rows, candidates)
    chosen = [list(range(ALWAYS)) for _ in range(model.n)]
    solution = grams.solve(chosen)
    grams.memory = _memory(rows, candidates, chosen, solution)
    count = len(_further(candidates, chosen))
    penalty = float(np.log((grams.rows / grams.memory).sum()) + 2.0 * np.log(max(count, 1)))
    while True:
        gains = grams.gains(chosen, grams.solve(chosen))
        further = _further(candidates, chosen)
        best = max(further, key=lambda pair: float(gains[pair[0]][pair[1]]), default=None)
        if best is None or gains[best[0]][best[1]] <= penalty:
            break
        chosen[best[0]].append(best[1])
    return tuple(
        tuple(own[k] for k in picked if own[k].kind != 'slope')
        for own, picked in zip(candidates, chosen, strict=True)
    )


def _smoothing(model: RobotModel, rows: Rows) -> list[float]:
    """Return the best smoothing of the dry friction of each joint [rad/s]."""
    others = [term for term in basic_terms(1.0) if term.kind != 'coulomb']
    tried = [Term('coulomb', speed) for speed in SMOOTHING_SPEEDS]
    grams = JointGrams(model, rows, tuple((*others, *tried) for _ in range(model.n)))
    known = list(range(len(others)))
    left = [grams.solve([[*known, len(others) + k]] * model.n).left for k in range(len(tried))]
    return [_lowest(np.log(SMOOTHING_SPEEDS), column) for column in np.square(left).T]


def _refined(model: RobotModel, rows: Rows, smoothing: list[float]) -> list[float]:
    """Return the smoothing after a step of Gauss and Newton.

    ``F tanh(v / w') = F tanh(v / w) + S (v / w) / cosh(v / w)^2`` with ``w' = w (1 - S/F)``.
    """
    terms: Terms = tuple((*basic_terms(w), Term('slope', w)) for w in smoothing)
    grams = JointGrams(model, rows, terms)
    found = grams.solve([list(range(len(own))) for own in terms]).coefficients
    refined = []
    for w, own, place in zip(smoothing, terms, columns_of(terms), strict=True):
        values = dict(zip([term.kind for term in own], found[place], strict=True))
        dry = values['coulomb']
        step = values['slope'] / dry if dry > 0.0 else 0.0
        refined.append(w * float(1.0 - np.clip(step, -LARGEST_STEP, LARGEST_STEP)))
    return [float(np.clip(w, SMOOTHING_SPEEDS[0], SMOOTHING_SPEEDS[-1])) for w in refined]


def _lowest(logarithms: Array, squares: Array) -> float:
    """Return the speed at which the squares are least, between those that were tried.

    A parabola through the least one and its neighbours; beyond the ends nothing is guessed.
    """
    k = int(np.argmin(squares))
    if 0 < k < len(squares) - 1:
        a, b, _ = np.polyfit(logarithms[k - 1 : k + 2], squares[k - 1 : k + 2], 2)
        if a > 0.0:
            inner = np.clip(-0.5 * b / a, logarithms[k - 1], logarithms[k + 1])
            return float(np.exp(inner))
    return float(np.exp(logarithms[k]))


def _further(candidates: Terms, chosen: list[list[int]]) -> list[tuple[int, int]]:
    """Return the joints and candidates that may be added: of each kind one at most."""
    return [
        (joint, k)
        for joint, (own, picked) in enumerate(zip(candidates, chosen, strict=True))
        for k, term in enumerate(own)
        if term.kind not in {own[i].kind for i in picked}
    ]


def _memory(
    rows: Rows, candidates: Terms, chosen: list[list[int]], solution: RegressionFit
) -> Array:
    terms = tuple(tuple(own[k] for k in p) for own, p in zip(candidates, chosen, strict=True))
    left = residual(rows, design_matrix(rows, terms), solution.coefficients)
    return memory_factors(rows, left)
