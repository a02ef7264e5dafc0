"""``simloop bench collision``: which monitor finds contacts first, and which is quiet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from simloop_ros.collision.build import KINDS
from simloop_ros.collision.calibration import Calibration

from .collision_cost import measure_costs
from .collision_detection import (
    FACTORS,
    FreeResult,
    TrialResult,
    calibrated,
    monitor_free,
    monitor_trial,
)
from .collision_figures import Curve, draw_delays, draw_roc
from .collision_robot import StudyRobot
from .result import BenchResult, Limit
from .workers import Workers

PERIODS = 1.0 / 2000.0, 1.0 / 500.0
"""Of the loop [s]; the figures are those of the first."""
SENSITIVITY_PERIOD = 1.0 / 500.0
MASS_ERRORS = 0.0, 0.05, 0.1, 0.2
PAYLOADS = 0.0, 0.5
"""At each tip [kg]: nothing, and what YuMi may carry."""
HARD, SOFT = 1000.0, 300.0
"""Rise of a contact force above which it is an impact, and below which it is a push [N/s]."""
DETAILS = (
    'false_alarms_per_hour',
    'detected_share_of_all',
    'from_contact_p95_ms',
    'near_link_share',
    'last_joint_share',
    'point_error_median_mm',
    'right_kind_share',
)
"""Columns of the table that only the file has."""
FREE_SEED, COLLISION_SEED = 70_000, 80_000
"""First seeds of free motion and collisions: nothing was ever tuned on these."""
IN_TIME = 0.015
"""Time after 10 N until which an alarm is in time, for the curve [s]."""
BEYOND = 2
"""Joints of an arm that a link must be beyond for the goals to hold."""

LIMITS = {
    'false_alarms': Limit(at_most=0.0),
    'detected_share': Limit(at_least=0.99),
    'delay_median_ms': Limit(at_most=5.0),
    'delay_p95_ms': Limit(at_most=15.0),
    'right_link_share': Limit(at_least=0.95),
    'cost_over_own_calls': Limit(at_most=1.5),
}
"""The goals; delays from 10 N on, for contacts of 30 N beyond the second joint of an arm."""

Progress = Callable[[str, float], None]


class Size(msgspec.Struct, frozen=True):
    """How much is simulated.

    :ivar calibration: free motion that each robot is calibrated with [s].
    :ivar free: free motion at each period [s].
    :ivar piece: length of one piece of it [s].
    :ivar collisions: at each period.
    :ivar sensitivity: collisions of each robot of the sensitivity table.
    :ivar sensitivity_free: free motion of each of them [s].
    """

    periods: tuple[float, ...] = PERIODS
    calibration: float = 600.0
    free: float = 2000.0
    piece: float = 50.0
    collisions: int = 300
    sensitivity: int = 40
    sensitivity_free: float = 200.0


QUICK = Size(
    periods=(1.0 / 500.0,),
    calibration=180.0,
    free=20.0,
    piece=10.0,
    collisions=12,
    sensitivity=0,
)


class Study(msgspec.Struct, frozen=True):
    """All results of one robot."""

    robot: StudyRobot
    free: list[FreeResult]
    trials: list[TrialResult]

    @property
    def hours(self) -> float:
        """Return the duration of the free motion [h]."""
        return sum(piece.duration for piece in self.free) / 3600.0

    @property
    def counted(self) -> list[TrialResult]:
        """Return the collisions that the goals are about."""
        return [trial for trial in self.trials if trial.hurts and trial.depth > BEYOND]


def bench_collision(quick: bool, progress: Progress) -> BenchResult:
    """Return the figures, rows and pictures of the study.

    :param quick: a few collisions at one period.
    :param progress: told what is being done and the share that is done.
    """
    size = QUICK if quick else Size()
    with Workers() as workers:
        studies = run_studies([StudyRobot(h) for h in size.periods], size, workers, progress)
        others = _sensitivity(size, workers, progress) if size.sensitivity else []
    costs = measure_costs(size.periods[0], quick, partial(progress, 'cost of a step'))
    main = studies[0]
    best = best_monitor(main)
    own = summary(main, best)
    figures = {
        name: own[name]
        for name in (
            'false_alarms',
            'detected_share',
            'delay_median_ms',
            'delay_p95_ms',
            'right_link_share',
        )
    }
    figures['cost_over_own_calls'] = costs[best].over_own
    figures['cost_over_textbook_calls'] = costs[best].over_textbook
    rows = [
        {
            'monitor': kind,
            'best': 'best' if kind == best else '',
            'rate_hz': round(1.0 / study.robot.period),
            'mass_error': study.robot.mass_error,
            'payload_kg': study.robot.payload,
            **summary(study, kind),
            **({'us_per_step': 1e6 * costs[kind].step} if study is main else {}),
        }
        for study in (*studies, *others)
        for kind in KINDS
    ]
    return BenchResult(
        figures=figures,
        limits=LIMITS,
        details=DETAILS,
        rows=[{name: _finite(value) for name, value in row.items()} for row in rows],
        pictures=pictures(main),
    )


def pictures(study: Study) -> dict[str, Callable[[Path], None]]:
    """Return what draws each picture of a study."""
    robot, count = f'YuMi at {round(1.0 / study.robot.period)} Hz', len(study.counted)
    free = f'{3600.0 * study.hours:.0f} s of free motion'
    return {
        'collision_roc': partial(
            draw_roc, [roc(study, kind) for kind in KINDS], f'{robot}, {count} contacts, {free}'
        ),
        'collision_delay': partial(
            draw_delays, [delays(study, kind) for kind in KINDS], f'{robot}, {count} contacts'
        ),
    }


def run_studies(
    robots: Sequence[StudyRobot], size: Size, workers: Workers, progress: Progress
) -> list[Study]:
    """Calibrate each robot, then run free motion and collisions."""
    calibrations: list[Calibration] = workers.run(
        calibrated,
        [(robot, size.calibration, 1) for robot in robots],
        partial(progress, 'calibrating'),
    )
    studies = []
    for robot, calibration in zip(robots, calibrations, strict=True):
        name = f'{round(1.0 / robot.period)} Hz'
        pieces = [
            (robot, calibration, size.piece, FREE_SEED + i)
            for i in range(round(size.free / size.piece))
        ]
        free = workers.run(monitor_free, pieces, partial(progress, f'free motion, {name}'))
        seeds = [(robot, calibration, COLLISION_SEED + i) for i in range(size.collisions)]
        trials = workers.run(monitor_trial, seeds, partial(progress, f'collisions, {name}'))
        studies.append(Study(robot, free, trials))
    return studies


def _sensitivity(size: Size, workers: Workers, progress: Progress) -> list[Study]:
    """CollisionDetector robots that are more or less well known."""
    robots = [
        StudyRobot(SENSITIVITY_PERIOD, mass_error, payload)
        for payload in PAYLOADS
        for mass_error in MASS_ERRORS
    ]
    smaller = msgspec.structs.replace(
        size, free=size.sensitivity_free, collisions=size.sensitivity, calibration=300.0
    )
    return run_studies(robots, smaller, workers, lambda _, share: progress('sensitivity', share))


def best_monitor(study: Study) -> str:
    """Return the monitor with the fewest alarms, then most contacts found, then the fastest."""

    def order(kind: str) -> tuple[float, float, float]:
        facts = summary(study, kind)
        return facts['false_alarms'], -facts['detected_share'], facts['delay_p95_ms']

    return min(KINDS, key=order)


def summary(study: Study, kind: str) -> dict[str, Any]:
    """Return one monitor's part of the table; delays and shares of the counted collisions.

    A delay from 10 N counts as zero where the alarm came before; where none came it is infinite.
    """
    counted = study.counted
    found = [trial.found[kind] for trial in counted]
    touched = [trial for trial in study.trials if trial.touched]
    after = [
        max(0.0, own.delay - trial.noticed) for trial, own in zip(counted, found, strict=True)
    ]
    alarms = sum(piece.own[kind] for piece in study.free)
    early = sum(trial.found[kind].early for trial in study.trials)
    known = [own for own in found if own.delay < inf]
    labelled = [
        (own.kind == 'impact') == (rise >= HARD)
        for trial, own in zip(counted, found, strict=True)
        for rise in [trial.stiffness * trial.closing_speed]
        if own.delay < inf and (rise >= HARD or rise <= SOFT)
    ]
    return {
        'contacts': len(counted),
        'false_alarms': float(alarms + early),
        'false_alarms_per_hour': alarms / study.hours,
        'detected_share': _share([own.delay < inf for own in found]),
        'detected_share_of_all': _share([t.found[kind].delay < inf for t in touched]),
        'delay_median_ms': 1e3 * _quantile(after, 0.5),
        'delay_p95_ms': 1e3 * _quantile(after, 0.95),
        'from_contact_median_ms': 1e3 * _quantile([own.delay for own in found], 0.5),
        'from_contact_p95_ms': 1e3 * _quantile([own.delay for own in found], 0.95),
        'force_median_n': _quantile([own.force for own in known], 0.5),
        'right_link_share': _share([own.link for own in known]),
        'near_link_share': _share([own.near for own in known]),
        'last_joint_share': _share([own.last_joint for own in known]),
        'point_error_median_mm': 1e3 * _quantile([own.place for own in known if own.link], 0.5),
        'right_kind_share': _share(labelled),
    }


def roc(study: Study, kind: str) -> Curve:
    """Return contacts found in time against false alarms per hour, by multiples of thresholds."""
    alarms = [
        sum(piece.alarms[kind][i] for piece in study.free) / study.hours
        for i in range(len(FACTORS))
    ]
    shares = [
        _share([trial.found[kind].delays[i] <= trial.noticed + IN_TIME for trial in study.counted])
        for i in range(len(FACTORS))
    ]
    return Curve(kind, np.array(alarms), np.array(shares))


def delays(study: Study, kind: str) -> Curve:
    """Return the share of contacts found against the time since the first contact [s]."""
    times = np.sort([trial.found[kind].delay for trial in study.counted])
    shares = np.arange(1, len(times) + 1) / max(1, len(times))
    return Curve(kind, times, shares)


def _finite(value: Any) -> Any:
    """Return nothing for a delay that never ends: JSON has no infinity."""
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _share(values: Sequence[bool]) -> float:
    return float(np.mean(values)) if values else 0.0


def _quantile(values: Sequence[float], part: float) -> float:
    """Return the smallest value that this part of all does not exceed."""
    if not values:
        return inf
    return float(np.sort(values)[min(len(values) - 1, int(np.ceil(part * len(values))) - 1)])
