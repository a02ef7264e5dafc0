"""The kinds of a command, as its ``frame_id`` tells them."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.values import Command, Setpoint
from simloop_ros.ros.messages.effort_command import (
    FLOATING,
    LIMITED,
    STOPPED,
    command_kind,
    desired_position,
    has_kind,
)
from simloop_ros.ros.messages.joint_state import DecodedJointState

ZERO = np.zeros(2)


@pytest.mark.parametrize('floating', [False, True])
@pytest.mark.parametrize('limited', [False, True])
def test_a_command_may_be_of_several_kinds(floating: bool, limited: bool) -> None:
    setpoint = Setpoint(ZERO, ZERO, ZERO if floating else None)
    kind = command_kind(setpoint, Command(ZERO, ZERO, ZERO, limited), False)
    assert has_kind(kind, FLOATING) == floating
    assert has_kind(kind, LIMITED) == limited
    assert not has_kind(kind, STOPPED)


def test_the_effort_of_a_stop_is_nothing_else() -> None:
    command = Command(ZERO, ZERO, ZERO, True)
    assert command_kind(Setpoint(ZERO, ZERO, ZERO), command, True) == STOPPED


def test_an_effort_alone_or_of_a_robot_that_floats_leads_nowhere() -> None:
    assert desired_position(DecodedJointState(0, effort=ZERO)) is None
    assert desired_position(DecodedJointState(0, ZERO, effort=ZERO, frame_id=FLOATING)) is None
    assert desired_position(DecodedJointState(0, ZERO, frame_id=LIMITED)) is ZERO
