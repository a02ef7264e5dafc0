"""What a monitor's step costs, against Pinocchio's calls alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from simloop_ros.calibration.following import follow
from simloop_ros.calibration.free_motion import random_motion
from simloop_ros.collision.build import KINDS, build_monitor
from simloop_ros.collision.collision_monitor import CollisionMonitor
from simloop_ros.collision.observation import Observation
from simloop_ros.robot.model import RobotModel

from .bare import Candidate
from .collision_robot import StudyRobot
from .timing import best_of

OWN_CALLS = {
    'position_difference': ('crba',),
    'force_difference': (),
    'momentum_observer': ('rnea',),
    'disturbance_observer': ('rnea',),
}
"""Calls of Pinocchio in one step of each monitor."""
TEXTBOOK = ('crba', 'coriolis', 'gravity')
"""What a momentum observer as it is published needs: M, C and g."""


@dataclass(frozen=True)
class Cost:
    """Time of one step [s], also as a multiple of bare calls; infinite where there are none."""

    step: float
    over_own: float
    over_textbook: float


def measure_costs(
    period: float, quick: bool, progress: Callable[[float], None]
) -> dict[str, Cost]:
    """Return the cost of each monitor, measured side by side with the bare calls."""
    robot = StudyRobot(period)
    model = robot.model
    steps, rounds = (100, 2) if quick else (2000, 25)
    motion = random_motion(model, 10.0, np.random.default_rng(0))
    loop = robot.build(model, np.random.default_rng(1), None)
    rows = list(follow(loop.control, loop.plant, motion, period, steps))
    candidates: dict[str, Candidate] = {
        **{kind: _steps(build_monitor(kind, model, period), rows) for kind in KINDS},
        **_bare_calls(model, rows),
    }
    done = 0

    def count() -> None:
        nonlocal done
        done += 1
        progress(done / (rounds * len(candidates)))

    times = best_of(candidates, rounds, count)
    textbook = sum(times[call] for call in TEXTBOOK)
    costs = {}
    for kind, calls in OWN_CALLS.items():
        own = sum(times[call] for call in calls)
        costs[kind] = Cost(
            times[kind], times[kind] / own if own else np.inf, times[kind] / textbook
        )
    return costs


def _steps(monitor: CollisionMonitor, rows: list[Observation]) -> Candidate:
    def run() -> int:
        monitor.reset()
        for row in rows:
            monitor.step(row)
        return len(rows)

    return run


def _bare_calls(model: RobotModel, rows: list[Observation]) -> dict[str, Candidate]:
    """Return each call of Pinocchio, once per step and nothing else."""
    pin_model, data = model.pin_model, model.pin_model.createData()
    states = [(row.state.position, row.state.velocity) for row in rows]

    def each(call: Callable[..., object], *arguments: int) -> Candidate:
        def run() -> int:
            for state in states:
                call(pin_model, data, *(state[i] for i in arguments))
            return len(states)

        return run

    return {
        'rnea': each(pin.rnea, 0, 1, 1),
        'crba': each(pin.crba, 0),
        'coriolis': each(pin.computeCoriolisMatrix, 0, 1),
        'gravity': each(pin.computeGeneralizedGravity, 0),
    }
