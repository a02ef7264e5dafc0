"""The recorder as a node: the log and the summary of ``simloop run``, from the topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
import msgspec
import numpy as np
from rich.console import Console
from std_msgs.msg import Header

from ..assembly.run import (
    LONGEST_RUN,
    RAW_HANDS,
    RunFacts,
    clean_folder,
    load_fit_robot,
    prepare,
    remove_raw,
    write_results,
)
from ..core.errors import ConfigError
from ..core.values import Array, Contact
from ..record.events import EventRecorder
from ..record.hands_log import AXES, HANDS_COLUMNS
from ..record.log import COLUMNS, LogWriter
from ..report.page import draw_run, print_run
from ..report.progress import progress_bar
from ..ros.messages.contacts import from_message as contacts_from_message
from ..ros.messages.joint_state import DecodedJointState
from ..ros.messages.notice import TOPIC as COLLISION
from ..ros.messages.notice import Notice
from ..ros.messages.notice import from_message as notice_from_message
from ..ros.messages.safety_status import CONTROL, TOPIC, from_message
from ..ros.messages.stamps import split, step_of
from ..ros.messages.wrists import CORRECTIONS, OBJECT, TRUE_WRENCHES, WRENCHES, by_hand, hand_axes
from ..ros.node.block_node import BlockNode, Report
from ..ros.node.process import main_of
from ..ros.pacing.rows import RowJoiner
from ..ros.transport.channels import JointSubscription
from ..ros.transport.qos import EVENTS, LATCHED_READER, RECORD_DEPTH
from ..scenario.scenario import Scenario

NAME = 'recorder'
CREDIT_ROWS = 64
"""Rows after which the plant is told how far the recorder is, in lockstep."""
PROGRESS_PERIOD = 0.2
MOST_EVENTS = 1000
"""Number of stops, and of things that the monitor says, that are recorded as events."""


class RecorderConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is recorded, and where to.

    :ivar scenario: the scenario as JSON, for the summary and the number of steps.
    :ivar out: folder for log, summary and figures.
    :ivar simulated: whether the plant is simulated, so that it tells the truth.
    :ivar truth: whether the true state differs from the measured one and is recorded by itself.
    :ivar figures: whether figures are drawn when the run is complete.
    """

    scenario: str
    out: str
    simulated: bool = True
    truth: bool = True
    figures: bool = True


