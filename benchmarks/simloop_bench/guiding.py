"""``simloop bench guiding``: what hand guiding must show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.robot_files import robot_config

from .exact_admittance import ExactError, exact_error
from .guiding_experiment import DRIFT, Drift, Elbow, GuidedMotion, drift, experiment, push_elbow
from .guiding_figures import (
    Course,
    ElbowPush,
    ForceBars,
    StabilityPanel,
    draw_effective_mass,
    draw_experiment,
    draw_forces,
    draw_stability,
)
from .guiding_force import DIRECTIONS, Pull, pull
from .guiding_robots import TIPS, real
from .guiding_stability import HUMAN, Cell, stable
from .guiding_step import Bump, bump, step_costs
from .result import BenchResult, Limit
from .torque_error import torque_error_shares
from .workers import Workers

SEED = 2026
SETS, BUMPS = 10_000, 1000
PIECES = 10
"""Jobs that the random cases are divided into."""
STIFFNESSES = (10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0)
"""Of the hands of the stability map [N/m]."""
DELAYS = tuple(range(6))
"""In periods of ``PERIOD``."""
PERIOD = 0.002
HUMAN_DELAY = 0.004
"""Delay up to which no human arm may make the robot unstable [s]."""
LIMITS = {
    'expm_error': Limit(at_most=1e-12),
    'step_us': Limit(at_most=20.0),
    'changing_us': Limit(at_most=20.0),
    'bump_position': Limit(at_most=1e-15),
    'bump_velocity': Limit(at_most=1e-12),
    'energy_ratio': Limit(at_most=0.5),
    'return_ratio': Limit(at_least=1.0),
    'overshoot_deg': Limit(at_most=1.0),
    'observer_path_rms_deg': Limit(at_most=1.0),
    'real_path_rms_deg': Limit(at_most=1.0),
    'lwr_drift_deg': Limit(at_most=0.01),
    'yumi_drift_deg': Limit(at_most=0.01),
    'lwr_force_n': Limit(at_most=5.0),
    'lwr_force_largest_n': Limit(at_most=5.0),
    'yumi_force_n': Limit(at_most=3.0),
    'yumi_force_largest_n': Limit(at_most=3.0),
    'unstable_human': Limit(at_most=0.0),
    'torque_error_share': Limit(at_most=0.01),
    'flexible_path_rms_deg': Limit(at_most=1.0),
    'surrogate_difference': Limit(at_most=0.1),
    'surrogate_energy_difference': Limit(at_most=0.1),
    'effective_mass_ratio': Limit(at_most=1.0),
}
COMPUTED_TORQUE = 'control.law=computed_torque'
"""The law that flexible joints need; rigid ones get it too, to be compared."""
BIASED = real('lwr')
TRUTH = 'admittance.source=truth'
EXPERIMENTS: dict[str, tuple[list[str], bool]] = {
    'adapted': ([], True),
    'constant': (['admittance.adapt=false'], True),
    'observer': ([], False),
    'truth': ([TRUTH], False),
    'real, observer': (BIASED, False),
    'real, truth': ([*BIASED, TRUTH], False),
    'rigid joints': ([COMPUTED_TORQUE], False),
    'flexible joints': ([COMPUTED_TORQUE, 'plant.flexible_joints=true'], False),
    'takes positions': (['plant.takes=position', TRUTH], False),
}
"""Experiment 1 in each case: settings, and whether the operator leads until the joint is there."""

Progress = Callable[[str, float], None]
Row = dict[str, Any]


def bench_guiding(
    quick: bool, progress: Progress, workers_count: int | None = None
) -> BenchResult:
    """Return the figures, rows and pictures of the study.

    :param quick: fewer cases, shorter times and a coarse map; the figures are rough then.
    :param progress: told what is being done and the share that is done.
    :param workers_count: number of processes; the results do not depend on it.
    """
    with Workers(workers_count) as workers:
        figures, rows = _steps(quick, workers, progress)
        guided = dict(
            zip(
                EXPERIMENTS,
                workers.run(
                    experiment, list(EXPERIMENTS.values()), partial(progress, 'experiment 1')
                ),
                strict=True,
            )
        )
        figures |= experiment_figures(guided)
        rows += [_guided_row(case, found) for case, found in guided.items()]
        more_figures, more_rows = _drifts(quick, workers, progress)
        figures, rows = figures | more_figures, rows + more_rows
        pulls = pull_all(quick, workers, partial(progress, 'force of a hand'))
        figures |= force_figures(pulls)
        rows += [_pull_row(case, found) for case, each in pulls.items() for found in each]
        cells = map_cells(quick)
        verdicts = workers.run(
            stable, [(cell,) for cell in cells], partial(progress, 'stability map')
        )
        figures |= stability_figures(cells, verdicts)
        rows += _map_rows(cells, verdicts)
        (elbow,) = workers.run(push_elbow, [()], partial(progress, 'effective mass'))
    shares = torque_error_shares(load_fit_robot(robot_config('lwr')))
    figures['torque_error_share'] = max(shares.values())
    figures |= elbow_figures(elbow)
    rows += [{'part': 'torque error', 'case': case, 'share': x} for case, x in shares.items()]
    pictures: dict[str, Callable[[Path], None]] = {
        'guiding_experiment': partial(draw_experiment, courses(guided)),
        'guiding_force': partial(draw_forces, force_bars(pulls)),
        'guiding_stability': partial(draw_stability, stability_panels(cells, verdicts)),
        'guiding_effective_mass': partial(draw_effective_mass, elbow_push(elbow)),
    }
    ordered = [name for name in LIMITS if name in figures]
    ordered += [name for name in figures if name not in LIMITS]
    return BenchResult(
        figures={name: figures[name] for name in ordered},
        limits=LIMITS,
        rows=rows,
        details=('where', 'peak_n'),
        pictures=pictures,
    )


def _steps(
    quick: bool, workers: Workers, progress: Progress
) -> tuple[dict[str, float], list[Row]]:
    """Return what is said about a step of the admittance."""
    part = 10 if quick else 1
    seeds = [SEED + i for i in range(PIECES)]
    exact: list[ExactError] = workers.run(
        exact_error,
        [(SETS // (PIECES * part), seed) for seed in seeds],
        partial(progress, 'against the exponential'),
    )
    bumps: list[Bump] = workers.run(
        bump, [(BUMPS // (PIECES * part), seed) for seed in seeds], partial(progress, 'bumps')
    )
    costs = step_costs(quick, partial(progress, 'cost of a step'))
    figures = {
        'expm_error': max(max(e.deflection, e.velocity) for e in exact),
        'bump_position': max(b.position for b in bumps),
        'bump_velocity': max(b.velocity for b in bumps),
        **costs,
    }
    theirs = max(e.scipy for e in exact)
    if not np.isnan(theirs):
        figures['scipy_error'] = theirs
    return figures, []


def experiment_figures(guided: dict[str, GuidedMotion]) -> dict[str, float]:
    """Return the figures of experiment 1 in its cases."""
    adapted, constant = guided['adapted'], guided['constant']
    truth, surrogate = guided['truth'], guided['takes positions']
    span = np.ptp(truth.run.position[:, truth.joint])
    apart = _rms(truth, surrogate)[truth.joint]
    return {
        'energy_ratio': adapted.energy / constant.energy,
        'return_ratio': adapted.return_time / constant.return_time,
        'overshoot_deg': float(np.rad2deg(max(adapted.overshoot, constant.overshoot))),
        'led_angle_deg': float(np.rad2deg(min(adapted.angle, constant.angle))),
        'observer_path_rms_deg': _rms_deg(guided['observer'], truth),
        'real_path_rms_deg': _rms_deg(guided['real, observer'], guided['real, truth']),
        'flexible_path_rms_deg': _rms_deg(guided['flexible joints'], guided['rigid joints']),
        'surrogate_difference': float(apart / span),
        'surrogate_energy_difference': abs(surrogate.energy / truth.energy - 1.0),
    }


def _rms(one: GuidedMotion, other: GuidedMotion) -> np.ndarray:
    """Return the rms distance of each joint's paths [rad], shape ``(n,)``."""
    return np.sqrt(np.mean((one.run.position - other.run.position) ** 2, axis=0))


