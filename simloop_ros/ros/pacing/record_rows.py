"""The rows of a log, from the messages of their topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from ...collision.detector import Detection
from ...collision.observation import Reading, Verdict
from ...core.values import (
    Array,
    Command,
    JointState,
    ObjectReport,
    PathCorrection,
    PlannerReport,
    PlantReport,
    Rollback,
    Setpoint,
)
from ...loop.step_record import StepRecord
from ...record.facts import RunFacts
from ...record.hands_log import AXES
from ..messages import effort_command
from ..messages.joint_state import ABSENT, DecodedJointState
from ..messages.notice import COLLISION, NO_CONTACT, Notice, hit_of
from ..messages.wrists import CORRECTIONS, OBJECT, TRUE_WRENCHES, WRENCHES, by_hand, hand_axes
from .rows import RowJoiner

STATE = 'control_state'
MEASURED, TRUTH = 'joint_states', 'true_joint_states'
CONTACTS = 'contacts'
EXTERNAL, TRUE_EXTERNAL = 'external_torque', 'true_external_torque'


class RecordedTopic(msgspec.Struct, frozen=True):
    """A topic of joint states; with ``finite`` numbers that are not finite are refused."""

    name: str
    joint_names: tuple[str, ...]
    fields: tuple[str, ...]
    finite: bool = True


class RecordLayout(msgspec.Struct, frozen=True, kw_only=True):
    """Which topics make a row of the log.

    :ivar truth: whether the true positions have a topic of their own.
    :ivar contacts: whether the plant publishes contacts.
    :ivar collisions: whether the monitor reports every step.
    :ivar torques: topics of the external torques that are logged.
    :ivar hands: whether two hands are logged.
    :ivar realtime: whether the robot does not wait for its commands.
    """

    truth: bool = False
    contacts: bool = False
    collisions: bool = False
    torques: tuple[str, ...] = ()
    hands: bool = False
    realtime: bool = False

    @classmethod
    def of(cls, facts: RunFacts, *, truth: bool, simulated: bool, realtime: bool) -> RecordLayout:
        """Return the layout of a run."""
        scenario = facts.scenario
        return cls(
            truth=truth,
            contacts=bool(scenario.plant_in_world.obstacles) and simulated,
            collisions=scenario.monitor.watches and not realtime,
            torques=tuple(t for t in (EXTERNAL, TRUE_EXTERNAL) if t in facts.columns),
            hands=facts.plan is not None,
            realtime=realtime,
        )

    @property
    def early(self) -> tuple[str, ...]:
        """Return the topics with the stamp of the step's start."""
        return (effort_command.TOPIC, *((CORRECTIONS,) if self.hands else ()))

    @property
    def lasting(self) -> tuple[str, ...]:
        """Return those of ``early`` that may be absent while the robot goes on."""
        return self.early if self.realtime else ()

    @property
    def late(self) -> tuple[str, ...]:
        """Return the topics with the stamp of the step's end, but for the control state."""
        return (
            MEASURED,
            *((TRUTH,) if self.truth else ()),
            *((CONTACTS,) if self.contacts else ()),
            *((COLLISION,) if self.collisions else ()),
            *((WRENCHES, TRUE_WRENCHES, OBJECT) if self.hands else ()),
            *self.torques,
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
        found += [RecordedTopic(topic, joints, ('effort',)) for topic in self.torques]
        if self.hands:  # a lost sensor reads NaN
            found += [
                RecordedTopic(CORRECTIONS, axes, ('position',), finite=False),
                RecordedTopic(WRENCHES, axes, ('effort',), finite=False),
                RecordedTopic(TRUE_WRENCHES, axes, ('effort',), finite=False),
                RecordedTopic(OBJECT, AXES, ('position', 'velocity'), finite=False),
            ]
        return [*found, RecordedTopic(STATE, joints, ('position', 'velocity', 'effort'))]

    def joiner(self, period: float, window: int) -> RowJoiner:
        """Return what puts the rows together; the parameters are those of ``RowJoiner``."""
        return RowJoiner(
            STATE,
            self.early,
            self.late,
            period,
            window=window,
            realtime=self.realtime,
            lasting=self.lasting,
        )


class RecordBuilder:
    """Turns complete rows of messages, in the order of ``RowJoiner``, into records of steps."""

    def __init__(self, layout: RecordLayout):
        self._topics = (*layout.early, *layout.late, STATE)
        self._hands = layout.hands
        self._monitored = layout.collisions or bool(layout.torques)

    def build(self, index: int, row: Sequence[Any]) -> StepRecord:
        """Return the record of a row, as far as its messages tell it."""
        parts: dict[str, Any] = dict(zip(self._topics, row, strict=True))
        command: DecodedJointState = parts[effort_command.TOPIC]
        state: DecodedJointState = parts[STATE]
        measured: Array = parts[MEASURED].position
        limited = effort_command.has_kind(command.frame_id, effort_command.LIMITED)
        return StepRecord(
            index,
            Setpoint(command.position, command.velocity),
            Command(command.velocity, ABSENT, command.effort, limited),
            measured,
            Rollback(JointState(state.position, state.velocity), state.effort),
            self._plant_report(parts, measured),
            _planner_report(parts[CORRECTIONS]) if self._hands else None,
            _detection(parts) if self._monitored else None,
        )

    def _plant_report(self, parts: Mapping[str, Any], measured: Array) -> PlantReport:
        truth = JointState(parts[TRUTH].position if TRUTH in parts else measured, ABSENT)
        external = parts[TRUE_EXTERNAL].effort if TRUE_EXTERNAL in parts else ABSENT
        contacts = parts.get(CONTACTS, ())
        if not self._hands:
            return PlantReport(truth, external, contacts)
        pose = parts[OBJECT]
        return PlantReport(
            truth,
            external,
            contacts,
            wrenches=by_hand(parts[WRENCHES].effort),
            true_wrenches=by_hand(parts[TRUE_WRENCHES].effort),
            object=ObjectReport(pose.position[:3], pose.position[3:], pose.velocity),
        )


def _planner_report(message: DecodedJointState) -> PlannerReport:
    position, rotation = np.split(by_hand(message.position), 2, axis=1)
    return PlannerReport(message.frame_id, PathCorrection(position, rotation))


def _detection(parts: Mapping[str, Any]) -> Detection:
    notice: Notice = parts.get(COLLISION, NO_CONTACT)
    torque = parts[EXTERNAL].effort if EXTERNAL in parts else ABSENT
    verdict: Verdict = 'contact' if notice.contact else 'free'
    reading = Reading(ABSENT, torque, verdict, notice.margin, notice.doubt)
    hit, running = hit_of(notice.located), hit_of(notice.running)
    return Detection(notice.contact, notice.kind, reading, hit, running, notice.load)
