"""Free motion and collisions of a robot that has changed since its calibration: the jobs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
import hashlib
from pathlib import Path
import tempfile

import msgspec
import numpy as np

from simloop_ros.calibration.calibrate import Calibrator
from simloop_ros.calibration.following import observe
from simloop_ros.calibration.free_motion import random_motion
from simloop_ros.collision.build import build_monitor
from simloop_ros.collision.calibration import Calibration, load_calibration, model_hash
from simloop_ros.collision.config import DriftConfig
from simloop_ros.collision.detector import CollisionDetector, calibrated_detector
from simloop_ros.collision.disturbance_observer import DisturbanceObserver
from simloop_ros.collision.observation import Observation
from simloop_ros.core.errors import DivergenceError
from simloop_ros.core.values import Array, JointState
from simloop_ros.robot.model import RobotModel

from .collision_detection import ALARM, ALARMS_PER_HOUR, HURTS, NOTICED, Found, judge
from .collision_trials import Trial, TrialMaker
from .condition_robot import CONDITIONS, Condition, build_loop, load

VARIANTS: dict[str, DriftConfig | None] = {
    'fixed': None,
    'adaptive': DriftConfig(payload=0.5),
}
"""Monitors that are compared, by name."""
LATER = 1e5
"""Time by which a trial is after the free motion [s]: to the monitor, a gap."""
CHUNK = 4096


class Met(msgspec.Struct, frozen=True):
    """A collision that reached ``HURTS``, and what a monitor made of it.

    :ivar noticed: time from the first contact to ``NOTICED`` newtons [s].
    """

    noticed: float
    depth: int
    found: Found


class Outcome(msgspec.Struct, frozen=True):
    """What one monitor made of a condition.

    :ivar alarms: half seconds of free motion with an alarm.
    :ivar duration: of the free motion [s]; shorter where control lost the robot.
    :ivar last_alarm: time of the last of them [s]; negative without any.
    :ivar unknown: share of the steps without a verdict.
    :ivar warm: collisions after the free motion.
    :ivar cold: the same collisions, met 0.3 s after the start of the monitor.
    """

    alarms: int
    duration: float
    last_alarm: float
    unknown: float
    warm: list[Met]
    cold: list[Met]


@lru_cache(maxsize=4)
def model_of(robot: str) -> RobotModel:
    """Return the robot that control believes in."""
    return load(robot)


@lru_cache(maxsize=4)
def _maker(robot: str) -> TrialMaker:
    return TrialMaker(model_of(robot))


@lru_cache(maxsize=512)
def trial_of(robot: str, period: float, seed: int, speed: float) -> Trial:
    """Return a collision; a motion that is faster takes longer steps on the same way."""
    trial = _maker(robot).draw(speed * period, seed)
    start = JointState(trial.start.position, speed * trial.start.velocity)
    return replace(trial, start=start)


def calibration_of(robot: str, period: float, duration: float, seed: int) -> Calibration:
    """Return the calibration of the unchanged robot, kept in a temporary folder."""
    model = model_of(robot)
    name = f'{robot}_{period:g}_{duration:g}_{seed}_{model_hash(model)}_{_sources()}'
    path = Path(tempfile.gettempdir()) / 'simloop_conditions' / f'{name}.yaml'
    if path.is_file():
        return load_calibration(path, model, period)
    loop = build_loop(model, CONDITIONS[0], period, np.random.default_rng([seed, 1]))
    motion = random_motion(model, duration, np.random.default_rng([seed, 0]))
    calibrator = Calibrator(model, period, ALARMS_PER_HOUR)
    found = calibrator.run(loop.control, loop.plant, motion, duration)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(msgspec.yaml.encode(found))
    return found


def _sources() -> str:
    """Return a hash of what a calibration depends on."""
    from simloop_ros.calibration import calibrate, free_motion
    from simloop_ros.collision import disturbance_observer, explanation, tail
    from simloop_ros.identification import identify, motion, regression, selection

    digest = hashlib.sha256()
    identification = (identify, motion, regression, selection)
    for module in (
        *(calibrate, free_motion, disturbance_observer, explanation, tail),
        *identification,
    ):
        digest.update(Path(str(module.__file__)).read_bytes())
    return digest.hexdigest()[:12]


def free_rows(
    robot: str, condition: Condition, period: float, duration: float, seed: int
) -> Iterator[Observation]:
    """Yield what a monitor is told of free motion."""
    model = model_of(robot)
    loop = build_loop(model, condition, period, np.random.default_rng([seed, 1]))
    motion = random_motion(model, condition.speed * duration, np.random.default_rng([seed, 0]))
    start = JointState(motion.home, np.zeros(model.n))
    loop.plant.start(start)
    loop.control.start(start)
    steps = round(duration / period)
    for begin in range(0, steps, CHUNK):
        count = min(CHUNK, steps - begin)
        positions = motion.positions(condition.speed * period, begin, count)
        yield from observe(loop.control, loop.plant, positions, period, begin)


def trial_rows(
    robot: str, condition: Condition, trial: Trial, period: float, seed: int
) -> tuple[list[Observation], Array]:
    """Return what a monitor is told of a collision, and the largest force of each step [N]."""
    model = model_of(robot)
    loop = build_loop(model, condition, period, np.random.default_rng([seed, 2]), trial.spring)
    loop.plant.start(trial.start)
    loop.control.start(trial.start)
    rows, forces = [], []
    assert loop.contact is not None
    try:
        for row in observe(loop.control, loop.plant, trial.positions, period):
            rows.append(msgspec.structs.replace(row, time=row.time + LATER))
            forces.append(loop.contact.peak)
    except DivergenceError:
        pass  # a robot that presses on may leave every reasonable range
    return rows, np.array(forces)


def study_condition(
    robot: str,
    condition: Condition,
    calibration: Calibration,
    size: tuple[float, int],
    seed: int,
) -> dict[str, Outcome]:
    """Return what each of ``VARIANTS`` makes of a robot that has changed.

    :param size: duration of the free motion [s] and number of collisions.
    """
    duration, collisions = max(size[0], condition.ramp), size[1]
    model, period = model_of(robot), calibration.period
    detectors = {}
    for name, drift in VARIANTS.items():
        monitor = build_monitor(DisturbanceObserver.kind, model, period, calibration, drift)
        detectors[name] = calibrated_detector(monitor, calibration)
    fresh = {name: detector.snapshot() for name, detector in detectors.items()}
    blocks = -(-round(duration / period) // round(ALARM / period))
    alarms = {name: np.zeros(blocks, bool) for name in detectors}
    unknown = dict.fromkeys(detectors, 0)
    steps = 0
    for steps, row in enumerate(_until_it_diverges(robot, condition, period, duration, seed), 1):
        for name, detector in detectors.items():
            verdict = detector.monitor.step(row).verdict
            if verdict == 'contact':
                alarms[name][(steps - 1) // round(ALARM / period)] = True
            unknown[name] += verdict == 'unknown'
    duration = steps * period
    used = {name: detector.snapshot() for name, detector in detectors.items()}
    warm: dict[str, list[Met]] = {name: [] for name in detectors}
    cold: dict[str, list[Met]] = {name: [] for name in detectors}
    for i in range(collisions):
        trial = trial_of(robot, period, seed + 1 + i, condition.speed)
        rows, force = trial_rows(robot, condition, trial, period, seed + 1 + i)
        if force.max() < HURTS:
            continue
        for name, detector in detectors.items():
            for begin, met in ((used, warm), (fresh, cold)):
                detector.restore(begin[name])
                met[name].append(_met(detector, trial, rows, force, period))
    return {
        name: Outcome(
            alarms=int(alarms[name].sum()),
            duration=duration,
            last_alarm=_last(alarms[name]),
            unknown=unknown[name] * period / duration,
            warm=warm[name],
            cold=cold[name],
        )
        for name in detectors
    }


def _until_it_diverges(
    robot: str, condition: Condition, period: float, duration: float, seed: int
) -> Iterator[Observation]:
    """Yield free motion; a robot that cannot carry its load, as YuMi 1 kg, ends it early."""
    with suppress(DivergenceError):
        yield from free_rows(robot, condition, period, duration, seed)


def _last(alarms: Array) -> float:
    """Return the end of the last block with an alarm [s]."""
    return ALARM * (int(np.flatnonzero(alarms)[-1]) + 1) if alarms.any() else -1.0


def _met(
    detector: CollisionDetector,
    trial: Trial,
    rows: list[Observation],
    force: Array,
    period: float,
) -> Met:
    first = int(np.argmax(force > 0.0))
    noticed = (int(np.argmax(force > NOTICED)) - first) * period
    return Met(noticed, trial.depth, judge(detector, trial, rows, force))