def _rms_deg(one: GuidedMotion, other: GuidedMotion) -> float:
    return float(np.rad2deg(_rms(one, other).max()))


def _drifts(
    quick: bool, workers: Workers, progress: Progress
) -> tuple[dict[str, float], list[Row]]:
    robots = list(TIPS)
    arguments = [(robot, TIPS[robot][0], 2.0 if quick else DRIFT) for robot in robots]
    found: list[Drift] = workers.run(drift, arguments, partial(progress, 'hands off'))
    degrees = [float(np.rad2deg(each.away.max())) for each in found]
    return (
        {f'{robot}_drift_deg': value for robot, value in zip(robots, degrees, strict=True)},
        [
            {'part': 'hands off', 'case': f'{robot}, real', 'largest_deg': value}
            for robot, value in zip(robots, degrees, strict=True)
        ],
    )


def pull_all(
    quick: bool, workers: Workers, progress: Callable[[float], None]
) -> dict[str, list[Pull]]:
    """Return how hard hands pull, by robot and whether it is real."""
    ways = DIRECTIONS[:2] if quick else DIRECTIONS
    cases = [(robot, is_real) for robot in TIPS for is_real in (False, True)]
    found = workers.run(pull, [(*case, way) for case in cases for way in ways], progress)
    return {
        f'{robot}, {"real" if is_real else "exact"}': found[i * len(ways) : (i + 1) * len(ways)]
        for i, (robot, is_real) in enumerate(cases)
    }


