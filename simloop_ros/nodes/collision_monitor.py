"""The collision monitor as a node: external torque, and whether it is a collision."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from std_srvs.srv import Trigger

from ..collision.config import MonitorConfig
from ..collision.detector import build_detector
from ..collision.measured_torque import measured_torque
from ..collision.wrist_torque import WristTorque
from ..core.values import Array
from ..robot.config import RobotConfig
from ..robot.model import RobotModel
from ..ros.messages.effort_command import APPLIED, MEASURED_TORQUE
from ..ros.messages.joint_state import DecodedJointState
from ..ros.messages.notice import LEVELS
from ..ros.messages.wrists import WRENCHES, by_hand, hand_axes
from ..ros.node.block_node import BlockNode, Report
from ..ros.node.collision_topic import CollisionTopic
from ..ros.node.inputs import WristReadings, read_wrist_drivers
from ..ros.node.payload_topic import PayloadTopic
from ..ros.node.process import main_of
from ..ros.pacing.config import ReportingConfig, SensingConfig
from ..ros.pacing.rows import RowJoiner
from ..ros.pacing.step_monitor import GapFiller, StepMonitor
from ..ros.transport.qos import RECORD_DEPTH

INPUTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    'effort_command': (('position', 'effort'), ()),
    'joint_states': (('position',), ('effort',)),
    'control_state': (('position', 'velocity', 'effort'), ()),
}
"""Fields that are needed, and those that are read where the robot tells what it applied."""


class CollisionMonitorNode(BlockNode):
    """Estimates the torque that the control simulation cannot explain.

    ``external_torque``: in ``effort`` the estimated external torque [N m], as applied to the
    robot; in ``position`` the difference q - q_d [rad]. ``collision``: contact or not, push or
    impact, and where; in lockstep after every step if a node waits for it, else when it changes,
    the link of the running estimate included; and the load that a contact turned out to be. The
    service ``take_payload`` takes over one that is proposed.
    The stamps are those of the control states. With ``monitor.signal: measured`` a step also needs
    what the joints measured. Of wrist sensors with own drivers the last readings are used.
    """

    SECTIONS = {
        'robot': RobotConfig,
        'monitor': MonitorConfig,
        'reporting': ReportingConfig,
        'sensing': SensingConfig,
    }

    def build(self) -> None:
        """Create the detector, its publishers and subscriptions."""
        self._payload, graph, topics = PayloadTopic(self), self.graph, self.topics
        model, names = self._payload.model, self._payload.model.joint_names
        reporting = self.config(ReportingConfig, 'reporting')
        config = self.config(MonitorConfig, 'monitor')
        detector = build_detector(config, model, graph.period)
        measured = measured_torque(config, model)
        self._payload.also(*detector.monitor.pin_models)
        self._every_step = reporting.every_step and not graph.realtime
        self._external = topics.publish_joints('external_torque', names, ('position', 'effort'))
        self._collision = CollisionTopic(self, model.base, every_step=self._every_step)
        polled = not (graph.realtime or self._every_step)  # else each message is taken at once
        subscribe = partial(topics.subscribe_joints, kind=APPLIED, polled=polled)
        for topic, (fields, optional) in INPUTS.items():
            subscribe(topic, names, fields, self._taker(topic), RECORD_DEPTH, optional=optional)
        self._drivers: WristReadings | None = None
        self._wrenches: Array | None = None
        late, wrist_torque = ['joint_states'], None
        if measured is not None:
            late.append(MEASURED_TORQUE)
            take = self._taker(MEASURED_TORQUE)
            subscribe(
                MEASURED_TORQUE, names, ('effort',), take, RECORD_DEPTH, finite=False, driven=True
            )
        if reporting.wrist_tare_time is not None:
            wrist_torque = WristTorque(model, reporting.wrist_tare_time, graph.period)
            late += self._open_wrists(model)
        gaps = GapFiller(model, graph.period, realtime=graph.realtime)
        self._monitor = StepMonitor(detector, gaps, model.n, graph.period, wrist_torque, measured)
        self._measures = measured is not None
        self._rows = RowJoiner(
            'control_state',
            ('effort_command',),
            late,
            graph.period,
            window=RECORD_DEPTH,
            realtime=graph.realtime,
        )
        self.service(Trigger, 'reset', self._serve_reset)
        self.service(Trigger, 'take_payload', lambda _: self._monitor.take_payload())

    def _open_wrists(self, model: RobotModel) -> tuple[str, ...]:
        """Subscribe to the wrist sensors; return the topic that is part of each row, if any."""
        if self.config(SensingConfig, 'sensing').drivers:
            self._drivers = read_wrist_drivers(self, model.sensors, self._on_wrenches)
            return ()
        self.topics.subscribe_joints(
            WRENCHES,
            hand_axes(model.tips),
            ('effort',),
            self._taker(WRENCHES),
            RECORD_DEPTH,
            finite=False,
        )
        return (WRENCHES,)

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return what the next step needs."""
        return self._rows.missing()

    @property
    def awaited(self) -> bool:
        """Return whether a node waits for its report on each step, as in real time."""
        return self._every_step or self.graph.realtime

    def gaps(self) -> Iterable[tuple[str, int]]:
        """Return what got lost."""
        return self._rows.gaps()

    def _taker(self, topic: str) -> Callable[[DecodedJointState], None]:
        def take(message: DecodedJointState) -> None:
            if self.graph.realtime:
                self._monitor.hear(topic, message)
            self._rows.add(topic, message.stamp, message)
            for row in self._rows.complete():
                self._observe(*row)

        return take

    def _on_wrenches(self, _: int, wrenches: Array) -> None:
        self._wrenches = wrenches

    def _observe(
        self, command: DecodedJointState, measured: DecodedJointState, *rest: DecodedJointState
    ) -> None:
        """Take a step: command, joint state; torques, wrist wrenches if any; control state."""
        *sensed, state = rest
        torque = sensed.pop(0).effort if self._measures else None
        self._payload.at(command.stamp)
        wrenches = by_hand(sensed[0].effort) if sensed else self._wrenches
        detection = self._monitor.observe(command, measured, state, wrenches, torque)
        self._collision.send(state.stamp, detection)
        difference = state.position - command.position
        self._external.send(state.stamp, difference, detection.reading.torque)

    def _serve_reset(self, _: Any) -> str:
        self._monitor.reset()
        self._collision.reset()
        return 'contact, filters and largest differences are reset'

    def report(self) -> Report:
        """Return the largest differences so far, and the present contact."""
        kind = self._collision.kind
        level, message = LEVELS[kind], 'watching' if kind == 'none' else f'collision: {kind}'
        missing = () if self._drivers is None else self._drivers.missing
        if kind == 'none' and missing:
            level = DiagnosticStatus.WARN
            message = f'no messages on {", ".join(missing)}: an object in hand is a collision'
        elif kind == 'none' and self._monitor.doubt:
            level, message = DiagnosticStatus.WARN, self._monitor.doubt
        counts = {'steps': self._rows.rows, 'incomplete steps': self._rows.dropped}
        values = {**self._monitor.report(), 'collisions': self._collision.collisions, **counts}
        return Report(level, message, values)


main = main_of(CollisionMonitorNode, 'collision_monitor')

if __name__ == '__main__':
    raise SystemExit(main())
