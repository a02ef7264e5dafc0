"""The control simulation as a node: setpoints and joint states in, efforts out."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from std_srvs.srv import SetBool

from ..control.config import ControlConfig
from ..control.control_simulation import ControlSimulation
from ..core.errors import SimloopError
from ..core.values import Array, Setpoint
from ..loop.guarded_control import GuardedControl
from ..robot.config import RobotConfig
from ..ros.messages import effort_command
from ..ros.messages.joint_state import DecodedJointState
from ..ros.messages.safety_status import FOLLOWER, NO_CONTROL, SafetyStatus
from ..ros.node.block_node import BlockNode, Report
from ..ros.node.dead_man import DeadMan
from ..ros.node.payload_topic import PayloadTopic
from ..ros.node.process import main_of
from ..ros.node.safety_topic import SafetyTopic, control_heartbeats
from ..ros.pacing.config import DriverConfig
from ..ros.pacing.control_pace import WATCH_SHARE, RealtimeControl
from ..ros.pacing.lockstep_control import LockstepControl
from ..ros.pacing.start_report import WAITING
from ..ros.transport.qos import STREAM_DEPTH
from ..safety.config import SafetyConfig

SECOND_PLANNER = 'desired_joint_states: more than one publisher'


class ControlSimulationNode(BlockNode):
    """000, algorithm 2, over topics; see ``LockstepControl`` and ``RealtimeControl``.

    Every effort leaves through ``command``, behind the gate of ``GuardedControl``. A stop is
    published on ``safety``; the service ``stop`` (false) releases the robot, which then stays
    where it is.
    """

    SECTIONS = {
        'robot': RobotConfig,
        'control': ControlConfig,
        'safety': SafetyConfig,
        'driver': DriverConfig,
    }
    LIVE = frozenset({'safety.stop', 'safety.timeout', 'safety.effort_rate'})

    def build(self) -> None:
        """Create the control simulation behind its gate."""
        self._payload = PayloadTopic(self, announces=True)
        model = self._payload.model
        safety = self.config(SafetyConfig, 'safety')
        graph, topics, names = self.graph, self.topics, model.joint_names
        self._awaited = NO_CONTROL if self.config(DriverConfig, 'driver').topic else ''
        twin = ControlSimulation(model, self.config(ControlConfig, 'control'), graph.period)
        self.control = GuardedControl(twin, graph.period, safety)
        self._pace: LockstepControl | RealtimeControl = (
            RealtimeControl(self, graph, lambda: self.config(SafetyConfig, 'safety'))
            if graph.realtime
            else LockstepControl(self, graph)
        )
        self._effort = topics.publish_joints(effort_command.TOPIC, names, effort_command.FIELDS)
        self._state = topics.publish_joints('control_state', names, effort_command.FIELDS)
        self._safety = SafetyTopic(self, self._on_safety)
        topics.subscribe_joints(
            'joint_states',
            names,
            ('position',),
            self._on_measured,
            STREAM_DEPTH,
            optional=('effort',),
            kind=effort_command.APPLIED,
        )
        self._payload.listen(self._pace.noticed)
        self._setpoints = topics.subscribe_setpoints(names, self._on_setpoint)
        self.service(SetBool, 'stop', self._serve_stop)
        self._heartbeats = control_heartbeats(self, safety)
        self._dead_man = DeadMan(self, safety, self.control, self.stop_robot, self._release)

    def begin(self) -> None:
        """Publish the safety status and the control state."""
        self._announce()
        self._pace.begin()
        if isinstance(self._pace, RealtimeControl):
            self.get_logger().info(self.config(ControlConfig, 'control').words)
            self.every(WATCH_SHARE * self.graph.period, self._pace.watch)
            logger, topic = self.get_logger(), self.resolve_topic_name('joint_states')
            tell = partial(self._pace.tell, topic, logger.info, logger.error)
            self.every(0.5 * WAITING, tell)
            self._dead_man.begin()

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop the robot: it will be elsewhere when the node is active again."""
        if self.graph.realtime:
            self.stop_robot('control is not active')
        return super().on_deactivate(state)

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return what the present step waits for."""
        return self._pace.missing() if isinstance(self._pace, LockstepControl) else ()

    def gaps(self) -> Iterable[tuple[str, int]]:
        """Return what got lost."""
        return self._pace.gaps() if isinstance(self._pace, LockstepControl) else ()

    def apply_live(self) -> None:
        """Take over how the robot is stopped, and when."""
        self.control.configure(self.config(SafetyConfig, 'safety'))

    # What the pace uses

    def command(self, stamp: int, setpoint: Setpoint, age: float = 0.0) -> None:
        """Take a step towards a setpoint and send its effort."""
        self._payload.at(stamp)
        stops = self.control.stops
        desired, command = setpoint.position, self.control.step(setpoint, age)
        kind = effort_command.command_kind(setpoint, command, bool(self.control.stopped))
        self._effort.send(stamp, desired, command.velocity, command.effort, frame_id=kind)
        if self.control.stops != stops:
            self._announce()

    def publish_state(self, stamp: int, effort: Array) -> None:
        """Publish the control state and the effort that explains it [N m], shape ``(n,)``."""
        state = self.control.state
        self._state.send(stamp, state.position, state.velocity, effort)
        self._heartbeats.check()

    def stop_robot(self, reason: str) -> None:
        """Stop the robot and announce the reason."""
        if not self.control.stopped:
            self.control.stop(reason)
            self._announce()

    def request(self, topic: str, stamp: int) -> None:
        """Request a message, in lockstep."""
        self.topics.resend.request(topic, stamp)

    def _on_measured(self, message: DecodedJointState) -> None:
        if not self._awaited:
            self._pace.measured(message)

    def _on_setpoint(self, message: DecodedJointState) -> None:
        if self.graph.realtime and self._setpoints.publishers > 1:
            self.stop_robot(SECOND_PLANNER)
        self._pace.desired(message)

    def _announce(self) -> None:
        control, due = self.control, self._pace.due
        self._safety.announce('stopped', control.stopped, control.stops, control.diverged, due)

    def _on_safety(self, status: SafetyStatus) -> None:
        self._pace.take_safety(status)
        if status.stopped:
            self.stop_robot(f'{status.source}: {status.stopped}')
        if status.source == FOLLOWER:
            self._awaited = status.state

    def _serve_stop(self, request: Any) -> str:
        if request.data:
            self.stop_robot('requested by service')
            return f'stopped: {self.control.stopped}'
        if not self.control.stopped:
            raise SimloopError('not stopped')
        self._release()
        return 'released: the robot stays where it is until the service start of its planner'

    def _release(self) -> None:
        if self.graph.realtime and self._setpoints.publishers > 1:
            raise SimloopError(SECOND_PLANNER)
        self._dead_man.check()
        self._pace.release()
        self.control.release()
        self._heartbeats.restart()
        self._effort.forget()
        self._announce()

    def report(self) -> Report:
        """Return whether the robot is stopped, and how timely everything is."""
        control = self.control
        values = {'stops': control.stops, FOLLOWER: self._awaited, **self._pace.report()}
        values['steps at an effort limit'] = control.control.saturations
        if isinstance(self._pace, RealtimeControl) and (refusal := self._pace.refusal):
            return Report(DiagnosticStatus.ERROR, f'not started: {refusal}', values)
        if control.stopped:
            return Report(DiagnosticStatus.ERROR, f'stopped: {control.stopped}', values)
        if self._heartbeats.fault:
            return Report(DiagnosticStatus.WARN, self._heartbeats.fault, values)
        return Report(DiagnosticStatus.OK, 'running', values)


main = main_of(ControlSimulationNode, 'control_simulation')

if __name__ == '__main__':
    raise SystemExit(main())