def force_figures(pulls: dict[str, list[Pull]]) -> dict[str, float]:
    """Return median and largest force over the directions, by robot."""
    figures = {}
    for case, each in pulls.items():
        robot, kind = case.split(', ')
        forces = [found.force for found in each]
        prefix = f'{robot}_force' if kind == 'exact' else f'{robot}_real_force'
        figures[f'{prefix}_n'] = float(np.median(forces))
        figures[f'{prefix}_largest_n'] = float(max(forces))
    return figures


def map_cells(quick: bool) -> list[Cell]:
    """Return the cells of the stability map: those of the LWR, then YuMi's with its observer."""
    stiffnesses = (100.0, 1000.0) if quick else STIFFNESSES
    delays = (0, 2) if quick else DELAYS
    kinds = [(damped, s) for damped in (True, False) for s in ('observer', 'truth')]
    panels = [('lwr', *kind) for kind in kinds[: 2 if quick else 4]]
    panels += [] if quick else [('yumi', *kinds[0])]
    return [
        Cell(stiffness, delay, adapted, source, damped, robot)
        for robot, damped, source in panels
        for adapted in (False, True)
        for stiffness in stiffnesses
        for delay in delays
    ]


def stability_figures(cells: Sequence[Cell], verdicts: Sequence[bool]) -> dict[str, float]:
    """Return the number of unstable cells with human arms, and with springs as stiff."""
    bad = [
        cell
        for cell, verdict in zip(cells, verdicts, strict=True)
        if not verdict and cell.stiffness <= HUMAN and cell.delay * PERIOD <= HUMAN_DELAY + 1e-9
    ]
    figures = {'unstable_human': float(sum(cell.damped for cell in bad))}
    if not all(cell.damped for cell in cells):
        figures['unstable_undamped'] = float(sum(not cell.damped for cell in bad))
    return figures


def elbow_figures(elbow: Elbow) -> dict[str, float]:
    """Return how the effective mass falls while the elbow is pushed aside."""
    held = elbow.time <= elbow.release
    before, after = float(elbow.mass[0]), float(elbow.mass[held][-1])
    return {
        'effective_mass_ratio': after / before,
        'effective_mass_before_kg': before,
        'effective_mass_after_kg': after,
        'tip_deviation_mm': float(1e3 * elbow.tip.max()),
        'elbow_along_hint': elbow.hinted,
    }


