"""``simloop bench bimanual``: accuracy of internal forces, results and cost of their control."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin

from simloop_ros.bimanual.config import BimanualConfig
from simloop_ros.bimanual.contact import ContactTarget
from simloop_ros.bimanual.contact_control import ContactControl
from simloop_ros.bimanual.hands import HandFinder
from simloop_ros.bimanual.impedance import impedance
from simloop_ros.bimanual.internal_force import MIN_GRASP_DISTANCE, grasp_map, split
from simloop_ros.bimanual.task_config import ImpedanceConfig
from simloop_ros.core.errors import SimloopError
from simloop_ros.core.values import Array
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.robot_files import robot_config

from .bare import Candidate
from .bimanual_runs import RUN_LIMITS, measure, run_cases, run_figures, run_rows
from .result import BenchResult, Limit
from .timing import best_of
from .workers import Workers

GRASPS = 10_000
"""For each number of hands, all kinds together."""
HANDS = (2, 3, 4)
ROBOT = 'yumi'
PERIOD = 0.001
SQUEEZE = 20.0
"""Setpoint of the internal force in the steps that are timed [N]."""
LINE = 1e-6
"""How far points nearly in a line are from it [m]."""
FAR = 10.0
"""How far from the compliance point hands are, that are far from it [m]."""

LIMITS = {
    'internal_sum_relative': Limit(at_most=1e-12),
    'moving_has_internal_relative': Limit(at_most=1e-12),
    'compliance_point_relative': Limit(at_most=1e-12),
    'step_us': Limit(at_most=60.0),
    **RUN_LIMITS,
}
"""What issue 7 asks for."""

Progress = Callable[[str, float], None]
Make = Callable[[int, np.random.Generator], Array]


def bench_bimanual(
    quick: bool, progress: Progress, workers_count: int | None = None
) -> BenchResult:
    """Return the figures and rows of the benchmark.

    :param quick: fewer grasps and runs.
    :param progress: told what is being done and the share that is done.
    :param workers_count: number of processes; the results do not depend on it, but for costs.
    """
    each = (GRASPS // 100 if quick else GRASPS) // len(POINTS)
    rng = np.random.default_rng(0)
    rows: list[dict[str, Any]] = []
    for hands in HANDS:
        for kind, make in POINTS.items():
            progress(f'{hands} hands, {kind}', len(rows) / (len(HANDS) * len(POINTS)))
            found = _errors(hands, make, each, rng)
            rows.append({'part': 'grasps', 'case': f'{hands} hands, {kind}', **found})
    errors = [name for name in rows[0] if name.endswith('relative')]
    figures = {name: max(row[name] for row in rows) for name in errors}
    progress('cost', 0.0)
    figures |= _costs(quick)
    cases = run_cases(quick)
    with Workers(workers_count) as workers:
        measured = workers.run(measure, [(case,) for case in cases], partial(progress, 'runs'))
    moved = run_rows(cases, measured)
    return BenchResult(figures=figures | run_figures(moved), limits=LIMITS, rows=rows + moved)


def _anywhere(hands: int, rng: np.random.Generator) -> Array:
    """Return points within a metre [m], shape ``(hands, 3)``."""
    return rng.uniform(-1.0, 1.0, (hands, 3))


def _line(hands: int, rng: np.random.Generator) -> Array:
    """Return points that are nearly in a line."""
    along = np.outer(np.linspace(-1.0, 1.0, hands), rng.normal(size=3))
    return along + LINE * _anywhere(hands, rng)


def _far(hands: int, rng: np.random.Generator) -> Array:
    """Return points that are together far away."""
    return FAR * rng.uniform(-1.0, 1.0, 3) + _anywhere(hands, rng)


def _near(hands: int, rng: np.random.Generator) -> Array:
    """Return points that are hardly farther from each other than is refused."""
    apart = 1.1 * MIN_GRASP_DISTANCE * np.outer(np.arange(hands), [0.0, 1.0, 0.0])
    return apart + 0.02 * MIN_GRASP_DISTANCE * _anywhere(hands, rng)


POINTS: dict[str, Make] = {
    'anywhere': _anywhere,
    'nearly in a line': _line,
    'far away': _far,
    'very near': _near,
}
"""Kinds of grasps, and what makes them."""


def _errors(hands: int, make: Make, count: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return the largest errors of grasps, each relative to the size of what it is an error of.

    The sum of the internal wrenches at a compliance point anywhere, relative to the largest force
    and torque among them there, and, much harder, row by row to what is added in that row, which
    may be a component that is small by chance; the internal part of the moving part; the
    difference of the internal part from that by the grasp map about the compliance point, and of
    both at that point.
    """
    total = by_row = still = other = 0.0
    for _ in range(count):
        points, wrenches = make(hands, rng), rng.normal(size=(hands, 6))
        centre = rng.uniform(-1.0, 1.0, 3)
        parts = split(points, wrenches)
        about = grasp_map(points, centre)
        internal = parts.internal.ravel()
        shifts = [about[:, 6 * i : 6 * i + 6] for i in range(hands)]
        there = _at_centre(shifts, internal)
        rest = np.abs(there.sum(axis=0))
        size = np.repeat([np.abs(there[:, :3]).max(), np.abs(there[:, 3:]).max()], 3)
        total = max(total, np.max(rest / size))
        by_row = max(by_row, np.max(rest / (np.abs(about) @ np.abs(internal))))
        again = split(points, parts.moving).internal
        still = max(still, np.abs(again).max() / np.abs(parts.moving).max())
        rows = np.linalg.qr(about.T).Q
        by_map = wrenches.ravel() - rows @ (rows.T @ wrenches.ravel())
        for one, two in ((internal, by_map), (there, _at_centre(shifts, by_map))):
            other = max(other, np.abs(one - two).max() / np.abs(one).max())
    return {
        'runs': count,
        'internal_sum_relative': float(total),
        'internal_sum_by_row_relative': float(by_row),
        'moving_has_internal_relative': float(still),
        'compliance_point_relative': float(other),
    }


