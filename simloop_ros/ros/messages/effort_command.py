"""The command of a step as a JointState: topic ``effort_command``."""

from __future__ import annotations

from .joint_state import DecodedJointState

TOPIC = 'effort_command'
FIELDS = ('position', 'velocity', 'effort')
"""Desired position q_d, velocity v_d and effort of the step."""
LIMITED = 'limited'
"""``frame_id`` of a command whose effort was reduced to an effort limit; else it is empty."""


def command_kind(*, limited: bool) -> str:
    """Return the ``frame_id`` of a command."""
    return LIMITED if limited else ''


def is_limited(message: DecodedJointState) -> bool:
    """Return whether an effort limit was applied to a command."""
    return message.frame_id == LIMITED
