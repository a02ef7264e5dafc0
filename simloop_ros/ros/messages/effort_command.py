"""The command of a step as a JointState: topic ``effort_command``."""

from __future__ import annotations

import msgspec

from ...core.values import Array, Command, Setpoint
from .joint_state import ABSENT, DecodedJointState

TOPIC = 'effort_command'
FIELDS = ('position', 'velocity', 'effort')
"""Desired position q_d, velocity v_d and effort of the step; its ``frame_id`` is empty, or some of
the words below."""
FLOATING = 'floating'
"""``frame_id`` of an effort that was asked for as it is: the robot is free to be moved."""
STOPPED = 'stopped'
"""``frame_id`` of the effort for a robot that is stopped: it leads nowhere."""
APPLIED = 'applied_effort'
"""First word in the ``frame_id`` of a joint state whose effort is what the robot applied, in the
terms of the model: not the command, if that was late. The second word is the number of steps up to
this state that it is the mean of, 1 if there is none. Efforts of other joint states mean something
else with every driver."""
MEASURED_TORQUE = 'measured_torque'
"""Topic of the torques that the joints of a simulated robot measured, in ``effort``. Of a real one
it is that of its joint states, by remapping."""
LIMITED = 'limited'
"""``frame_id`` of a command whose effort was reduced to an effort limit."""


def command_kind(setpoint: Setpoint, command: Command, stopped: bool) -> str:
    """Return the ``frame_id`` of a command that shall reach a setpoint, or stops the robot."""
    if stopped:
        return STOPPED
    floating, limited = setpoint.effort is not None, command.saturated
    return ' '.join([FLOATING] * floating + [LIMITED] * limited)


class AppliedEffort(msgspec.Struct, frozen=True, gc=False):
    """What a robot applied up to a joint state.

    :ivar effort: mean over some steps [N m], shape ``(n,)``.
    :ivar steps: how many; 0 if it is not known.
    """

    effort: Array
    steps: int

    def in_step(self, back: int) -> Array | None:
        """Return the effort of a step, counted back from 0 for the last one; none if unknown."""
        return self.effort if back < self.steps else None


UNKNOWN_EFFORT = AppliedEffort(ABSENT, 0)


def applied_kind(steps: int) -> str:
    """Return the ``frame_id`` of a joint state with the mean effort of some steps."""
    return APPLIED if steps == 1 else f'{APPLIED} {steps}'


def applied_effort(message: DecodedJointState) -> AppliedEffort:
    """Return what a joint state tells of the effort that was applied."""
    word, _, steps = message.frame_id.partition(' ')
    if word != APPLIED or not message.effort.size:
        return UNKNOWN_EFFORT
    return AppliedEffort(message.effort, int(steps[:4]) if steps.isdecimal() else 1)


def has_kind(frame_id: str, kind: str) -> bool:
    """Return whether a command's ``frame_id`` has one of the words above."""
    return kind in frame_id.split()


def desired_position(message: DecodedJointState) -> Array | None:
    """Return where a command shall bring the robot [rad], ``(n,)``; none if it floats."""
    known = message.position.size and not has_kind(message.frame_id, FLOATING)
    return message.position if known else None
