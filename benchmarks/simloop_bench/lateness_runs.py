"""Runs of the real-time graph on a virtual clock, beside the same scenarios in lockstep."""

from __future__ import annotations

import hashlib
from typing import Any
import zlib

import numpy as np

from simloop_ros.core.values import Array
from simloop_ros.robot.model import RobotModel
from simloop_ros.safety.brake import STOPPED_SPEED
from simloop_ros.scenario.loading import load_scenario

from .lateness_traces import LatenessTrace
from .virtual_graph import StepTruth, VirtualGraph, lockstep

TWO_HANDS = (
    'period=0.005',
    'plant.object.stiffness=1e4',
    'control.natural_frequency=80',
    'bimanual.impedance.damping=medium',
)
"""Settings of two hands in real time, see docs/bimanual.md."""
SETTINGS: dict[str, tuple[str, ...]] = {
    'workerbot_carry': TWO_HANDS,
    'yumi_carry': TWO_HANDS,
}
QUICK_DURATION = 2.0
MIN_TIP, MIN_JOINT = 0.5, 2.0
"""Accelerations that count as small [m/s^2, rad/s^2]: a ratio to less says nothing."""
LOST_SHARE, LOST_TIME = 0.05, 0.05
"""Share of the wanted squeeze below which an object is lost, after this time [s]."""
SETTLED_SHARE, SETTLING_TIME = 0.2, 0.1
"""How far from its usual value a squeeze may be to be settled, and for how long it must [s]."""


def late_rows(name: str, traces: list[LatenessTrace], quick: bool) -> list[dict[str, Any]]:
    """Return a scenario's rows: each trace, in one process and in one for each node."""
    settings = [*SETTINGS.get(name, ()), *([f'duration={QUICK_DURATION}'] if quick else [])]
    scenario = load_scenario(name, settings)
    steps = lockstep(scenario)
    rows = []
    for trace in traces:
        for composed in (True, False):
            if composed and (trace.slow or trace.lost or trace.killed):
                continue  # one process has one speed, loses nothing and lives as one
            seed = zlib.crc32(f'{name} {trace.name} {composed}'.encode())
            rng = np.random.default_rng(seed)
            duration = len(steps) * scenario.period + 3.0
            processes = trace.processes(rng, duration, scenario.period, composed=composed)
            graph = VirtualGraph(scenario, processes, trace.delay(rng))
            if trace.killed:
                graph.run(len(steps) // 2)
                processes[trace.killed].alive = False
            graph.run(len(steps))
            graph.close()
            rows.append(
                {
                    'scenario': name,
                    'trace': trace.name,
                    'processes': 1 if composed else 4,
                    **compared(graph, steps),
                    'calm': trace.calm,
                }
            )
    return rows


def compared(graph: VirtualGraph, steps: list[StepTruth]) -> dict[str, Any]:
    """Return the figures of a run beside those of lockstep.

    Accelerations and efforts of a robot that was stopped count until it rests, the force of a
    hand until the stop: the simulated hand pulls on, whatever the robot does. The object is
    watched to the end.
    """
    model, period = graph.model, graph.scenario.period
    late, led = graph.truth, graph.truth[: graph.stopped_at]
    if graph.stopped_at is not None:
        late = late[: _rest(late, graph.stopped_at)]
    tip, joint = accelerations(model, steps, period)
    late_tip, late_joint = accelerations(model, late, period)
    ratio = max(late_tip / max(tip, MIN_TIP), late_joint / max(joint, MIN_JOINT))
    limits = 0 if _at_limit(model, steps) else _at_limit(model, late)
    reason = graph.stops[0][2] if graph.stops else ''
    return {
        'late_share': graph.plant.pace.report()['late commands'] / max(1, len(graph.truth)),
        'tip_acceleration': late_tip,
        'tip_lockstep': tip,
        'acceleration_ratio': ratio,
        'effort_limit_hits': limits,
        'hand_force_rise_n': _hand_force(led) - _hand_force(steps),
        'squeeze': _squeeze(steps, graph.truth, period, stopped=bool(reason)),
        'end': 'diverged' if 'diverged' in reason else 'stopped' if reason else 'ended',
        'digest': hashlib.sha256(
            b''.join(step.report.truth.position.tobytes() for step in late)
        ).hexdigest()[:12],
    }


def _rest(steps: list[StepTruth], first: int) -> int:
    """Return the number of steps until a robot that is stopped rests, from the first on."""
    for step in range(first, len(steps)):
        if np.abs(steps[step].report.truth.velocity).max() < STOPPED_SPEED:
            return step + 1
    return len(steps)


def accelerations(model: RobotModel, steps: list[StepTruth], period: float) -> tuple[float, float]:
    """Return the largest acceleration of a tip [m/s^2] and of a joint [rad/s^2]."""
    if len(steps) < 3:
        return np.inf, np.inf
    tips = np.array([model.tip_positions(step.report.truth.position) for step in steps])
    speeds = np.array([step.report.truth.velocity for step in steps])
    tip = np.linalg.norm(np.diff(tips, 2, axis=0), axis=2).max() / period**2
    joint = np.abs(np.diff(speeds, axis=0)).max() / period
    return float(np.nan_to_num(tip, nan=np.inf)), float(np.nan_to_num(joint, nan=np.inf))


def _at_limit(model: RobotModel, steps: list[StepTruth]) -> int:
    """Return the number of steps with an effort at its limit."""
    limit = (1.0 - 1e-9) * model.effort_limit
    return sum(bool((np.abs(step.effort) >= limit).any()) for step in steps)


def _hand_force(steps: list[StepTruth]) -> float:
    """Return the largest force of an operator's hand [N]."""
    forces = [np.linalg.norm(hand.force) for step in steps for hand in step.report.hands]
    return float(max(forces, default=0.0))


def _squeeze(
    steps: list[StepTruth], late: list[StepTruth], period: float, *, stopped: bool
) -> str:
    """Return the least and the largest force on an object as shares of that in lockstep.

    They count from when it is held in lockstep, a little later, until it is released there; of a
    robot that was stopped until the end.
    """
    wanted, got = _forces(steps), _forces(late)
    if wanted is None or got is None or not wanted.any():
        return ''
    usual = float(np.median(wanted[wanted > 0.0]))
    margin = round(SETTLING_TIME / period)
    near = np.abs(wanted - usual) <= SETTLED_SHARE * usual
    settled = np.flatnonzero(np.convolve(near, np.ones(margin), 'valid') > margin - 0.5)
    if not settled.size:
        return ''
    begin, end = settled[0] + 2 * margin, settled[-1] + margin
    to_the_end = stopped or end + margin >= wanted.size
    during = got[begin:] if to_the_end else got[begin : end - margin]
    if not during.size:
        return ''
    missing = np.convolve(during < LOST_SHARE * usual, np.ones(round(LOST_TIME / period)), 'valid')
    if missing.size and missing.max() > round(LOST_TIME / period) - 0.5:
        return 'lost'
    return f'{during.min() / usual:.2f} to {during.max() / usual:.2f}'


def _forces(steps: list[StepTruth]) -> Array | None:
    """Return the smaller of the hands' forces on an object in each step [N]."""
    if not steps or steps[0].report.true_wrenches is None or steps[0].report.object is None:
        return None
    forces = np.array([step.report.true_wrenches[:, :3] for step in steps])  # type: ignore[index]
    return np.linalg.norm(forces, axis=2).min(axis=1)
