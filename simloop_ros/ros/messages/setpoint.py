"""The setpoint of a step as a JointState: topic ``desired_joint_states``."""

from __future__ import annotations

import numpy as np

from ...core.errors import MessageError
from ...core.values import Array, Setpoint
from .joint_state import DecodedJointState

TOPIC = 'desired_joint_states'
FIELDS = ('position', 'velocity', 'effort')
NEEDED, OPTIONAL = FIELDS[:1], FIELDS[1:]
"""A planner may leave out all but the positions."""
POSITION, RESTART, EFFORT, PREDICTED, UNPREDICTED, FOLLOW = KINDS = (
    '',
    'restart',
    'effort',
    'predicted',
    'unpredicted',
    'follow',
)
"""Kind of a setpoint, as the ``frame_id`` of its message: continue to the position; start towards
it from the control state; send the effort instead; where the motion is expected to lead, in case
that the setpoints up to there come late; that this is over; stay where the robot is."""
LONGEST_LEAD = 10.0
"""Time from the robot's state on for which a setpoint is of use [s]: more is of another clock."""


def setpoint_kind(setpoint: Setpoint) -> str:
    """Return the ``frame_id`` of the message for a setpoint."""
    if setpoint.effort is not None:
        return EFFORT
    if setpoint.predicted:
        return UNPREDICTED if setpoint.restart else PREDICTED
    if setpoint.follows:
        return FOLLOW
    return RESTART if setpoint.restart else POSITION


def setpoint_arrays(setpoint: Setpoint) -> tuple[Array, Array, Array]:
    """Return what a message for a setpoint has in ``FIELDS``; zero effort where it has none."""
    effort = np.zeros(setpoint.position.size) if setpoint.effort is None else setpoint.effort
    return setpoint.position, setpoint.velocity, effort


def read_setpoint(message: DecodedJointState) -> Setpoint:
    """Return the setpoint of a message; raise MessageError for its kind, or a missing effort."""
    if message.frame_id not in KINDS:
        raise MessageError(
            f'{TOPIC}: frame_id {message.frame_id[:80]!r} is none of '
            + ', '.join(map(repr, KINDS))
        )
    if message.frame_id == EFFORT and not message.effort.size:
        raise MessageError(f'{TOPIC}: frame_id effort, but no effort')
    return Setpoint(
        message.position,
        message.velocity if message.velocity.size else np.zeros_like(message.position),
        message.effort if message.frame_id == EFFORT else None,
        message.frame_id in (RESTART, UNPREDICTED),
        message.frame_id in (PREDICTED, UNPREDICTED),
        message.frame_id == FOLLOW,
    )
