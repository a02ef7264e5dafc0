"""The control simulation as a node: desired positions and joint states in, efforts out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from sensor_msgs.msg import JointState as JointStateMessage
from std_msgs.msg import Header
from std_srvs.srv import SetBool

from ..assembly.run import load_fit_robot
from ..control.config import ControlConfig
from ..control.control_simulation import ControlSimulation
from ..core.errors import SimloopError, UnsafeCommandError
from ..core.values import Array, Setpoint
from ..loop.guarded_control import GuardedControl
from ..robot.model import RobotConfig
from ..ros.messages.safety_status import TOPIC, SafetyStatus, from_message, to_message
from ..ros.messages.setpoint import NEEDED, OPTIONAL
from ..ros.node.block_node import BlockNode, Report
from ..ros.node.heartbeat import Heartbeat
from ..ros.node.process import main_of
from ..ros.pacing.driver_output import DriverConfig, DriverOutput
from ..ros.pacing.lockstep_control import LockstepControl
from ..ros.pacing.realtime_control import WATCH, RealtimeControl
from ..ros.transport.qos import LATCHED, LATCHED_READER, STREAM_DEPTH
from ..safety.config import SafetyConfig

NAME = 'control_simulation'
RECORDER_SILENCE = 0.6
"""Time after which a recorder that was there counts as dead [s]: three of its messages."""
SILENT = 'nothing any more; its node is dead or busy'


class ControlSimulationNode(BlockNode):
    """000, algorithm 2, over topics; see ``LockstepControl`` and ``RealtimeControl``.

    Every effort leaves through ``command``, behind the gate of ``GuardedControl``. A stop is told
    on ``safety``; the service ``stop`` (false) releases the robot, which then stays where it is.
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
        model = load_fit_robot(self.config(RobotConfig, 'robot'))
        period, realtime = self.graph.period, self.graph.realtime
        self.control = GuardedControl(
            ControlSimulation(model, self.config(ControlConfig, 'control'), period),
            period,
            self.config(SafetyConfig, 'safety'),
        )
        self._pace: LockstepControl | RealtimeControl = (
            RealtimeControl(self, self.graph, lambda: self.config(SafetyConfig, 'safety').timeout)
            if realtime
            else LockstepControl(self, self.graph)
        )
        names = model.joint_names
        all_fields = ('position', 'velocity', 'effort')
        self._effort = self.publish_joints('effort_command', names, all_fields)
        self._state = self.publish_joints('control_state', names, all_fields)
        driver = self.config(DriverConfig, 'driver')
        self._driver = DriverOutput(self, model, driver) if driver.topic else None
        self._safety = self.publisher(DiagnosticStatus, TOPIC, LATCHED)
        self.subscription(DiagnosticStatus, TOPIC, self._on_safety, LATCHED_READER)
        # In real time only the last state counts.
        depth = 1 if realtime else STREAM_DEPTH
        self.subscribe_joints('joint_states', names, ('position',), self._pace.measured, depth)
        self.subscribe_joints(
            'desired_joint_states', names, NEEDED, self._pace.desired, optional=OPTIONAL
        )
        self.service(SetBool, 'stop', self._serve_stop)
        self._heartbeats = self._listen_for_others() if realtime and not self.bus else []

    def _listen_for_others(self) -> list[Heartbeat]:
        """Listen whether those are there who do not move the robot."""
        timeout = self.config(SafetyConfig, 'safety').timeout
        recorder = max(timeout, round(RECORDER_SILENCE / self.graph.period))
        return [
            Heartbeat(self, JointStateMessage, 'external_torque', timeout - 1),
            Heartbeat(self, Header, 'recorded', recorder),
        ]

    def begin(self) -> None:
        """Say whether the robot may move, and where the simulation is."""
        self._announce()
        self._pace.begin()
        if isinstance(self._pace, RealtimeControl):
            self.every(WATCH * self.graph.period, self._pace.watch)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop the robot: who is active again later finds it elsewhere, and needs a release."""
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

    # The ways out: ControlPort

    def command(self, stamp: int, wanted: Setpoint, age: float = 0.0) -> None:
        """Take a step as it is wanted and send its effort.

        :param stamp: of the state that it starts from [ns].
        :param age: of that state [s].
        """
        stops = self.control.stops
        desired = wanted.position
        command = (
            self.control.step(desired, age, wanted.restart)
            if wanted.effort is None
            else self.control.step_effort(wanted.effort, age)
        )
        self._effort.send(stamp, desired, command.velocity, command.effort)
        if self._driver:
            try:
                self._driver.send(self.control.state.position, desired, command.effort)
            except UnsafeCommandError as error:
                self.control.stop(str(error))
        if self.control.stops != stops:
            self._announce()

    def tell_state(self, stamp: int, effort: Array) -> None:
        """Send the control state and the effort that explains it [N m], shape ``(n,)``."""
        state = self.control.state
        self._state.send(stamp, state.position, state.velocity, effort)
        for heartbeat in self._heartbeats:
            if heartbeat.look():
                self._publish_diagnostics()
                self.get_logger().warning(
                    f'{heartbeat.topic}: {SILENT if heartbeat.silent else "comes again"}'
                )

    def stop_robot(self, reason: str) -> None:
        """Stop, and say why."""
        if not self.control.stopped:
            self.control.stop(reason)
            self._announce()

    def ask(self, topic: str, stamp: int) -> None:
        """Ask for a message, in lockstep."""
        self.resend.ask(topic, stamp)

    # Stop and release

    def _announce(self) -> None:
        control = self.control
        if control.stopped:
            self.get_logger().error(f'stopped: {control.stopped}', throttle_duration_sec=0.1)
        status = SafetyStatus(
            self.get_name(), control.stopped, control.stops, control.diverged, self._pace.due
        )
        self._safety.publish(to_message(status))

    def _on_safety(self, message: DiagnosticStatus) -> None:
        status = from_message(message)
        if self.active and status and status.stopped and status.source != self.get_name():
            self.stop_robot(f'{status.source}: {status.stopped}')

    def _serve_stop(self, request: Any) -> str:
        if request.data:
            self.stop_robot('asked for by service')
            return f'stopped: {self.control.stopped}'
        if not self.control.stopped:
            raise SimloopError('not stopped')
        self._pace.release()
        self.control.release()
        for heartbeat in self._heartbeats:
            heartbeat.forget()
        self._effort.forget()
        self._announce()
        return 'released: the robot stays where it is until the service start of its planner'

    def report(self) -> Report:
        """Return whether the robot is stopped, and how timely everything is."""
        control = self.control
        values = {
            'stops': control.stops,
            'steps at an effort limit': control.control.saturations,
            **self._pace.report(),
        }
        if control.stopped:
            return Report(DiagnosticStatus.ERROR, f'stopped: {control.stopped}', values)
        silent = [heartbeat.topic for heartbeat in self._heartbeats if heartbeat.silent]
        if silent:
            return Report(DiagnosticStatus.WARN, f'{", ".join(silent)}: {SILENT}', values)
        return Report(DiagnosticStatus.OK, 'running', values)


main = main_of(ControlSimulationNode, NAME)

if __name__ == '__main__':
    raise SystemExit(main())
