"""The command of a step as a JointState: topic ``effort_command``."""

from __future__ import annotations

from ...core.values import Command, Setpoint

TOPIC = 'effort_command'
FIELDS = ('position', 'velocity', 'effort')
"""Desired position q_d, velocity v_d and effort of the step."""
FLOATING = 'floating'
"""``frame_id`` of an effort that was asked for as it is: the robot is free to be moved."""
STOPPED = 'stopped'
"""``frame_id`` of the effort for a robot that is stopped: it leads nowhere."""
LIMITED = 'limited'
"""``frame_id`` of a command whose effort was reduced to an effort limit; else it is empty."""


def command_kind(setpoint: Setpoint, command: Command, stopped: bool) -> str:
    """Return the ``frame_id`` of a command that shall reach a setpoint, or stops the robot."""
    if stopped:
        return STOPPED
    if setpoint.effort is not None:
        return FLOATING
    return LIMITED if command.saturated else ''
