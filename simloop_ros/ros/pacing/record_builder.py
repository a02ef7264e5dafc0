"""From the messages of a step to what the log has of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from ...core.values import (
    Array,
    Command,
    JointState,
    PathCorrection,
    PlannerReport,
    PlantReport,
    Rollback,
    Setpoint,
)
from ...record.hands_log import AXES
from ..messages import effort_command
from ..messages.joint_state import ABSENT, DecodedJointState
from ..messages.notice import TOPIC as COLLISION
from ..messages.notice import Notice
from ..messages.wrists import CORRECTIONS, OBJECT, TRUE_WRENCHES, WRENCHES, by_hand, hand_axes

STATE = 'control_state'
MEASURED, TRUTH = 'joint_states', 'true_joint_states'
CONTACTS = 'contacts'
EXTERNAL, TRUE_EXTERNAL = 'external_torque', 'true_external_torque'


class RecordedTopic(msgspec.Struct, frozen=True):
    """A topic of joint states.

    :ivar finite: whether messages with numbers that are not finite are refused.
    """

    name: str
    joint_names: tuple[str, ...]
    fields: tuple[str, ...]
    finite: bool = True


class RecordLayout(msgspec.Struct, frozen=True, kw_only=True):
    """Which topics make a row of the log.

    :ivar truth: whether the true positions have a topic of their own.
    :ivar contacts: whether the plant publishes contacts.
    :ivar collisions: whether the monitor reports every step.
    :ivar guided: whether external torques are logged.
    :ivar hands: whether two hands are logged.
    """

    truth: bool = False
    contacts: bool = False
    collisions: bool = False
    guided: bool = False
    hands: bool = False

    @property
    def early(self) -> tuple[str, ...]:
        """Return the topics with the stamp of the step's start."""
        return (effort_command.TOPIC, *self.lasting)

    @property
    def lasting(self) -> tuple[str, ...]:
        """Return those of ``early`` that are not published while the robot is held."""
        return (CORRECTIONS,) if self.hands else ()

    @property
    def late(self) -> tuple[str, ...]:
        """Return the topics with the stamp of the step's end, but for the control state."""
        return (
            MEASURED,
            *((TRUTH,) if self.truth else ()),
            *((CONTACTS,) if self.contacts else ()),
            *((COLLISION,) if self.collisions else ()),
            *((WRENCHES, TRUE_WRENCHES, OBJECT) if self.hands else ()),
            *((EXTERNAL, TRUE_EXTERNAL) if self.guided else ()),
        )

    def topics(self, joint_names: Sequence[str], tips: Sequence[str]) -> list[RecordedTopic]:
        """Return the topics of joint states; that of the control state comes last."""
        joints, axes = tuple(joint_names), hand_axes(tips)
        found = [
            RecordedTopic(effort_command.TOPIC, joints, effort_command.FIELDS),
            RecordedTopic(MEASURED, joints, ('position',)),
        ]
        if self.truth:
            found.append(RecordedTopic(TRUTH, joints, ('position',)))
        if self.guided:
            found += [RecordedTopic(t, joints, ('effort',)) for t in (EXTERNAL, TRUE_EXTERNAL)]
        if self.hands:  # a lost sensor reads NaN
            found += [
                RecordedTopic(CORRECTIONS, axes, ('position',), finite=False),
                RecordedTopic(WRENCHES, axes, ('effort',), finite=False),
                RecordedTopic(TRUE_WRENCHES, axes, ('effort',), finite=False),
                RecordedTopic(OBJECT, AXES, ('position', 'velocity'), finite=False),
            ]
        return [*found, RecordedTopic(STATE, joints, ('position', 'velocity', 'effort'))]


class RecordedStep(msgspec.Struct, frozen=True, gc=False):
    """One step of the loop, as far as its messages tell it.

    :ivar notice: report of the collision monitor.
    :ivar external: estimated external torque [N m], shape ``(n,)``, where it is logged.
    :ivar object: pose, rotation vector last, and velocity of the object, shape ``(6,)`` each.
    """

    setpoint: Setpoint
    command: Command
    measured: Array
    rollback: Rollback
    plant: PlantReport
    planner: PlannerReport | None = None
    notice: Notice | None = None
    external: Array | None = None
    object: tuple[Array, Array] | None = None


class RecordBuilder:
    """Turns a complete row of messages, in the order of ``RowJoiner``, into a step."""

    def __init__(self, layout: RecordLayout):
        self._topics = (*layout.early, *layout.late, STATE)

    def build(self, row: Sequence[Any]) -> RecordedStep:
        """Return the step of a row."""
        parts: dict[str, Any] = dict(zip(self._topics, row, strict=True))
        command: DecodedJointState = parts[effort_command.TOPIC]
        state: DecodedJointState = parts[STATE]
        measured: Array = parts[MEASURED].position
        truth: Array = parts[TRUTH].position if TRUTH in parts else measured
        hands = CORRECTIONS in parts
        return RecordedStep(
            setpoint=Setpoint(command.position, command.velocity),
            command=Command(
                command.velocity, ABSENT, command.effort, effort_command.is_limited(command)
            ),
            measured=measured,
            rollback=Rollback(JointState(state.position, state.velocity), state.effort),
            plant=PlantReport(
                JointState(truth, ABSENT),
                parts[TRUE_EXTERNAL].effort if TRUE_EXTERNAL in parts else ABSENT,
                parts.get(CONTACTS, ()),
                wrenches=by_hand(parts[WRENCHES].effort) if hands else None,
                true_wrenches=by_hand(parts[TRUE_WRENCHES].effort) if hands else None,
            ),
            planner=_planner_report(parts[CORRECTIONS]) if hands else None,
            notice=parts.get(COLLISION),
            external=parts[EXTERNAL].effort if EXTERNAL in parts else None,
            object=(parts[OBJECT].position, parts[OBJECT].velocity) if hands else None,
        )


def _planner_report(message: DecodedJointState) -> PlannerReport:
    position, rotation = np.split(by_hand(message.position), 2, axis=1)
    return PlannerReport(message.frame_id, PathCorrection(position, rotation))
