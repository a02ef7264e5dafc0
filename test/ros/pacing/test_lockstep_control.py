"""In lockstep control waits for whatever may change its next step, and for nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.values import Array, JointState, Rollback, Setpoint
from simloop_ros.ros.messages.joint_state import DecodedJointState
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.pacing.config import GraphConfig
from simloop_ros.ros.pacing.lockstep_control import LockstepControl

H = 0.01
PERIOD = stamp_of(1, H)
REST = np.zeros(2)


class Twin:
    """Control that stays where it is."""

    state = JointState(REST, REST)

    def rollback(self, _: Array) -> Rollback:
        return Rollback(self.state, REST)


class Node:
    """Notes the steps that are commanded."""

    def __init__(self) -> None:
        self.control = Twin()
        self.commands: list[int] = []

    def command(self, stamp: int, _: Setpoint, __: float = 0.0) -> None:
        self.commands.append(stamp // PERIOD)

    def publish_state(self, stamp: int, effort: Array) -> None: ...
    def stop_robot(self, reason: str) -> None: ...
    def request(self, topic: str, stamp: int) -> None: ...


def begun(*, loads: bool) -> tuple[Node, LockstepControl]:
    """Return control after its first step, which waits for no report."""
    node = Node()
    pace = LockstepControl(node, GraphConfig(period=H, loads=loads))  # type: ignore[arg-type]
    pace.desired(message(0))
    pace.measured(message(1))
    assert node.commands == [0]
    return node, pace


def message(step: int) -> DecodedJointState:
    return DecodedJointState(step * PERIOD, REST, REST)


def missing(pace: LockstepControl) -> set[str]:
    return {topic for topic, stamp in pace.missing() if stamp == PERIOD}


def test_without_loads_nobody_waits_for_the_monitor() -> None:
    node, pace = begun(loads=False)
    assert missing(pace) == {'desired_joint_states'}
    pace.desired(message(1))
    assert node.commands == [0, 1]


@pytest.mark.parametrize('first', ['report', 'setpoint'])
def test_a_step_waits_for_the_report_on_the_step_before(first: str) -> None:
    node, pace = begun(loads=True)
    assert missing(pace) == {'desired_joint_states', 'collision'}
    parts = [
        ('collision', lambda: pace.noticed(PERIOD)),
        ('desired_joint_states', lambda: pace.desired(message(1))),
    ]
    for topic, give in parts if first == 'report' else parts[::-1]:
        assert topic in missing(pace)
        assert node.commands == [0]
        pace.noticed(0)  # an old one, again
        give()
    assert node.commands == [0, 1]
    assert {topic for topic, _ in pace.missing()} == {'joint_states'}
    pace.measured(message(2))
    pace.desired(message(2))
    assert node.commands == [0, 1]
