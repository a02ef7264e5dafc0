"""``simloop bench kinematics``: how exact, how complete and how fast inverse kinematics is."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any

import numpy as np
import pinocchio as pin

from simloop_ros.core.errors import SimloopError, UnreachableError
from simloop_ros.core.values import Array
from simloop_ros.kinematics.analytic import AnalyticInverse
from simloop_ros.kinematics.inverse import inverse_kinematics
from simloop_ros.kinematics.wrist_arm import WristArm
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.robot_files import robot_config

from .kinematics_search import count_within, search_all
from .result import BenchResult, Limit
from .timing import best_of

ROBOT, TIP = 'irb120', 'tool0'
OTHERS = (('lwr', 'flange'), ('yumi', 'tool0_l'), ('two_link', 'tip'))
"""Robots for the numerical solver."""
ABOVE_BASE = 0.3
"""Height above which no tip is inside the base [m]."""
TIMED, TIMED_ALONE = 20_000, 300
"""Poses that are timed all at once, and one by one: short runs, many times, on a busy machine."""
STARTS = 250
"""Of the search for all solutions, per pose."""
NEAREST, FARTHEST = -14.0, -2.0
"""How near to a singularity 'near' is: powers of ten [rad]."""

LIMITS = {
    'round_trip_m': Limit(at_most=1e-9),
    'round_trip_rad': Limit(at_most=1e-9),
    'poses_without_solution': Limit(at_most=0.0),
    'other_number_of_solutions': Limit(at_most=0.0),
    'poses_per_s': Limit(at_least=1e5),
    'nearest_us': Limit(at_most=100.0),
}
"""What issue 6 asks for."""

Progress = Callable[[str, float], None]


def bench_kinematics(quick: bool, progress: Progress) -> BenchResult:
    """Return the figures and rows of the benchmark.

    :param quick: fewer poses.
    :param progress: told what is being done and the share that is done.
    """
    share = 0.02 if quick else 1.0
    model = load_fit_robot(robot_config(ROBOT))
    solver = inverse_kinematics(model, TIP)
    if not isinstance(solver, AnalyticInverse):
        raise SimloopError(f'{ROBOT} has no analytic solution')
    rng = np.random.default_rng(0)
    kinds = {
        name: make(model, solver.arm, int(share * count), rng)
        for name, (make, count) in POSTURES.items()
    }
    rows = []
    for i, (name, postures) in enumerate(kinds.items()):
        progress(name, 0.5 * i / len(kinds))
        rows.append(_round_trip(name, solver, postures, rng))
    searched = 4 if quick else 200
    other = _count(solver, searched, rng, lambda done: progress('search', 0.5 + 0.3 * done))
    progress('speed', 0.8)
    costs = _costs(solver, kinds['random'][:TIMED], 5 if quick else 40)
    rows += [
        _numerical(name, tip, 10 if quick else 200, rng, lambda: progress('numerical', 0.9))
        for name, tip in OTHERS
    ]
    exact = [row for row in rows if row['solver'] == 'analytic']
    figures = {
        'round_trip_m': max(row['error_m'] for row in exact),
        'round_trip_rad': max(row['error_rad'] for row in exact),
        'poses_without_solution': float(sum(row['unsolved'] for row in exact)),
        'other_number_of_solutions': float(other),
        'poses_per_s': 1.0 / costs['nearest of many'],
        'branches_per_s': 1.0 / costs['branches of many'],
        'nearest_us': 1e6 * costs['nearest'],
        'all_us': 1e6 * costs['all'],
    }
    return BenchResult(figures=figures, limits=LIMITS, rows=rows)


def _random(model: RobotModel, arm: WristArm, count: int, rng: np.random.Generator) -> Array:  # noqa: ARG001
    """Return postures anywhere within the limits [rad], shape ``(count, 6)``."""
    return rng.uniform(model.lower, model.upper, (count, model.n))


def _at_limits(model: RobotModel, arm: WristArm, count: int, rng: np.random.Generator) -> Array:
    """Return postures with one joint or more at an end of its range."""
    q = _random(model, arm, count, rng)
    ends = np.where(rng.random(q.shape) < 0.5, model.lower, model.upper)
    held = rng.random(q.shape) < 0.2
    held[np.arange(count), rng.integers(model.n, size=count)] = True
    return np.where(held, ends, q)


def _near(count: int, rng: np.random.Generator) -> Array:
    """Return distances from a singularity of all sizes [rad]."""
    sizes = 10.0 ** rng.uniform(NEAREST, FARTHEST, count)
    return np.where(rng.random(count) < 0.5, sizes, -sizes)


def _wrist(
    away: Callable[[int, np.random.Generator], Array],
) -> Callable[[RobotModel, WristArm, int, np.random.Generator], Array]:
    """Return the maker of postures with axes 4 and 6 in line, or ``away`` from it."""

    def make(model: RobotModel, arm: WristArm, count: int, rng: np.random.Generator) -> Array:
        q = _random(model, arm, count, rng)
        q[:, 4] = -arm.bend + away(count, rng)
        return q

    return make


def _elbow(
    away: Callable[[int, np.random.Generator], Array],
) -> Callable[[RobotModel, WristArm, int, np.random.Generator], Array]:
    """Return the maker of postures with the arm stretched out, or ``away`` from it."""

    def make(model: RobotModel, arm: WristArm, count: int, rng: np.random.Generator) -> Array:
        q = _random(model, arm, count, rng)
        q[:, 2] = arm.elbow * (arm.upper_angle - arm.fore_angle) + away(count, rng)
        return q

    return make


def _shoulder(
    away: Callable[[int, np.random.Generator], Array],
) -> Callable[[RobotModel, WristArm, int, np.random.Generator], Array]:
    """Return the maker of postures with the wrist centre above axis 1, or ``away`` from it."""

    def make(model: RobotModel, arm: WristArm, count: int, rng: np.random.Generator) -> Array:
        q = _random(model, arm, count, rng)
        bend = arm.elbow * q[:, 2] - arm.upper_angle + arm.fore_angle
        x = arm.upper + arm.fore * np.cos(bend)
        up = -arm.upper_angle - np.arctan2(arm.fore * np.sin(bend), x)
        fits = (up > model.lower[1]) & (up < model.upper[1])
        q[:, 1] = np.where(fits, up, model.home[1]) + away(count, rng)
        return q[fits]

    return make


def _none(count: int, rng: np.random.Generator) -> Array:  # noqa: ARG001
    return np.zeros(count)


POSTURES: dict[
    str, tuple[Callable[[RobotModel, WristArm, int, np.random.Generator], Array], int]
] = {
    'random': (_random, 100_000),
    'joints at limits': (_at_limits, 10_000),
    'wrist singular': (_wrist(_none), 10_000),
    'near wrist singular': (_wrist(_near), 10_000),
    'elbow singular': (_elbow(_none), 10_000),
    'near elbow singular': (_elbow(_near), 10_000),
    'shoulder singular': (_shoulder(_none), 10_000),
    'near shoulder singular': (_shoulder(_near), 10_000),
}
"""Kinds of postures, what makes them and how many of them."""


def _forward(model: RobotModel, tip: str, postures: Array) -> Array:
    """Return the tip's poses, as Pinocchio has them, shape ``(k, 4, 4)``."""
    data, frame = model.pin_model.createData(), model.frame(tip)
    poses = np.empty((len(postures), 4, 4))
    for q, pose in zip(postures, poses, strict=True):
        pin.forwardKinematics(model.pin_model, data, q)
        pose[:] = pin.updateFramePlacement(model.pin_model, data, frame).homogeneous
    return poses


