"""The command of a step as a JointState: topic ``effort_command``."""

from __future__ import annotations

from ...core.values import Array, Command, Setpoint
from .joint_state import DecodedJointState

TOPIC = 'effort_command'
FIELDS = ('position', 'velocity', 'effort')
"""Desired position q_d, velocity v_d and effort of the step; its ``frame_id`` is empty, or some of
the words below."""
FLOATING = 'floating'
"""``frame_id`` of an effort that was asked for as it is: the robot is free to be moved."""
STOPPED = 'stopped'
"""``frame_id`` of the effort for a robot that is stopped: it leads nowhere."""
LIMITED = 'limited'
"""``frame_id`` of a command whose effort was reduced to an effort limit."""


def command_kind(setpoint: Setpoint, command: Command, stopped: bool) -> str:
    """Return the ``frame_id`` of a command that shall reach a setpoint, or stops the robot."""
    if stopped:
        return STOPPED
    floating, limited = setpoint.effort is not None, command.saturated
    return ' '.join([FLOATING] * floating + [LIMITED] * limited)


def has_kind(frame_id: str, kind: str) -> bool:
    """Return whether a command's ``frame_id`` has one of the words above."""
    return kind in frame_id.split()


def desired_position(message: DecodedJointState) -> Array | None:
    """Return where a command shall bring the robot [rad], ``(n,)``; none if it floats."""
    known = message.position.size and not has_kind(message.frame_id, FLOATING)
    return message.position if known else None