def courses(guided: dict[str, GuidedMotion]) -> list[Course]:
    """Return what the picture of experiment 1 shows."""
    return [
        Course(
            title=f'{case} parameters',
            time=found.run.time,
            position=found.run.position[:, found.joint],
            torque=found.run.torque[:, found.joint],
            energy=found.run.energy,
            grip=found.grip,
            release=found.release,
        )
        for case, found in guided.items()
        if case in ('constant', 'adapted')
    ][::-1]


def force_bars(pulls: dict[str, list[Pull]]) -> list[ForceBars]:
    """Return what the picture of the forces shows."""
    return [
        ForceBars(
            case,
            tuple(_way(found) for found in each),
            np.array([found.force for found in each]),
            np.array([found.peak for found in each]),
            5.0 if case.startswith('lwr') else 3.0,
        )
        for case, each in pulls.items()
    ]


def stability_panels(cells: Sequence[Cell], verdicts: Sequence[bool]) -> list[StabilityPanel]:
    """Return what the stability map shows."""
    panels = []
    for title in dict.fromkeys(_case(cell) for cell in cells):
        mine = {
            (cell.stiffness, cell.delay): verdict
            for cell, verdict in zip(cells, verdicts, strict=True)
            if _case(cell) == title
        }
        stiffnesses = sorted({stiffness for stiffness, _ in mine})
        delays = sorted({delay for _, delay in mine})
        panels.append(
            StabilityPanel(
                title=title,
                stiffness=np.array(stiffnesses),
                delay=PERIOD * np.array(delays, dtype=float),
                stable=np.array([[mine[k, d] for d in delays] for k in stiffnesses]),
                human_stiffness=HUMAN,
                human_delay=HUMAN_DELAY,
            )
        )
    return panels


def elbow_push(elbow: Elbow) -> ElbowPush:
    """Return what the picture of the effective mass shows."""
    return ElbowPush(**{name: getattr(elbow, name) for name in ElbowPush.__struct_fields__})


def _guided_row(case: str, guided: GuidedMotion) -> Row:
    return {
        'part': 'experiment 1',
        'case': case,
        'angle_deg': float(np.rad2deg(guided.angle)),
        'energy_j': guided.energy,
        'return_s': guided.return_time,
        'overshoot_deg': float(np.rad2deg(guided.overshoot)),
        'torque_nm': float(np.abs(guided.run.torque[:, guided.joint]).max()),
        'force_n': float(np.linalg.norm(guided.run.force[:, 0], axis=1).max()),
    }


def _pull_row(case: str, found: Pull) -> Row:
    return {
        'part': 'force at 0.1 m/s',
        'case': f'{case} {_way(found)}',
        'force_n': found.force,
        'peak_n': found.peak,
    }


def _map_rows(cells: Sequence[Cell], verdicts: Sequence[bool]) -> list[Row]:
    """Return a row per map, with the unstable cells as pairs of stiffness [N/m] and delay [ms]."""
    rows: dict[str, Row] = {}
    for cell, verdict in zip(cells, verdicts, strict=True):
        case = _case(cell)
        row = rows.setdefault(
            case, {'part': 'stability', 'case': case, 'cells': 0, 'unstable': 0, 'where': []}
        )
        row['cells'] += 1
        if not verdict:
            row['unstable'] += 1
            row['where'].append((cell.stiffness, 1e3 * PERIOD * cell.delay))
    return list(rows.values())


def _case(cell: Cell) -> str:
    adapted = 'adapted' if cell.adapted else 'constant'
    hand = 'arm' if cell.damped else 'spring without damping'
    return f'{cell.robot}, {adapted}, {cell.source}, {hand}'


def _way(found: Pull) -> str:
    """Return a direction as ``+x-y``."""
    names = zip(found.direction, 'xyz', strict=True)
    return ''.join(f'{"+" if part > 0.0 else "-"}{axis}' for part, axis in names if part != 0.0)
