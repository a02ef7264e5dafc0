"""The kinds of a command, as its ``frame_id`` tells them."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.errors import MessageError
from simloop_ros.core.values import Command, Setpoint
from simloop_ros.ros.messages.effort_command import (
    APPLIED,
    FLOATING,
    LIMITED,
    STOPPED,
    applied_effort,
    applied_kind,
    command_kind,
    desired_position,
    has_kind,
)
from simloop_ros.ros.messages.joint_state import (
    DecodedJointState,
    JointStateDecoder,
    JointStateEncoder,
)

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


@pytest.mark.parametrize('steps', [1, 3])
def test_a_joint_state_tells_which_steps_had_its_effort(steps: int) -> None:
    message = DecodedJointState(0, ZERO, effort=ZERO, frame_id=applied_kind(steps))
    applied = applied_effort(message)
    assert applied.steps == steps
    assert [applied.in_step(back) is not None for back in range(4)] == [
        back < steps for back in range(4)
    ]


@pytest.mark.parametrize('frame_id', ['', 'base_link', 'applied_effort_of_others'])
def test_the_effort_of_a_foreign_joint_state_says_nothing(frame_id: str) -> None:
    message = DecodedJointState(0, ZERO, effort=ZERO, frame_id=frame_id)
    assert applied_effort(message).in_step(0) is None


@pytest.mark.parametrize(('frame_id', 'reads'), [('base_link', False), ('applied_effort 2', True)])
def test_a_driver_may_publish_efforts_that_are_not_finite(frame_id: str, reads: bool) -> None:
    names = ('a', 'b')
    encoder = JointStateEncoder(names, ('position', 'effort'), frame_id)
    decoder = JointStateDecoder(names, ('position',), optional=('effort',), kind=APPLIED)
    data = encoder.encode(0, ZERO, np.full(2, np.nan))
    if reads:
        with pytest.raises(MessageError, match='effort'):
            decoder.decode(data)
    else:
        assert decoder.decode(data).effort.size == 0
