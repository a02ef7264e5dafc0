"""The results of a run that is recorded from topics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
import time
from typing import Any

import msgspec
import numpy as np

from ...assembly.assemble import run_facts
from ...collision.detector import Detection
from ...collision.observation import Reading, Verdict
from ...core.errors import ConfigError
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
from ...record.columns import GUIDED_COLUMNS
from ...record.facts import RunFacts
from ...record.hands_log import AXES
from ...record.run_folder import RunFolder
from ...record.run_recorder import RunRecorder
from ...record.timing import RunTiming
from ...scenario.scenario import Scenario
from ..messages import effort_command
from ..messages.joint_state import ABSENT, DecodedJointState
from ..messages.notice import COLLISION, NO_CONTACT, Notice, hit_of
from ..messages.safety_status import CONTROL, SafetyStatus, origin
from ..messages.stamps import step_of
from ..messages.wrists import CORRECTIONS, OBJECT, TRUE_WRENCHES, WRENCHES, by_hand, hand_axes
from .given_goals import GivenGoals
from .real_run import RealRun
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
    :ivar guided: whether external torques are logged.
    :ivar hands: whether two hands are logged.
    :ivar realtime: whether the robot does not wait for its commands.
    """

    truth: bool = False
    contacts: bool = False
    collisions: bool = False
    guided: bool = False
    hands: bool = False
    realtime: bool = False

    @classmethod
    def of(cls, facts: RunFacts, *, truth: bool, simulated: bool, realtime: bool) -> RecordLayout:
        """Return the layout of a run."""
        scenario = facts.scenario
        return cls(
            truth=truth,
            contacts=bool(scenario.plant.obstacles) and simulated,
            collisions=scenario.monitor.watches and not realtime,
            guided=facts.columns is GUIDED_COLUMNS,
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
        self._monitored = layout.collisions or layout.guided

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
    reading = Reading(ABSENT, torque, verdict, notice.margin)
    return Detection(notice.contact, notice.kind, reading, hit_of(notice.located))


MAX_EVENTS = 1000
"""Number of stops, and of notices of the monitor in real time, that are recorded as events."""


class RunWriter(RunRecorder):
    """Records steps until the run is complete; at the end log, summary and events.

    :param clock: returns the time of a steady clock [s].
    :param endless: whether the run is complete whenever it is stopped.
    :ivar steps: number of steps of a complete run.
    :ivar given: goals that the robot was given over topics.
    :ivar diverged: why the run diverged, in lockstep; empty if it did not.
    :ivar timing: of the commands, in real time.
    """

    def __init__(
        self,
        facts: RunFacts,
        folder: RunFolder,
        clock: Callable[[], float] = time.monotonic,
        *,
        realtime: bool = False,
        endless: bool = False,
    ):
        super().__init__(facts, folder)
        self._period = facts.scenario.period
        self._clock = clock
        self._start = 0.0
        self._end: float | None = None
        self._stops = self._notices = self._levels = 0
        self._stopped = False
        self.timing = RunTiming(self._period) if realtime else None
        self.steps = facts.steps
        self.diverged = ''
        self.given = GivenGoals(realtime=realtime)
        self._first = facts.model.home
        self._endless = endless
        self._real = None if facts.simulated else RealRun(facts)

    @property
    def complete(self) -> bool:
        """Return whether the run is over."""
        return self.rows >= self.steps and (self._real is None or self._real.rests)

    @property
    def elapsed(self) -> float:
        """Return the time from the first step until now, or until the run was complete [s]."""
        if not self.rows:
            return 0.0
        return (self._clock() if self._end is None else self._end) - self._start

    @property
    def real_time_factor(self) -> float:
        """Return simulated time per real time."""
        return self.rows * self._period / max(self.elapsed, 1e-9)

    def take(self, record: StepRecord) -> None:
        """Append a step."""
        if not self.rows:
            self._start, self._first = self._clock(), record.measured
        if self._real is not None:
            self._real.take(record)
            self._learn(self._real.facts())
        super().take(record)
        self._note_end()

    def _learn(self, facts: RunFacts) -> None:
        self.facts, self.steps = facts, facts.steps

    def note_stamps(self, command: DecodedJointState, state: DecodedJointState) -> None:
        """Note, in real time, when the command of the row and the state at its end were sent."""
        if self.timing is not None:
            leads = command.frame_id not in (effort_command.STOPPED, effort_command.FLOATING)
            self.timing.row(command.stamp, state.stamp, leads=leads)

    def take_notice(self, notice: Notice) -> None:
        """Take a report of the monitor that belongs to no row, in real time."""
        if self._notices < MAX_EVENTS:
            self._notices += 1
            self.events.collision(self.rows, notice.kind, notice.margin, notice.located)

    def take_safety(self, status: SafetyStatus) -> None:
        """Take a stop; in real time also the release of the robot, and levels of lateness."""
        if self.timing is not None and status.level:
            if not self.complete and self._levels < MAX_EVENTS:
                self._levels += 1
                self.timing.level(status.level)
                self.events.add(self.rows, 'lateness', source=status.source, level=status.level)
        elif self.timing is not None:
            self._take_present(status)
        elif status.stopped and status.stamp >= 0:
            self._take_stop(status)

    def _take_present(self, status: SafetyStatus) -> None:
        """Take a status in real time: a stop is one, however many nodes announce it."""
        stopped = bool(status.stopped)
        releases = status.source == CONTROL and status.stops > 0
        if stopped == self._stopped or not (stopped or releases) or self.complete:
            return
        self._stopped = stopped
        source, message = origin(status)
        if self._stops < MAX_EVENTS:
            self._stops += stopped
            details = {'message': message} if stopped else {}
            self.events.add(self.rows, 'stop' if stopped else 'release', source=source, **details)

    def _take_stop(self, status: SafetyStatus) -> None:
        """Take a stop, in lockstep; a divergence of control ends the run at its step."""
        step = step_of(status.stamp, self._period)
        if status.diverged and status.source == CONTROL:
            self.diverged = status.stopped
            self.steps = min(self.steps, step)
            self._note_end()
        elif self._stops < MAX_EVENTS:
            self._stops += 1
            self.events.add(step, 'stop', source=status.source, message=status.stopped)

    def _note_end(self) -> None:
        if self.complete and self._end is None:
            self._end = self._clock()

    def finish(self) -> dict[str, Any]:
        """Write log and summary; return the summary."""
        elapsed = self.elapsed
        if self._real is not None:
            self._learn(self._real.facts(wait=True))
        if self._endless:
            self._learn(replace(self.facts, steps=self.rows))
        start = self.facts.model.home if self.facts.simulated else self._first
        self._learn(self.given.keep(self.facts, self.folder, start))
        if self.diverged:
            self.events.add(self.rows, 'divergence', message=self.diverged)
        with self:
            return self.write(elapsed, {}, timing=self.timing)


def read_facts(text: str, *, simulated: bool) -> RunFacts:
    """Return the facts of a run from its scenario as JSON, as ``simloop run`` would find them.

    :raises SimloopError: it is not a scenario, or cannot be run.
    """
    try:
        scenario = msgspec.json.decode(text, type=Scenario)
    except msgspec.MsgspecError as error:
        raise ConfigError(f'recorder.scenario: not a scenario: {error}') from error
    return run_facts(scenario, simulated=simulated)
