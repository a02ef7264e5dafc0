"""The recorder as a node: the log and the summary of ``simloop run``, from the topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticStatus
from std_msgs.msg import Header

from ..record.log_topics import EVERY_TOPIC
from ..record.run_folder import RunFolder
from ..record.verdict import EXIT_STATUS
from ..report.progress import RunProgress
from ..report.results import finish_run
from ..ros.messages import effort_command
from ..ros.messages.contacts import from_message as contacts_from_message
from ..ros.messages.goals import STATUS, heard_status
from ..ros.messages.joint_state import DecodedJointState
from ..ros.messages.notice import COLLISION, Notice
from ..ros.messages.notice import from_message as notice_from_message
from ..ros.messages.safety_status import SAFETY, from_message
from ..ros.messages.stamps import split
from ..ros.node.block_node import BlockNode, Report
from ..ros.node.message_log import MessageLog
from ..ros.node.process import main_of
from ..ros.node.safety_topic import LEFT
from ..ros.pacing.config import RecorderConfig
from ..ros.pacing.record_rows import CONTACTS, STATE, RecordBuilder, RecordLayout
from ..ros.pacing.run_writer import RunWriter, read_facts
from ..ros.transport.qos import EVENTS, LATCHED_READER, RECORD_DEPTH, STREAM

CREDIT_ROWS = 64
"""Rows after which the recorder publishes how far it is, in lockstep."""
PROGRESS_PERIOD = 0.2


class RecorderNode(BlockNode):
    """Writes the same log and summary as ``simloop run``, and in lockstep the same digest.

    The run is over when the scenario's number of steps is complete; then its process ends.
    """

    SECTIONS = {'recorder': RecorderConfig}

    def build(self) -> None:
        """Open the log."""
        self._config = config = self.config(RecorderConfig, 'recorder')
        known = read_facts(config.scenario, simulated=config.simulated)
        self._facts = facts = replace(known, driven=config.driven)
        scenario, graph, topics = facts.scenario, self.graph, self.topics
        topics.endless = facts.model.endless
        layout = RecordLayout.of(
            facts, truth=config.truth, simulated=config.simulated, realtime=graph.realtime
        )
        folder = RunFolder(Path(config.out), numbered=config.numbered)
        self.at_cleanup(folder.discard)
        names = {topic: self.resolve_topic_name(topic[1:]) for topic in EVERY_TOPIC}
        self._writer = RunWriter(
            facts, folder, realtime=graph.realtime, names=names, endless=config.endless
        )
        self._messages = messages = MessageLog(self, self._writer.live)
        self._builder = RecordBuilder(layout)
        self._rows = layout.joiner(scenario.period, RECORD_DEPTH)
        self._channels = [
            topics.subscribe_joints(
                topic.name,
                topic.joint_names,
                topic.fields,
                self._taker(topic.name),
                RECORD_DEPTH,
                polled=True,
                finite=topic.finite,
            )
            for topic in layout.topics(facts.model.joint_names, facts.model.tips)
        ]
        if layout.contacts:
            decode = messages.decoder(CONTACTS, contacts_from_message)
            topics.subscribe_arrays(
                CONTACTS, decode, lambda *part: self._rows.add(CONTACTS, *part)
            )
        if scenario.monitor.watches:
            decode_notice = messages.decoder(COLLISION, notice_from_message)
            topics.subscribe_arrays(COLLISION, decode_notice, self._on_collision)
        self._recorded = topics.publisher(Header, 'recorded', EVENTS)
        topics.subscription(DiagnosticStatus, SAFETY, self._on_safety, LATCHED_READER)
        topics.subscription(DiagnosticStatus, STATUS, self._on_goal, STREAM)
        self.at_cleanup(self._write)

    def begin(self) -> None:
        """Show the progress, on a terminal."""
        self._progress = RunProgress(self._facts.scenario.name)
        self.every(PROGRESS_PERIOD, self._show_progress)
        period = PROGRESS_PERIOD if self.graph.realtime else self.graph.patience
        self.every(period, self._publish_progress)

    def end(self) -> None:
        """Hide the progress, and say that it ends: figures may take longer than its timeout."""
        self._progress.stop()
        if self.graph.realtime:
            self._recorded.publish(Header(frame_id=LEFT))

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
        timing = self._writer.timing

        def take(message: DecodedJointState) -> None:
            if timing is not None and topic == effort_command.TOPIC:
                timing.command(message.stamp)
            self._rows.add(topic, message.stamp, message)
            if topic == STATE:
                self._append_rows()

        return take

    def _on_collision(self, stamp: int, notice: Notice) -> None:
        """Take a report of the monitor: in lockstep a part of the row, in real time an event."""
        if self.graph.realtime:
            self._writer.take_notice(notice)
        else:
            self._rows.add(COLLISION, stamp, notice)

    def _append_rows(self) -> None:
        writer = self._writer
        for row in self._rows.complete():
            if self.finished:
                return
            writer.take(self._builder.build(writer.rows, row))
            writer.note_stamps(row[0], row[-1])
            self.finished = writer.complete
            if not self.finished and not (writer.rows % CREDIT_ROWS or self.graph.realtime):
                self._publish_progress()

    def _publish_progress(self) -> None:
        """Publish how far the recorder is, and check for rows whose last part came late."""
        self._append_rows()
        if self.finished or not all(channel.publishers for channel in self._channels):
            return
        message = Header(frame_id='recorder')
        message.stamp.sec, message.stamp.nanosec = split(self.stamp(self._writer.rows))
        self._recorded.publish(message)

    def _on_safety(self, message: DiagnosticStatus) -> None:
        status = from_message(message)
        if self.active and status:
            self._messages.add(SAFETY, message)
            self._writer.take_safety(status)
            self.finished = self._writer.complete

    def _on_goal(self, message: DiagnosticStatus) -> None:
        status = heard_status(message)
        if self.active and status and not self.finished:
            self._writer.given.take(status)

    def _write(self) -> None:
        writer = self._writer
        if not writer.rows and not writer.diverged:
            self.get_logger().info('stopped before the first step: nothing is kept')
            return
        summary = writer.finish()
        self.exit_status = EXIT_STATUS[summary['status']]
        finish_run(writer.folder, summary, draw=writer.complete and self._config.figures)
        if writer.folder.failure:
            self.failure = ''  # told again, with what was kept
            self.fail(writer.folder.error())

    def _show_progress(self) -> None:
        writer = self._writer
        if writer.rows:
            self._progress.show(writer.rows, writer.steps, writer.real_time_factor)

    def report(self) -> Report:
        """Return how far the log is."""
        values = {
            'rows': self._writer.rows,
            'incomplete rows': self._rows.dropped,
            'folder': self._config.out,
        }
        return Report(DiagnosticStatus.OK, 'complete' if self.finished else 'recording', values)


main = main_of(RecorderNode, 'recorder')

if __name__ == '__main__':
    raise SystemExit(main())