class _Errors:
    """Largest distances between poses [m, rad]."""

    def __init__(self, found: Array, wanted: Array):
        self.position = np.linalg.norm(found[:, :3, 3] - wanted[:, :3, 3], axis=1)
        # The chord of a small angle: sqrt(2) times the angle in the norm of the matrix.
        chord = np.linalg.norm(found[:, :3, :3] - wanted[:, :3, :3], axis=(1, 2))
        self.rotation = chord / np.sqrt(2.0)

    @property
    def row(self) -> dict[str, float]:
        """Return them as columns of a row."""
        return {
            'error_m': float(self.position.max(initial=0.0)),
            'error_rad': float(self.rotation.max(initial=0.0)),
        }


def _round_trip(
    name: str, solver: AnalyticInverse, postures: Array, rng: np.random.Generator
) -> dict[str, Any]:
    """Return the error of every branch of the postures' poses, with any joints as present ones."""
    model = solver.model
    poses = _forward(model, solver.tip, postures)
    present = rng.uniform(model.lower, model.upper, postures.shape)
    found = solver.branches(poses, present)
    pose, branch = np.nonzero(~np.isnan(found[:, :, 0]))
    errors = _Errors(_forward(model, solver.tip, found[pose, branch]), poses[pose])
    return {
        'robot': model.name,
        'solver': solver.kind,
        'postures': name,
        'poses': len(postures),
        'solutions': len(pose),
        'unsolved': len(postures) - len(np.unique(pose)),
        **errors.row,
    }


