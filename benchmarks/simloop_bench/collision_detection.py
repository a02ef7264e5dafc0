"""What the monitors make of free motion and of collisions: the jobs of the study."""

from __future__ import annotations

from functools import lru_cache
from math import inf, nan

import msgspec
import numpy as np
import numpy.typing as npt

from simloop_ros.calibration.calibrate import Calibrator
from simloop_ros.calibration.following import follow, observe
from simloop_ros.calibration.free_motion import random_motion
from simloop_ros.collision.build import KINDS, build_monitor
from simloop_ros.collision.calibration import Calibration
from simloop_ros.collision.detector import CollisionDetector, calibrated_detector
from simloop_ros.collision.isolation import Hit
from simloop_ros.collision.observation import Observation
from simloop_ros.core.errors import DivergenceError
from simloop_ros.core.values import Array
from simloop_ros.plants.spring_contact import point_jacobian
from simloop_ros.robot.chain import chain
from simloop_ros.robot.model import RobotModel

from .collision_robot import StudyRobot
from .collision_trials import Trial, TrialMaker

ALARMS_PER_HOUR = 0.1
"""Rate of false alarms that every monitor is calibrated for."""
FACTORS = np.geomspace(0.2, 5.0, 25)
"""Multiples of the thresholds for the curve of false alarms against contacts found."""
ALARM = 0.5
"""Time within which alarms are one alarm [s]."""
NOTICED, HURTS = 10.0, 30.0
"""Contact forces from which delays are counted, and which must be found [N]."""


class FreeResult(msgspec.Struct, frozen=True):
    """A piece of free motion.

    :ivar alarms: by monitor, for each of ``FACTORS``.
    :ivar own: by monitor, alarms at its thresholds.
    """

    duration: float
    alarms: dict[str, list[int]]
    own: dict[str, int]


class Found(msgspec.Struct, frozen=True):
    """What one monitor made of one collision; times from the first contact [s].

    :ivar delay: until the alarm; infinite if there was none.
    :ivar force: contact force then [N].
    :ivar early: whether it alarmed before the contact.
    :ivar link: whether the right link was named.
    :ivar near: whether it or one of its neighbours was named.
    :ivar last_joint: whether the last joint with a significant torque is that link's.
    :ivar place: distance of the named point from the true one [m].
    :ivar kind: ``push`` or ``impact``.
    :ivar delays: until the alarm with thresholds times each of ``FACTORS``.
    """

    delay: float
    force: float
    early: bool
    link: bool
    near: bool
    last_joint: bool
    place: float
    kind: str
    delays: list[float]


class TrialResult(msgspec.Struct, frozen=True):
    """One collision.

    :ivar noticed: time from the first contact to ``NOTICED`` newtons [s]; infinite if never.
    :ivar hurts: whether the force reached ``HURTS``.
    :ivar peak: largest contact force [N].
    """

    seed: int
    link: str
    depth: int
    stiffness: float
    tip_speed: float
    closing_speed: float
    touched: bool
    noticed: float
    hurts: bool
    peak: float
    found: dict[str, Found]


@lru_cache(maxsize=4)
def _model(robot: StudyRobot) -> RobotModel:
    return robot.model


@lru_cache(maxsize=1)
def _maker(robot: StudyRobot) -> TrialMaker:
    return TrialMaker(_model(robot))


def calibrated(robot: StudyRobot, duration: float, seed: int) -> Calibration:
    """Return the calibration of a robot from free motion of its own."""
    model = _model(robot)
    loop = robot.build(model, np.random.default_rng([seed, 1]), None)
    motion = random_motion(model, duration, np.random.default_rng([seed, 0]))
    calibrator = Calibrator(model, robot.period, ALARMS_PER_HOUR)
    return calibrator.run(loop.control, loop.plant, motion, duration)


