"""What one version of the package says about recorded collisions, and how long it takes.

``python -m simloop_bench.isolation_judge FOLDER TOUCHES ROUNDS``: prints JSON. Of the package only
what earlier versions have too is used: ``PYTHONPATH`` decides which one is judged.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import sys
import time
from typing import Any

import msgspec
import numpy as np
import pinocchio as pin

from simloop_ros.collision.build import build_monitor
from simloop_ros.collision.calibration import Calibration
from simloop_ros.collision.contact_classifier import ContactClassifier
from simloop_ros.collision.detector import CollisionDetector
from simloop_ros.collision.isolation import Clue, Hit, Isolation
from simloop_ros.core.values import Array
from simloop_ros.robot.model import RobotModel

from .isolation_contacts import KIND, PERIOD, ROBOTS, model_of, trial_maker
from .isolation_files import Recorded, read_collisions

TURNING_SHARE = 0.3
"""Share of the joints that turn or stick at a touch."""
TOUCH_SEED = 500_000
FORCE_TIME = 0.01
"""Time over which the true force is averaged [s]: the filters remember about as much."""
BEYOND = 2
"""Joints of an arm that a link must be beyond: nearer the base two torques tell too little."""
TIMED = 60
"""Calls that are timed for each robot: evenly taken out of all."""


class Said(msgspec.Struct, frozen=True):
    """What was said about one contact.

    :ivar condition: how the torques came about.
    :ivar depth: joints between the base and the hit link, its own included.
    :ivar right: whether the link is the right one.
    :ivar probability: of it, as said.
    :ivar place: distance of the point from the true one [m]; none where none is named.
    :ivar size: of the named force over that of the true one.
    """

    robot: str
    condition: str
    depth: int
    right: bool
    near: bool
    probability: float
    place: float | None = None
    size: float | None = None


class Timed(msgspec.Struct, frozen=True):
    """Processor time of a call [s]: mean, and of the slowest contact; ``rnea`` beside them."""

    robot: str
    mean: float
    slowest: float
    rnea: float


class Judged(msgspec.Struct, frozen=True):
    """Everything that one version said.

    :ivar untold: collisions beyond the second joint in which nothing was said after the contact
        began, by robot and condition: most had an alarm before.
    """

    said: list[Said]
    timed: list[Timed]
    untold: dict[str, int]


def judge(folder: Path, touches: int, rounds: int) -> Judged:
    """Return what this version says about the collisions of a folder, and about touches."""
    said: list[Said] = []
    timed: list[Timed] = []
    untold: dict[str, int] = {}
    for name in ROBOTS:
        path = folder / f'{name}.yaml'
        if not path.exists():
            continue
        calibration = msgspec.yaml.decode(path.read_bytes(), type=Calibration)
        judge_of = _Judge(name, calibration)
        for file in sorted(folder.glob(f'{name}_*.npz')):
            condition = file.stem.partition('_')[2]
            deep = [each for each in read_collisions(file) if each.depth > BEYOND]
            found = [judge_of.collision(each, condition) for each in deep]
            told = [each for each in found if each is not None]
            said += told
            untold[f'{name} {condition}'] = len(found) - len(told)
        said += judge_of.touches(touches)
        timed.append(judge_of.time(rounds))
    return Judged(said, timed, untold)


class _Judge:
    """One robot."""

    def __init__(self, name: str, calibration: Calibration):
        self._name = name
        self._model = model_of(name)
        self._calibration = calibration
        self._isolation = Isolation(self._model, np.array(calibration.noise[KIND]))
        self._calls: list[tuple[Any, ...]] = []
        self._locate: Callable[..., Any] = self._isolation.locate

    def collision(self, recorded: Recorded, condition: str) -> Said | None:
        """Return what the detector said first after the contact began."""
        monitor = build_monitor(KIND, self._model, PERIOD, self._calibration)
        classifier = ContactClassifier(self._model.effort_limit, PERIOD)
        detector = CollisionDetector(monitor, classifier, self._isolation)
        self._isolation.locate = self._noted  # type: ignore[method-assign,assignment]
        try:
            for i, observation in enumerate(recorded.observations):
                hit = detector.step(observation).hit
                if hit is not None and i >= recorded.first:
                    begin = max(0, i + 1 - round(FORCE_TIME / PERIOD))
                    true = recorded.forces[begin : i + 1].mean() * recorded.direction
                    return self._said(hit, condition, recorded, recorded.points[i], true)
        finally:
            self._isolation.locate = self._locate  # type: ignore[method-assign]
        return None

    def touches(self, count: int) -> list[Said]:
        """Return what is said about touches whose noise is known."""
        maker, rng = trial_maker(self._name), np.random.default_rng(TOUCH_SEED)
        noise, n = np.array(self._calibration.noise[KIND]), self._model.n
        found = []
        for _ in range(count):
            touch = maker.touch(rng)
            regime = (rng.random(n) < TURNING_SHARE).astype(np.int64)
            error = noise[regime, np.arange(n)] * rng.standard_normal(n)
            hit = self._noted(Clue(touch.position, touch.torque + error, regime))
            if hit.joint is not None:
                found.append(self._said(hit, 'touch', touch, touch.point, touch.force))
        return found

    def time(self, rounds: int) -> Timed:
        """Return the cost of the calls so far."""
        chosen = self._calls[:: max(1, len(self._calls) // TIMED)]
        best = np.full(len(chosen), np.inf)
        model, data = self._model.pin_model, self._model.pin_model.createData()
        rnea = np.inf
        still = np.zeros(self._model.n)
        for _ in range(rounds):
            for i, arguments in enumerate(chosen):
                begin = time.thread_time()
                self._locate(*arguments)
                best[i] = min(best[i], time.thread_time() - begin)
            begin = time.thread_time()
            for arguments in chosen:
                pin.rnea(model, data, arguments[0].position, still, still)
            rnea = min(rnea, (time.thread_time() - begin) / len(chosen))
        return Timed(self._name, float(best.mean()), float(best.max()), rnea)

    def _noted(self, *arguments: Any) -> Any:
        self._calls.append(arguments)
        return self._locate(*arguments)

    def _said(self, hit: Hit, condition: str, true: Any, point: Array, force: Array) -> Said:
        depth = _depth(self._model, true.joint)
        right = hit.joint == true.joint
        near = hit.joint is not None and _adjacent(self._model, hit.joint, true.joint)
        place = size = None
        if hit.point is not None and hit.force is not None:
            place = float(np.linalg.norm(hit.point - point))
            size = float(np.linalg.norm(hit.force) / max(1e-9, np.linalg.norm(force)))
        return Said(self._name, condition, depth, right, near, float(hit.probability), place, size)


def _depth(model: RobotModel, joint: int) -> int:
    return len(model.pin_model.supports[joint + 1]) - 1


def _adjacent(model: RobotModel, one: int, other: int) -> bool:
    """Return whether two joints are the same or next to each other."""
    parents = [int(parent) for parent in model.pin_model.parents]
    return one == other or parents[one + 1] == other + 1 or parents[other + 1] == one + 1


def main() -> None:
    """Judge the collisions of a folder."""
    folder, touches, rounds = sys.argv[1:]
    judged = judge(Path(folder), int(touches), int(rounds))
    sys.stdout.write(msgspec.json.encode(judged).decode())


if __name__ == '__main__':
    main()
