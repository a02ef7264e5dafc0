"""The motion planner as a node: control states in, setpoints out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from diagnostic_msgs.msg import DiagnosticStatus
import msgspec
import numpy as np
from std_msgs.msg import Header
from std_srvs.srv import Trigger

from ..assembly.motion import LIVE_KEYS
from ..collision.config import MonitorConfig
from ..core.errors import ConfigError
from ..core.values import Setpoint
from ..guiding.compliance import compliance
from ..guiding.config import AdmittanceConfig
from ..planning.config import PlannerConfig
from ..robot.config import RobotConfig
from ..ros.messages.joint_state import DecodedJointState
from ..ros.messages.safety_status import SafetyStatus
from ..ros.messages.setpoint import FIELDS, TOPIC, setpoint_arrays, setpoint_kind
from ..ros.node.block_node import BlockNode, Report
from ..ros.node.goal_topics import GoalTopics
from ..ros.node.inputs import open_inputs
from ..ros.node.motion_settings import MOTION_SECTIONS, motion_settings
from ..ros.node.payload_topic import PayloadTopic
from ..ros.node.process import main_of
from ..ros.node.safety_topic import SafetyTopic
from ..ros.pacing.config import GoalListConfig
from ..ros.pacing.goal_queue import goal_queue
from ..ros.pacing.input_buffer import InputBuffer
from ..ros.pacing.lateness_watch import LatenessWatch
from ..ros.pacing.motion_guide import MotionGuide
from ..ros.pacing.motion_hold import MotionHold
from ..ros.pacing.motion_pace import LockstepMotion, RealtimeMotion
from ..ros.transport.qos import EVENTS
from ..safety.config import SafetyConfig


class MotionPlannerNode(BlockNode):
    """Answers each ``control_state`` with a setpoint; see ``LockstepMotion``, ``RealtimeMotion``.

    The motion begins at the first control state, unless the robot was stopped before. After a
    stop the planner holds the robot where it is until its service ``start`` is called, and then
    plans the way from there to the goal that it had before.

    With a collision monitor each answer waits for its report on the step before; the reaction to
    a contact goes on until the service ``start`` is called. With an admittance each answer waits
    for the external torque. In real time the last report and the last torque hold.
    """

    SECTIONS = {
        'robot': RobotConfig,
        **MOTION_SECTIONS,
        'safety': SafetyConfig,
    }
    FORCE_TOPIC: ClassVar[str] = ''
    """Topic that replaces that of the external torque; a subclass subscribes to it."""
    RUNS_AHEAD: ClassVar[bool] = True
    """Whether in real time setpoints are sent ahead; else one for each control state."""
    SILENCE: ClassVar[str] = ''
    """Consequence if no more torques or wrenches come, where setpoints are not sent ahead."""
    LIVE = LIVE_KEYS | {'safety.timeout'}

    def build(self) -> None:
        """Load the robot; in lockstep, plan from its home, where the motion will begin."""
        self._payload, self.hold = PayloadTopic(self), MotionHold()
        self._model = model = self._payload.model
        graph, topics, names = self.graph, self.topics, model.joint_names
        monitor = self.config(MonitorConfig, 'monitor')
        admittance = self.config(AdmittanceConfig, 'admittance')
        safety = self.config(SafetyConfig, 'safety')
        self.guide = MotionGuide(model, motion_settings(self), safety, realtime=graph.realtime)
        self._goals = goal_queue(self, self.config(GoalListConfig, 'goals').list, graph)
        self._desired = topics.publish_joints(TOPIC, names, FIELDS)
        hear = self._payload.hearing(self.add_input)
        inputs = open_inputs(topics, names, monitor, admittance, self.FORCE_TOPIC, hear)
        self.inputs = InputBuffer(inputs, realtime=graph.realtime, timeout=self._input_timeout)
        self._force_source = self.inputs.force_topic
        self._pace: LockstepMotion | RealtimeMotion = (
            RealtimeMotion(self, graph, runs_ahead=self.RUNS_AHEAD, safety=safety)
            if graph.realtime
            else LockstepMotion(self, graph, model)
        )
        GoalTopics(self, model, self._goals, needs_states=self._pace.sends_ahead)
        topics.resend.sources[TOPIC] = self._pace.resend
        self._safety = SafetyTopic(self, self._on_safety)
        if isinstance(self._pace, RealtimeMotion):
            recorded = self._pace.recorded
            topics.subscription(Header, 'recorded', lambda _: recorded(), EVENTS)
        if not self._pace.sends_ahead:
            self._read_states()
        self.service(Trigger, 'start', self._serve_start)

    def add_input(self, topic: str, stamp: int, value: Any) -> None:
        """Take an external input of the step that ends at a stamp [ns]."""
        self._pace.add_input(topic, stamp, value)

    @property
    def _input_timeout(self) -> int:
        safety = self.config(SafetyConfig, 'safety')
        return self.stamp(safety.timeout_periods(self.graph.period))

    def _read_states(self) -> None:
        """Subscribe to the control states, which the setpoints depend on from now on."""
        names, take = self._model.joint_names, self._payload.before(self._on_state)
        self.topics.subscribe_joints('control_state', names, ('position', 'velocity'), take)

    def _on_state(self, message: DecodedJointState) -> None:
        self._goals.take_state(message)
        self._pace.state(message)

    def begin(self) -> None:
        """Send the beginning of a motion that is sent ahead."""
        self._pace.begin()

    def end(self) -> None:
        """Let goals of the action end: nobody follows them any more."""
        self._goals.followed.close(f'{self.get_name()} is not active any more')

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return the control state that the next answer needs, or its inputs."""
        return self._pace.missing()

    def check_live(self, config: msgspec.Struct) -> None:
        """Refuse an admittance of joints that the robot does not have."""
        if isinstance(config, AdmittanceConfig):
            compliance(config, self._model.joint_names, torque_error=np.zeros(self._model.n))
            now = self.config(AdmittanceConfig, 'admittance')
            if config.dead_zone is None and now.dead_zone is not None:
                raise ConfigError(
                    'admittance.dead_zone: it is taken from the calibration only if it was left '
                    'out from the beginning'
                )

    def apply_live(self) -> None:
        """Take over reaction, admittance, and for how long a torque holds."""
        self.inputs.timeout = self._input_timeout
        self.guide.configure(
            self.config(MonitorConfig, 'monitor'), self.config(AdmittanceConfig, 'admittance')
        )

    # What the pace uses

    def send(self, stamp: int, setpoint: Setpoint) -> None:
        """Send the setpoint of the step that begins at a stamp [ns]."""
        kind = setpoint_kind(setpoint)
        self._desired.send(stamp, *setpoint_arrays(setpoint), frame_id=kind)
        self._goals.take_setpoint(stamp, setpoint)

    def send_again(self, stamp: int) -> bool:
        """Send the setpoint with this stamp [ns] again; return whether it was sent before."""
        return self._desired.send_again(stamp)

    def note_silence(self, topic: str) -> None:
        """Report that nothing comes on the topic of an external input, or, if empty, again."""
        self.publish_diagnostics()
        state = self.SILENCE if topic else 'messages come again'
        self.get_logger().warning(f'{self._force_source}: {state}')

    def note_lateness(self, lateness: LatenessWatch) -> None:
        """Report that the motion goes slower or faster, because of late messages."""
        self.get_logger().warning(f'{lateness}: {lateness.level.name}')
        self._safety.announce('', '', 0, level=lateness.level.name)

    def stop_robot(self, reason: str) -> None:
        """Ask the control simulation to stop the robot."""
        self._safety.announce('stopped', reason, 1)

    def _on_safety(self, status: SafetyStatus) -> None:
        """Give the motion up when the robot was stopped, even if the stop itself was missed."""
        if self.hold.take(status):
            self._goals.interrupt('the robot was stopped')
            self._desired.forget()
            if self._pace.sends_ahead:
                self._pace.sends_ahead = False
                self._read_states()

    async def _serve_start(self, _: Any) -> str:
        return await self._pace.start()

    def report(self) -> Report:
        """Return whether the motion goes on."""
        values = {'kind': self.config(PlannerConfig, 'planner').kind, **self._pace.report()}
        if self.hold.active:
            return Report(DiagnosticStatus.WARN, 'stopped: waits for the service start', values)
        if reaction := self.guide.reaction:
            state = f'collision: {reaction.active}, {reaction.activity}'
            return Report(DiagnosticStatus.WARN, f'{state}; waits for the service start', values)
        return Report(DiagnosticStatus.OK, 'planning', values)


main = main_of(MotionPlannerNode, 'motion_planner')

if __name__ == '__main__':
    raise SystemExit(main())