class RecorderNode(BlockNode):
    """Writes the same log and summary as ``simloop run``, and in lockstep the same digest.

    The run is over when the scenario's number of steps is complete; then its process ends.
    """

    SECTIONS = {'recorder': RecorderConfig}

    def build(self) -> None:
        """Open the log."""
        self._config = config = self.config(RecorderConfig, 'recorder')
        self._facts = _facts(config)
        scenario, names = self._facts.scenario, self._facts.model.joint_names
        realtime = self.graph.realtime
        self._steps = self._facts.steps
        self._events = EventRecorder(scenario)
        self._raw = clean_folder(Path(config.out))
        self._log = LogWriter(self._raw, len(names), self._facts.columns)
        self._hands: LogWriter | None = None
        self._diverged = ''
        self._stops = self._noted = 0
        self._begin = self._elapsed = 0.0
        self._channels: list[JointSubscription] = []
        late = ['joint_states']
        if config.truth:
            late.append('true_joint_states')
        if scenario.plant.obstacles and config.simulated:
            late.append('contacts')
            self.subscribe_arrays('contacts', contacts_from_message, self._on_contacts)
        if scenario.monitor.watches:
            self.subscribe_arrays(COLLISION, notice_from_message, self._on_collision)
            if not realtime:
                late.append(COLLISION)
        two_hands = self._facts.plan is not None
        if two_hands:
            late += (WRENCHES, TRUE_WRENCHES, OBJECT)
            raw = self._raw.with_name(RAW_HANDS)
            self._hands = LogWriter(raw, len(AXES), HANDS_COLUMNS)
        # Columns beyond the usual ones have the names of their topics.
        self._guided = guided = self._facts.columns[len(COLUMNS) :]
        late += guided
        self._parts = (*((CORRECTIONS,) if two_hands else ()), *late)
        self._rows = RowJoiner(
            'control_state',
            ('effort_command', CORRECTIONS) if two_hands else ('effort_command',),
            late,
            scenario.period,
            window=RECORD_DEPTH,
            realtime=realtime,
            lasting=(CORRECTIONS,) if two_hands else (),  # nobody tells any while they are held
        )
        for topic, fields in (
            ('effort_command', ('position', 'velocity', 'effort')),
            ('joint_states', ('position',)),
            *((('true_joint_states', ('position',)),) if config.truth else ()),
            *((topic, ('effort',)) for topic in guided),
            ('control_state', ('position', 'velocity', 'effort')),
        ):
            channel = self.subscribe_joints(
                topic, names, fields, self._taker(topic), RECORD_DEPTH, polled=True
            )
            self._channels.append(channel)
        if two_hands:
            self._subscribe_hands(self._facts.model.tips)
        self._recorded = self.publisher(Header, 'recorded', EVENTS)
        self.subscription(DiagnosticStatus, TOPIC, self._on_safety, LATCHED_READER)
        self.gives_back(self._write)

    def _subscribe_hands(self, tips: tuple[str, ...]) -> None:
        axes = hand_axes(tips)
        for topic, names, fields in (
            (CORRECTIONS, axes, ('position',)),
            (WRENCHES, axes, ('effort',)),
            (TRUE_WRENCHES, axes, ('effort',)),
            (OBJECT, AXES, ('position', 'velocity')),
        ):
            channel = self.subscribe_joints(
                topic,
                names,
                fields,
                self._taker(topic),
                RECORD_DEPTH,
                polled=True,
                finite=False,
            )
            self._channels.append(channel)

    def begin(self) -> None:
        """Show the progress, on a terminal."""
        self._console = Console(stderr=True)
        self._progress = progress_bar(self._console)
        self._task = self._progress.add_task(
            self._facts.scenario.name, total=self._steps, factor=''
        )
        self._progress.start()
        self.every(PROGRESS_PERIOD, self._show_progress)
        self.every(
            PROGRESS_PERIOD if self.graph.realtime else self.graph.patience, self._tell_progress
        )

    def end(self) -> None:
        """Hide the progress."""
        self._progress.stop()

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return what the next row lacks."""
        return () if self.finished else self._rows.missing()

    @property
    def awaited(self) -> bool:
        """Return that it may lag behind, as far as the plant's window reaches."""
        return False

    def gaps(self) -> Iterable[tuple[str, int]]:
        """Return what got lost."""
        return self._rows.gaps()

    def _taker(self, topic: str) -> Callable[[DecodedJointState], None]:
        add = self._rows.add

        def take(message: DecodedJointState) -> None:
            add(topic, message.stamp, message)

        def take_last(message: DecodedJointState) -> None:
            add(topic, message.stamp, message)
            self._append_rows()

        return take_last if topic == 'control_state' else take

    def _on_contacts(self, stamp: int, contacts: tuple[Contact, ...]) -> None:
        self._rows.add('contacts', stamp, contacts)

    def _on_collision(self, stamp: int, notice: Notice) -> None:
        """Take what the monitor says: in lockstep a part of the row, in real time an event."""
        if not self.graph.realtime:
            self._rows.add(COLLISION, stamp, notice)
        elif self._noted < MOST_EVENTS:
            self._noted += 1
            self._note(self._log.rows, notice)

    def _note(self, step: int, notice: Notice) -> None:
        self._events.collision(step, notice.kind, notice.margin, notice.located)

    def _append_rows(self) -> None:
        for command, *others, after in self._rows.complete():
            if self.finished:
                return
            if not self._log.rows:
                self._begin = time.monotonic()
            self._append(command, others, after)
            rows = self._log.rows
            if rows >= self._steps:
                self._finish()
            elif not rows % CREDIT_ROWS and not self.graph.realtime:
                self._tell_progress()

    def _append(
        self,
        command: DecodedJointState,
        others: list[Any],
        after: DecodedJointState,
    ) -> None:
        step = self._log.rows
        parts: dict[str, Any] = dict(zip(self._parts, others, strict=True))
        measured = parts['joint_states']
        truth: Array = parts.get('true_joint_states', measured).position
        self._log.append(
            command.position,
            command.velocity,
            command.effort,
            measured.position,
            after.position,
            after.velocity,
            after.effort,
            truth,
            *(parts[topic].effort for topic in self._guided),
        )
        if self._hands is not None:
            correction, held = parts[CORRECTIONS], parts[OBJECT]
            self._hands.append(
                *by_hand(parts[WRENCHES].effort),
                *by_hand(correction.position),
                *by_hand(parts[TRUE_WRENCHES].effort),
                held.position,
                held.velocity,
            )
            self._events.task(step, correction.frame_id)
        if COLLISION in parts:
            self._note(step, parts[COLLISION])
        if (np.abs(command.effort) >= self._facts.model.effort_limit).any():
            self._events.saturation(step)
        if 'contacts' in parts:
            self._events.contacts(step, parts['contacts'])

    def _tell_progress(self) -> None:
        """Tell the plant how far the recorder is, and look for rows whose last part came late."""
        self._append_rows()
        if self.finished or not all(channel.publishers for channel in self._channels):
            return
        message = Header(frame_id='recorder')
        message.stamp.sec, message.stamp.nanosec = split(self.stamp(self._log.rows))
        self._recorded.publish(message)

    def _on_safety(self, message: DiagnosticStatus) -> None:
        status = from_message(message)
        if not self.active or not status or not status.stopped or status.stamp < 0:
            return
        step = step_of(status.stamp, self._facts.scenario.period)
        if status.diverged and status.source == CONTROL and not self.graph.realtime:
            self._diverged = status.stopped
            self._steps = min(self._steps, step)
            if self._log.rows >= self._steps:
                self._finish()
        elif not self.graph.realtime and self._stops < MOST_EVENTS:
            self._stops += 1
            self._events.add(step, 'stop', source=status.source, message=status.stopped)

    def _finish(self) -> None:
        """Let the process end: the log has all its rows."""
        self.finished = True
        self._elapsed = time.monotonic() - self._begin

    def _write(self) -> None:
        """Write the results: the process ends, or the node is cleaned up."""
        if not self.finished and self._log.rows:
            self._elapsed = time.monotonic() - self._begin
        self._log.close()
        if self._hands is not None:
            self._hands.close()
        rows = self._log.rows
        complete = rows >= self._steps
        status = 'diverged' if self._diverged else 'completed' if complete else 'interrupted'
        if self._diverged:
            self._events.add(rows, 'divergence', message=self._diverged)
            self.exit_status = 1
        try:
            summary = write_results(
                self._facts, self._raw, self._events, status, self._elapsed, {}
            )
        finally:
            remove_raw(self._raw)
        figures = draw_run(self._raw.parent) if complete and self._config.figures else []
        print_run(summary, self._raw.parent, figures)

    def _show_progress(self) -> None:
        if not self._log.rows:
            return
        rows = self._log.rows
        factor = rows * self._facts.scenario.period / max(time.monotonic() - self._begin, 1e-9)
        self._progress.update(
            self._task, completed=rows, total=self._steps, factor=f'{factor:.2f} x real time'
        )

    def report(self) -> Report:
        """Return how far the log is."""
        values = {
            'rows': self._log.rows,
            'incomplete rows': self._rows.dropped,
            'folder': self._raw.parent,
        }
        return Report(DiagnosticStatus.OK, 'complete' if self.finished else 'recording', values)


def _facts(config: RecorderConfig) -> RunFacts:
    """Return what the run is, as ``simloop run`` would find it."""
    try:
        scenario = msgspec.json.decode(config.scenario, type=Scenario)
    except msgspec.MsgspecError as error:
        raise ConfigError(f'recorder.scenario: not a scenario: {error}') from error
    if config.simulated:
        prepared = prepare(scenario)
        prepared.loop.plant.close()
        return prepared.facts
    model = load_fit_robot(scenario.robot)
    steps = round(scenario.duration / scenario.period) if scenario.duration else LONGEST_RUN
    rollback = scenario.control.rollback or 'measured'
    return RunFacts(scenario, model, 'robot', rollback, steps, None, simulated=False)


main = main_of(RecorderNode, NAME)

if __name__ == '__main__':
    raise SystemExit(main())
