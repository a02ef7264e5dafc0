"""``simloop bench loop``: what a step costs, against the bare library calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import tempfile

import numpy as np

from simloop_ros.assembly.assemble import assemble
from simloop_ros.control.config import ControlConfig
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.errors import MissingDependencyError
from simloop_ros.core.values import NO_INPUTS, Array, JointState, Setpoint
from simloop_ros.loop.loop import Loop
from simloop_ros.planning.offline import OfflinePlanner
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.record.columns import COLUMNS, row_reader
from simloop_ros.record.log import LogWriter
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.loading import load_scenario

from .bare import Candidate, mujoco_alone, pybullet_alone, two_rnea, two_rnea_one_aba
from .result import BenchResult, Limit
from .robots import JOINTS_PER_ARM, row_of_arms
from .timing import best_of

PERIOD = 1.0 / 2000.0
SIZES = (7, 14, 28, 56)
"""Numbers of joints of the second table."""
SWING = 0.2
"""Amplitude of the motion in the second table [rad], at 1 Hz."""

LIMITS = {
    'control_over_two_rnea': Limit(at_most=2.0),
    'offline_over_bare': Limit(at_most=2.5),
    'online_over_bare': Limit(at_most=5.0),
    'offline_over_pybullet': Limit(at_most=1.0),
    'offline_over_mujoco': Limit(at_most=1.0),
}
"""What each ratio shall not exceed."""


def bench_loop(quick: bool, progress: Callable[[str, float], None]) -> BenchResult:
    """Return the figures and rows of the benchmark.

    :param quick: fewer and shorter rounds.
    :param progress: told what is being done and the share that is done.
    """
    rounds, steps = (2, 100) if quick else (25, 2000)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / 'log.raw'
        costs = _compare(log, steps, rounds, progress)
        sizes = _grow(log, steps, rounds, progress)
    control, offline, online = costs['control'], costs['offline'], costs['online']
    figures = {
        'control_over_two_rnea': control / costs['two rnea'],
        'offline_over_bare': offline / costs['two rnea, aba'],
        'online_over_bare': online / costs['two rnea, aba'],
        'offline_over_mujoco': offline / costs['mujoco alone'],
        'growth_exponent': float(
            np.polyfit(np.log(list(sizes)), np.log(list(sizes.values())), 1)[0]
        ),
    }
    if 'pybullet alone' in costs:
        figures['offline_over_pybullet'] = offline / costs['pybullet alone']
    rows = [
        {'what': what, 'joints': 14, 'us_per_step': 1e6 * cost} for what, cost in costs.items()
    ] + [
        {'what': 'offline loop, row of arms', 'joints': n, 'us_per_step': 1e6 * cost}
        for n, cost in sizes.items()
    ]
    return BenchResult(figures=figures, limits=LIMITS, rows=rows)


def _compare(
    log: Path, steps: int, rounds: int, progress: Callable[[str, float], None]
) -> dict[str, float]:
    """Return the cost of each way to do YuMi's step [s]."""
    settings = [f'period={PERIOD}']
    offline = assemble(load_scenario('yumi_offline', settings))
    online = assemble(load_scenario('yumi_step', settings))
    model = offline.facts.model
    start = JointState(model.home, np.zeros(model.n))
    planner = offline.loop.planner
    positions = np.array([planner.step(start, NO_INPUTS).position for _ in range(steps)])
    candidates: dict[str, Candidate] = {
        'two rnea': two_rnea(model, positions),
        'two rnea, aba': two_rnea_one_aba(model, positions),
        'control': _control(model, positions),
        'offline': whole_loop(_offline_loop(model, positions), steps, log),
        'online': whole_loop(online.loop, steps, log),
        'mujoco alone': mujoco_alone(model, positions, PERIOD),
    }
    try:
        candidates['pybullet alone'] = pybullet_alone(model, positions, PERIOD)
    except MissingDependencyError:
        progress('pybullet is not installed: left out', 0.0)
    return _timed('yumi', candidates, rounds, progress)


def _grow(
    log: Path, steps: int, rounds: int, progress: Callable[[str, float], None]
) -> dict[int, float]:
    """Return the cost of the off-line loop by number of joints [s]."""
    candidates: dict[str, Candidate] = {}
    for n in SIZES:
        model = row_of_arms(n // JOINTS_PER_ARM)
        swing = SWING * (1.0 - np.cos(2.0 * np.pi * PERIOD * np.arange(steps)))
        positions = np.repeat(swing[:, None], n, axis=1)
        candidates[str(n)] = whole_loop(_offline_loop(model, positions), steps, log)
    costs = _timed('growth', candidates, rounds, progress)
    return {int(n): cost for n, cost in costs.items()}


def _timed(
    what: str,
    candidates: dict[str, Candidate],
    rounds: int,
    progress: Callable[[str, float], None],
) -> dict[str, float]:
    total, done = rounds * len(candidates), 0

    def count() -> None:
        nonlocal done
        done += 1
        progress(what, done / total)

    return best_of(candidates, rounds, count)


def _offline_loop(model: RobotModel, positions: Array) -> Loop:
    control = ControlSimulation(model, ControlConfig(), PERIOD)
    return Loop(OfflinePlanner(positions, PERIOD), control, PinocchioPlant(model, PERIOD))


def _control(model: RobotModel, positions: Array) -> Candidate:
    """Return the control simulation's step and rollback, behind a robot that does as told."""
    control = ControlSimulation(model, ControlConfig(), PERIOD)
    start = JointState(positions[0], np.zeros(model.n))
    setpoints = [Setpoint(position, np.zeros(model.n)) for position in positions]

    def run() -> int:
        control.start(start)
        for setpoint in setpoints:
            control.rollback(control.step(setpoint), setpoint.position)
        return len(positions)

    return run


def whole_loop(loop: Loop, steps: int, path: Path) -> Candidate:
    """Return the whole loop with its raw log, from its first step each time."""
    start = loop.snapshot()
    row = row_reader(COLUMNS)

    def run() -> int:
        loop.restore(start)
        with LogWriter(path, loop.control.model.n) as log:
            append = log.append
            loop.run(steps, lambda record: append(row(record)))
        return steps

    return run