def monitor_free(
    robot: StudyRobot, calibration: Calibration, duration: float, seed: int
) -> FreeResult:
    """Return the alarms in free motion that nothing was learnt from."""
    model = _model(robot)
    loop = robot.build(model, np.random.default_rng([seed, 1]), None)
    motion = random_motion(model, duration, np.random.default_rng([seed, 0]))
    monitors = [build_monitor(kind, model, robot.period, calibration) for kind in KINDS]
    steps, block = round(duration / robot.period), round(ALARM / robot.period)
    shares = np.zeros((len(monitors), -(-steps // block)))
    rows = follow(loop.control, loop.plant, motion, robot.period, steps)
    for i, row in enumerate(rows):
        for shares_of, monitor in zip(shares, monitors, strict=True):
            reading = monitor.step(row)
            if reading.verdict != 'unknown':
                shares_of[i // block] = max(shares_of[i // block], 1.0 - reading.margin)
    return FreeResult(
        duration,
        {
            kind: [int((row >= factor).sum()) for factor in FACTORS]
            for kind, row in zip(KINDS, shares, strict=True)
        },
        {kind: int((row >= 1.0).sum()) for kind, row in zip(KINDS, shares, strict=True)},
    )


def monitor_trial(robot: StudyRobot, calibration: Calibration, seed: int) -> TrialResult:
    """Return what every monitor made of one collision."""
    model, period = _model(robot), robot.period
    trial = _maker(robot).draw(period, seed)
    rows, force = collide(robot, model, trial, seed)
    first = _first(force > 0.0)
    return TrialResult(
        seed=seed,
        link=trial.spring.link,
        depth=trial.depth,
        stiffness=trial.spring.stiffness,
        tip_speed=trial.tip_speed,
        closing_speed=trial.closing_speed,
        touched=first < len(force),
        noticed=_delay(force > NOTICED, first, period),
        hurts=bool(force.max() >= HURTS),
        peak=float(force.max()),
        found={
            kind: judge(
                calibrated_detector(build_monitor(kind, model, period, calibration), calibration),
                trial,
                rows,
                force,
            )
            for kind in KINDS
        },
    )


def collide(
    robot: StudyRobot, model: RobotModel, trial: Trial, seed: int
) -> tuple[list[Observation], Array]:
    """Return what a monitor is told of a collision, and the largest force of each step [N]."""
    loop = robot.build(model, np.random.default_rng([seed, 2]), trial.spring)
    loop.plant.start(trial.start)
    loop.control.start(trial.start)
    rows, forces = [], []
    try:
        for row in observe(loop.control, loop.plant, trial.positions, robot.period):
            rows.append(row)
            forces.append(loop.contact.peak if loop.contact else 0.0)
    except DivergenceError:
        # Nobody reacts here, and a robot that presses on may leave every reasonable range.
        pass
    return rows, np.array(forces)


def judge(
    detector: CollisionDetector, trial: Trial, rows: list[Observation], force: Array
) -> Found:
    """Return what a detector makes of a collision.

    :param force: largest contact force of each step [N].
    """
    monitor = detector.monitor
    period = monitor.period
    alarms = [detector.step(row) for row in rows]
    readings = [alarm.reading for alarm in alarms]
    shares = np.array([0.0 if r.verdict == 'unknown' else 1.0 - r.margin for r in readings])
    first = _first(force > 0.0)
    begin = np.arange(len(shares)) >= first
    alarm = _first(begin & (shares >= 1.0))
    found = alarm < len(shares)
    due = _first(begin & np.array([each.hit is not None for each in alarms]))
    late = min(due, len(alarms) - 1)
    hit = alarms[late].hit or Hit(None)
    delays = [_delay(begin & (shares >= factor), first, period) for factor in FACTORS]
    return Found(
        delay=_delay(begin & (shares >= 1.0), first, period),
        force=float(force[alarm]) if found else nan,
        early=bool((shares[~begin] >= 1.0).any()),
        link=found and hit.joint == trial.joint,
        near=found and hit.joint is not None and _adjacent(monitor.model, hit.joint, trial.joint),
        last_joint=found and hit.last == trial.joint,
        place=_distance(monitor.model, rows[late], trial, hit.point) if found else nan,
        kind=alarms[late].kind,
        delays=delays,
    )


def _adjacent(model: RobotModel, one: int, other: int) -> bool:
    """Return whether two joints are the same or next to each other."""
    return one in chain(model, other)[:2] or other in chain(model, one)[:2]


def _distance(model: RobotModel, row: Observation, trial: Trial, point: Array | None) -> float:
    """Return how far a point is from the true one [m]."""
    if point is None:
        return nan
    data = model.pin_model.createData()
    frame = model.frame(trial.spring.link)
    _, true = point_jacobian(model.pin_model, data, row.measured, frame, trial.spring.point)
    return float(np.linalg.norm(point - true))


def _first(true: npt.NDArray[np.bool_]) -> int:
    """Return the index of the first that is true, or the number of all."""
    return int(np.argmax(true)) if true.any() else len(true)


def _delay(true: npt.NDArray[np.bool_], since: int, period: float) -> float:
    """Return the time from a step to the first that is true [s]; infinite if there is none."""
    return (_first(true) - since) * period if true.any() else inf