def _at_centre(shifts: list[Array], wrenches: Array) -> Array:
    """Return each wrench at the compliance point, 003 (2.12), (2.13)."""
    return np.array([s @ w for s, w in zip(shifts, wrenches.reshape(-1, 6), strict=True)])


def _costs(quick: bool) -> dict[str, float]:
    """Return what a step costs, from joints to correction, for both arms of the robot [us].

    ``step_us``: in contact; ``free_us``: before; ``yielding_us``: while the object yields.
    """
    rounds, steps = (2, 100) if quick else (25, 1000)
    yielding = impedance(ImpedanceConfig())
    candidates = {
        'step_us': _stepped(ContactTarget(SQUEEZE), steps),
        'free_us': _stepped(ContactTarget(None), steps),
        'yielding_us': _stepped(ContactTarget(SQUEEZE, yielding), steps),
    }
    return {name: 1e6 * cost for name, cost in best_of(candidates, rounds).items()}


def _stepped(target: ContactTarget, steps: int) -> Candidate:
    """Return the steps of a robot that presses what is between its hands at home."""
    model = load_fit_robot(robot_config(ROBOT))
    tips, sensors = (model.frame_poses(model.home, names) for names in (model.tips, model.sensors))
    middle = pin.SE3(np.eye(3), np.mean([tip.translation for tip in tips], axis=0))
    control = ContactControl(
        BimanualConfig(max_correction=np.inf),
        model.tips,
        [middle.actInv(tip) for tip in tips],
        model.sensors_in_tips(),
        np.array([0.0, 0.0, -5.0]),
        PERIOD,
    )
    press = split(np.array([tip.translation for tip in tips]), np.zeros((len(tips), 6))).press
    read = np.array(
        [
            sensor.actInv(pin.SE3(np.eye(3), tip.translation)).act(pin.Force(wrench)).vector
            for tip, sensor, wrench in zip(tips, sensors, press, strict=True)
        ]
    )
    rng, find, start = np.random.default_rng(0), HandFinder(model), control.snapshot()
    readings = list(SQUEEZE * read + 0.5 * rng.normal(size=(steps, *read.shape)))
    if not control.step(find(model.home), readings[0], ContactTarget(SQUEEZE)).contact:
        raise SimloopError(f'{ROBOT} does not measure what it presses')

    def run() -> int:
        control.restore(start)
        for reading in readings:
            fault = control.step(find(model.home), reading, target).fault
        if fault:
            raise SimloopError(fault)
        return steps

    return run
