"""Brake and gates go back to a snapshot, attribute by attribute."""

from __future__ import annotations

from attributes import attributes, differing
import numpy as np

from simloop_ros.core.state import Stateful
from simloop_ros.core.values import JointState
from simloop_ros.robot.model import RobotModel
from simloop_ros.safety.brake import Brake
from simloop_ros.safety.config import SafetyConfig
from simloop_ros.safety.gate import CommandGate
from simloop_ros.safety.position_gate import PositionGate

H = 0.001


def check_steps(block: Stateful, steps: list) -> None:
    """Check that a snapshot between any two steps brings back what the block was then."""
    snapshots, straight = [block.snapshot()], [attributes(block)]
    held = [attributes(snapshots[0])]
    for step in steps:
        step()
        snapshots.append(block.snapshot())
        held.append(attributes(snapshots[-1]))
        straight.append(attributes(block))
    assert len({tuple(seen.items()) for seen in straight}) == len(straight)  # each changes it
    for i in (2, 0, len(steps) - 1, 1):
        block.restore(snapshots[i])
        assert differing(attributes(block), straight[i]) == []
        steps[i]()
        assert differing(attributes(block), straight[i + 1]) == []
    assert [attributes(snapshot) for snapshot in snapshots] == held


def test_brake(yumi: RobotModel) -> None:
    """Moving, slower, held, and once more."""
    brake = Brake(yumi, H, SafetyConfig())
    speeds = (0.1, 0.05, 0.001, 0.0)
    states = [JointState(yumi.home, np.full(yumi.n, speed)) for speed in speeds]
    check_steps(brake, [lambda state=state: brake.effort(state) for state in states])


def test_command_gate(yumi: RobotModel) -> None:
    gate = CommandGate(yumi.joint_names, yumi.effort_limit, H, SafetyConfig(effort_rate=100.0))
    efforts = [share * yumi.effort_limit for share in (0.5, 0.55, 0.52, 0.6)]
    check_steps(gate, [lambda effort=effort: gate.check(effort) for effort in efforts])


def test_position_gate(yumi: RobotModel) -> None:
    gate = PositionGate(yumi, H)
    steps = [lambda q=q: gate.let_pass(yumi.home + q) for q in (1e-4, 0.5, -0.5)]
    check_steps(gate, [lambda: gate.start(yumi.home), *steps])
