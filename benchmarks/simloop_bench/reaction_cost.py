"""What the block around the planner costs while nothing happens, and while it reacts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from simloop_ros.core.config_types import ReactionKind
from simloop_ros.core.values import NO_INPUTS, ExternalInputs, JointState
from simloop_ros.planning.build import build_planner
from simloop_ros.planning.config import OfflineConfig, OnlineConfig
from simloop_ros.planning.planner import Planner
from simloop_ros.reaction.reacting import Reacting
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.robot_files import robot_config

from .bare import Candidate, two_rnea
from .timing import best_of

PERIOD = 1.0 / 2000.0
MOVE = (0.0, 0.1, 0.0), (0.0, -0.1, 0.0)
REACTING: tuple[ReactionKind, ...] = ('stop', 'hold', 'retreat', 'float', 'comply')


def measure_cost(quick: bool, progress: Callable[[float], None]) -> dict[str, float]:
    """Return the cost of a step of the block [us], and that of control's two ``rnea``.

    ``around_offline_us``, ``around_online_us``: what the block adds to the planner's own step.
    """
    rounds, steps = (5, 400) if quick else (25, 1000)
    model = load_fit_robot(robot_config('yumi'))
    start = JointState(model.home, np.zeros(model.n))
    candidates: dict[str, Candidate] = {
        'two rnea': two_rnea(model, np.repeat(model.home[None], steps, axis=0))
    }
    config = OfflineConfig(move=MOVE)
    for forced in (config, OnlineConfig(move=MOVE)):
        planner = build_planner(forced, model, PERIOD, start).planner
        candidates[forced.kind] = _bare(planner, steps)
        candidates[f'around {forced.kind}'] = _around(planner, model, steps)
    for reaction in REACTING:
        planner = build_planner(config, model, PERIOD, start).planner
        candidates[reaction] = _reacting(planner, model, reaction, steps)
    total, done = rounds * len(candidates), 0

    def count() -> None:
        nonlocal done
        done += 1
        progress(done / total)

    costs = {name: 1e6 * cost for name, cost in best_of(candidates, rounds, count).items()}
    return {
        'around_offline_us': costs['around offline'] - costs['offline'],
        'around_online_us': costs['around online'] - costs['online'],
        **{f'{reaction}_us': costs[reaction] for reaction in REACTING},
        'two_rnea_us': costs['two rnea'],
    }


def _bare(planner: Planner, steps: int) -> Candidate:
    memory = planner.snapshot()

    def run() -> int:
        planner.restore(memory)
        for _ in range(steps):
            planner.step(planner.expected, NO_INPUTS)
        return steps

    return run


def _around(planner: Planner, model: RobotModel, steps: int) -> Candidate:
    reacting = Reacting(planner, model, PERIOD, 'stop')
    memory = reacting.snapshot()

    def run() -> int:
        reacting.restore(memory)
        for _ in range(steps):
            reacting.step(planner.expected, NO_INPUTS)
        return steps

    return run


def _reacting(planner: Planner, model: RobotModel, kind: ReactionKind, steps: int) -> Candidate:
    """Return the steps after a contact in the middle of the motion, on a robot that follows."""
    reacting = Reacting(planner, model, PERIOD, kind)
    for _ in range(800):
        reacting.step(planner.expected, NO_INPUTS)
    memory, state = reacting.snapshot(), planner.expected
    touched = ExternalInputs(contact=True, kind='impact', torque=np.ones(model.n))

    def run() -> int:
        reacting.restore(memory)
        control = state
        for _ in range(steps):
            setpoint = reacting.step(control, touched)
            control = JointState(setpoint.position, setpoint.velocity)
        return steps

    return run