def _count(
    solver: AnalyticInverse,
    count: int,
    rng: np.random.Generator,
    progress: Callable[[float], None],
) -> int:
    """Return for how many poses a blind search finds another number of solutions."""
    model, others, done = solver.model, 0, 0
    while done < count:
        pose = model.frame_poses(rng.uniform(model.lower, model.upper), [solver.tip])[0]
        try:
            found = solver.all(pose)
        except UnreachableError:
            continue  # drawn with the tip inside the base
        starts = rng.uniform(-np.pi, np.pi, (STARTS, model.n))
        searched = search_all(solver.chain, pose.homogeneous, starts)
        others += count_within(searched, model.lower, model.upper) != len(found)
        done += 1
        progress(done / count)
    return others


def _costs(solver: AnalyticInverse, postures: Array, rounds: int) -> dict[str, float]:
    """Return the costs per pose [s]."""
    model, home = solver.model, solver.model.home
    poses = _forward(model, solver.tip, postures)
    outside = [pin.SE3(pose) for pose in poses[:TIMED_ALONE] if pose[2, 3] > ABOVE_BASE]

    def nearest() -> int:
        for pose in outside:
            solver.nearest(pose, home)
        return len(outside)

    def every() -> int:
        for pose in outside:
            solver.all(pose)
        return len(outside)

    return best_of(
        {
            'branches of many': lambda: len(solver.branches(poses, home)),
            'nearest of many': lambda: len(solver.nearest_each(poses, home)),
            'nearest': nearest,
            'all': every,
        },
        rounds,
    )


def _numerical(
    name: str, tip: str, count: int, rng: np.random.Generator, progress: Callable[[], None]
) -> dict[str, Any]:
    """Return how the numerical solver does from home to postures anywhere."""
    progress()
    model = load_fit_robot(robot_config(name))
    solver = inverse_kinematics(model, tip)
    found, wanted, unsolved = [], [], 0
    costs: list[float] = []
    while len(costs) < count:
        pose = model.frame_poses(rng.uniform(model.lower, model.upper), [tip])[0]
        begin = time.perf_counter()
        try:
            found.append(solver.nearest(pose, model.home))
            wanted.append(pose.homogeneous)
        except UnreachableError as error:
            if error.kind == 'inside_base':
                continue  # drawn with the tip inside the base
            unsolved += 1
        costs.append(time.perf_counter() - begin)
    errors = _Errors(_forward(model, tip, np.array(found)), np.array(wanted))
    return {
        'robot': name,
        'solver': solver.kind,
        'postures': 'random',
        'poses': count,
        'solutions': len(found),
        'unsolved': unsolved,
        **errors.row,
        'median_ms': 1e3 * float(np.median(costs)),
    }
