"""``simloop bench collision --conditions``: monitors of robots that change after calibration."""

from __future__ import annotations

from functools import partial
from typing import Any

import msgspec
import numpy as np

from simloop_ros.core.errors import UnknownNameError

from .collision import BEYOND, Progress, _quantile, _share
from .condition_robot import CONDITIONS, ROBOTS
from .condition_runs import VARIANTS, Met, Outcome, calibration_of, study_condition
from .result import BenchResult, Limit
from .workers import Workers

PERIOD = 1.0 / 500.0
SEED = 190_000
"""First seed of free motion and collisions: nothing was ever tuned on these."""
DEVELOPMENT_SEED = 150_000
"""First seed of those that things were tuned on."""
CALIBRATION_SEED = 5
APART = 1000
"""Difference of the seeds of two pieces."""
JUDGED = 'adaptive'
"""The variant that the figures are of."""
LIMITS = {
    'nominal_false_alarms_per_hour': Limit(at_most=0.0),
    'false_alarms_per_hour': Limit(at_most=2.0),
    'right_link_share': Limit(at_least=0.9),
}
"""The goals, in the worst of all conditions."""


class ConditionsSize(msgspec.Struct, frozen=True):
    """How much is simulated.

    :ivar calibration: free motion that each robot is calibrated with [s].
    :ivar free: length of a piece of free motion [s].
    :ivar pieces: of each robot in each condition; each starts with a fresh monitor.
    :ivar collisions: after each piece.
    """

    calibration: float = 300.0
    free: float = 600.0
    pieces: int = 3
    collisions: int = 20


QUICK = ConditionsSize(calibration=120.0, free=10.0, pieces=1, collisions=3)


def bench_conditions(
    quick: bool,
    progress: Progress,
    robot: str = '',
    only: str = '',
    size: ConditionsSize | None = None,
    seed: int = SEED,
) -> BenchResult:
    """Return the table of conditions.

    :param quick: short runs: does everything work?
    :param progress: told what is being done and the share that is done.
    :param robot: one of ``ROBOTS``; all of them where none is given.
    :param only: name of the only condition; all of them where none is given.
    :param size: instead of that of ``quick``.
    :raises UnknownNameError: there is no such robot or condition.
    """
    names = [condition.name for condition in CONDITIONS]
    if robot and robot not in ROBOTS:
        raise UnknownNameError('robot of the study', robot, ROBOTS)
    if only and only not in names:
        raise UnknownNameError('condition', only, names)
    size = size or (QUICK if quick else ConditionsSize())
    conditions = [each for each in CONDITIONS if only in ('', each.name)]
    rows: list[dict[str, Any]] = []
    with Workers() as workers:
        for name in (robot,) if robot else ROBOTS:
            job = (name, PERIOD, size.calibration, CALIBRATION_SEED)
            calibration = workers.run(
                calibration_of, [job], partial(progress, f'{name}: calibrating')
            )[0]
            jobs = [
                (name, condition, calibration, (size.free, size.collisions), seed + APART * i)
                for condition in conditions
                for i in range(size.pieces)
            ]
            outcomes = workers.run(study_condition, jobs, partial(progress, name))
            for i, condition in enumerate(conditions):
                pieces = outcomes[i * size.pieces : (i + 1) * size.pieces]
                rows += [
                    {
                        'robot': name,
                        'condition': condition.name,
                        'monitor': variant,
                        **_summary([piece[variant] for piece in pieces]),
                    }
                    for variant in VARIANTS
                ]
    return BenchResult(figures=_figures(rows), rows=rows, limits=LIMITS)


def _summary(outcomes: list[Outcome]) -> dict[str, float | None]:
    """Return the figures of one monitor in one condition."""
    hours = sum(outcome.duration for outcome in outcomes) / 3600.0
    warm = [met for outcome in outcomes for met in outcome.warm]
    cold = [met for outcome in outcomes for met in outcome.cold]
    deep = [met for met in warm if met.depth > BEYOND and met.found.delay < np.inf]
    return {
        'contacts': len(warm),
        'false_alarms_per_hour': sum(outcome.alarms for outcome in outcomes) / hours,
        'last_alarm_s': max(outcome.last_alarm for outcome in outcomes),
        'unknown_percent': 100.0 * float(np.mean([outcome.unknown for outcome in outcomes])),
        'found_share': _share([met.found.delay < np.inf for met in warm]),
        'delay_p95_ms': _delay(warm),
        'right_link_share': _share([met.found.link for met in deep]),
        'found_at_start_share': _share([met.found.delay < np.inf for met in cold]),
        'delay_at_start_p95_ms': _delay(cold),
    }


def _delay(met: list[Met]) -> float | None:
    """Return the 95th percentile of the delays from 10 N [ms]; none where it is infinite."""
    delays = [max(0.0, each.found.delay - each.noticed) for each in met]
    value = 1e3 * _quantile(delays, 0.95)
    return value if np.isfinite(value) else None


def _figures(rows: list[dict[str, Any]]) -> dict[str, float]:
    own = [row for row in rows if row['monitor'] == JUDGED]
    nominal = [row for row in own if row['condition'] == CONDITIONS[0].name]
    figures = {
        'false_alarms_per_hour': max(row['false_alarms_per_hour'] for row in own),
        'right_link_share': min(row['right_link_share'] for row in own),
        'found_share': min(row['found_share'] for row in own),
    }
    if nominal:
        figures['nominal_false_alarms_per_hour'] = max(
            row['false_alarms_per_hour'] for row in nominal
        )
    return figures
