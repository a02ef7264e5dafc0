"""What a planner wants of the next step, as a JointState: topic ``desired_joint_states``."""

from __future__ import annotations

import numpy as np

from ...core.errors import MessageError
from ...core.values import Array, Setpoint
from ..transport.channels import JointPublisher
from .joint_state import DecodedJointState

FIELDS = ('position', 'velocity', 'effort')
NEEDED, OPTIONAL = FIELDS[:1], FIELDS[1:]
"""Whoever plans may leave out all but the positions."""
POSITION, RESTART, EFFORT = '', 'anew', 'effort'
"""How a message is meant, as its ``frame_id``: go on to the position; set out for it from where
the robot is; send the effort instead."""


def send_setpoint(publisher: JointPublisher, stamp: int, wanted: Setpoint) -> None:
    """Send what is wanted in the step that begins at a stamp [ns]."""
    effort: Array = np.zeros(wanted.position.size) if wanted.effort is None else wanted.effort
    meaning = EFFORT if wanted.effort is not None else RESTART if wanted.restart else POSITION
    publisher.send(stamp, wanted.position, wanted.velocity, effort, frame_id=meaning)


def read_setpoint(message: DecodedJointState) -> Setpoint:
    """Return what a message wants.

    :raises MessageError: nobody knows how it is meant.
    """
    if message.frame_id not in (POSITION, RESTART, EFFORT):
        raise MessageError(
            f'desired_joint_states: frame_id {message.frame_id[:80]!r} is none of {POSITION!r}, '
            f'{RESTART!r}, {EFFORT!r}'
        )
    if message.frame_id == EFFORT and not message.effort.size:
        raise MessageError('desired_joint_states: frame_id effort, but no effort')
    return Setpoint(
        message.position,
        message.velocity if message.velocity.size else np.zeros_like(message.position),
        message.effort if message.frame_id == EFFORT else None,
        message.frame_id == RESTART,
    )
