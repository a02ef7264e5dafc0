"""``simloop bench controllers``: simulation in the loop beside PID, PD and computed torque."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import msgspec
import numpy as np

from .controller_figures import ConditionPanel, Mark, draw_conditions, draw_tradeoff
from .controller_motions import CONTROLLERS, MOTIONS
from .controller_run import Case, Outcome, run_case
from .result import BenchResult, Limit
from .workers import Workers

PERIODS = 1.0 / 200.0, 1.0 / 1000.0, 1.0 / 2000.0
MASS_ERRORS = 0.0, 0.1, 0.3
NOISES = 0.0, 1e-5
"""Standard deviation of the encoders [rad]."""
CLAIM_MASS_ERROR, CLAIM_NOISE = 0.1, 1e-5
"""Where simulation in the loop behind the observer shall have the smallest error."""
OWN, RIVAL, FILTERED = 'observer', 'computed_torque', 'computed_torque_observer'
DETAILS = ('start_max_um',)
"""Columns of the table that only the file has."""

Progress = Callable[[str, float], None]
Outcomes = Mapping[Case, Outcome]


class Size(msgspec.Struct, frozen=True):
    """Which conditions are run."""

    motions: tuple[str, ...] = tuple(MOTIONS)
    periods: tuple[float, ...] = PERIODS
    mass_errors: tuple[float, ...] = MASS_ERRORS
    noises: tuple[float, ...] = NOISES
    frictions: tuple[bool, ...] = (False, True)

    def cases(self) -> list[Case]:
        """Return every case, the controllers of one condition beside each other."""
        return [
            Case(motion, controller, period, mass_error, noise, friction)
            for motion, period, mass_error, noise, friction, controller in product(
                self.motions,
                self.periods,
                self.mass_errors,
                self.noises,
                self.frictions,
                CONTROLLERS,
            )
        ]


QUICK = Size(
    motions=('yumi_step', 'lwr_fast'),
    periods=PERIODS[:2],
    mass_errors=(CLAIM_MASS_ERROR,),
    noises=(CLAIM_NOISE,),
    frictions=(True,),
)


def bench_controllers(
    quick: bool, progress: Progress, workers_count: int | None = None, size: Size | None = None
) -> BenchResult:
    """Return the figures, rows and pictures of the comparison.

    :param quick: only where the claim is made, with friction, and not at the highest rate.
    :param progress: told what is being done and the share that is done.
    :param workers_count: number of processes; the results do not depend on it.
    :param size: which conditions are run; by ``quick`` where none is given.
    """
    cases = (size or (QUICK if quick else Size())).cases()
    with Workers(workers_count) as workers:
        found = workers.run(run_case, [(case,) for case in cases], partial(progress, 'runs'))
    outcomes = dict(zip(cases, found, strict=True))
    figures = claim_figures(outcomes) | unstable_figures(outcomes)
    return BenchResult(
        figures=figures,
        limits={
            name: Limit(at_most=1.0)
            for name in figures
            if name.startswith(('observer_error_over_best', f'observer_ripple_over_{RIVAL}_'))
        },
        rows=[row(case, outcome) for case, outcome in outcomes.items()],
        details=DETAILS,
        pictures={
            'controllers_tradeoff': partial(draw_tradeoff, marks(outcomes)),
            'controllers_conditions': partial(draw_conditions, panels(outcomes)),
        },
    )


def claim_figures(outcomes: Outcomes) -> dict[str, float]:
    """Return the figures of the claim by motion and rate: the worse of with and without friction.

    The best is the smallest error of all other controllers.
    """
    figures: dict[str, list[float]] = {}
    for case, own in outcomes.items():
        if case.controller != OWN or not _claimed(case):
            continue
        others = {
            name: outcomes[msgspec.structs.replace(case, controller=name)]
            for name in CONTROLLERS
            if name != OWN
        }
        where = f'{case.motion}_{round(1.0 / case.period)}'
        best = min(other.tip_rms for other in others.values())
        for name, ratio in (
            ('error_over_best', own.tip_rms / best),
            (f'ripple_over_{RIVAL}', own.ripple / others[RIVAL].ripple),
            ('ripple_over_filtered', own.ripple / others[FILTERED].ripple),
        ):
            figures.setdefault(f'observer_{name}_{where}', []).append(ratio)
    worst = {name: max(ratios) for name, ratios in figures.items()}
    return dict(sorted(worst.items(), key=lambda item: _order(item[0])))


def _order(figure: str) -> int:
    """Return the place of a figure: errors, then ripple, then ripple beside the filtered law."""
    return ('error' not in figure) + ('filtered' in figure)


def unstable_figures(outcomes: Outcomes) -> dict[str, float]:
    """Return the number of unstable runs of each controller."""
    return {
        f'unstable_{name}': float(
            sum(found.unstable for case, found in outcomes.items() if case.controller == name)
        )
        for name in CONTROLLERS
    }


def row(case: Case, outcome: Outcome) -> dict[str, Any]:
    """Return the row of the table; micrometres, because the table has two decimals."""
    values = {
        'tip_rms_um': 1e6 * outcome.tip_rms,
        'tip_max_um': 1e6 * outcome.tip_max,
        'start_max_um': 1e6 * outcome.start_max,
        'ripple_nm': outcome.ripple,
        'effort_percent': 100.0 * outcome.effort,
        'limited_percent': 100.0 * outcome.limited,
    }
    return {
        'motion': case.motion,
        'rate_hz': round(1.0 / case.period),
        'mass_error': case.mass_error,
        'noise': f'{case.noise:g}',
        'friction': 'on' if case.friction else 'off',
        'controller': case.controller,
        **{name: value if np.isfinite(value) else None for name, value in values.items()},
        'unstable': 'unstable' if outcome.unstable else '',
    }


def marks(outcomes: Outcomes) -> list[Mark]:
    """Return what the picture of error against ripple shows: the claim's condition."""
    return [
        Mark(
            case.motion,
            case.controller,
            case.friction,
            1.0 / case.period,
            found.tip_rms,
            found.ripple,
        )
        for case, found in outcomes.items()
        if _claimed(case) and not found.unstable
    ]


def panels(outcomes: Outcomes) -> list[ConditionPanel]:
    """Return what the picture of all conditions shows, a panel per motion."""
    drawn = []
    for motion in dict.fromkeys(case.motion for case in outcomes):
        mine = {case: found for case, found in outcomes.items() if case.motion == motion}
        names = list(dict.fromkeys(_condition(case) for case in mine))
        drawn.append(
            ConditionPanel(
                motion,
                tuple(names),
                CONTROLLERS,
                _grid([found.tip_rms for found in mine.values()]),
                _grid([float(found.unstable) for found in mine.values()]) > 0.0,
            )
        )
    return drawn


def _grid(values: Sequence[float]) -> np.ndarray:
    """Return the values by condition and controller."""
    return np.array(values).reshape(-1, len(CONTROLLERS))


def _condition(case: Case) -> str:
    parts = [f'{round(1.0 / case.period)} Hz', f'mass +{100.0 * case.mass_error:.0f} %']
    parts += ['noise'] if case.noise else []
    parts += ['friction'] if case.friction else []
    return ', '.join(parts)


def _claimed(case: Case) -> bool:
    return case.mass_error == CLAIM_MASS_ERROR and case.noise == CLAIM_NOISE
