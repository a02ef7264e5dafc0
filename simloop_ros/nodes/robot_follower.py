"""The node beside a driver that holds its last command for ever: it lets the robot stop."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus

from ..control.config import ControlConfig
from ..core.errors import ConfigError, UnsafeCommandError
from ..core.values import Array
from ..robot.config import RobotConfig
from ..ros.driver.command_output import command_output
from ..ros.driver.controller_switch import STATES, ControllerSwitch, ask_manager
from ..ros.messages import effort_command
from ..ros.messages.notice import COLLISION, Notice
from ..ros.messages.notice import from_message as notice_from_message
from ..ros.messages.safety_status import CONTROL, FOLLOWER, NO_CONTROL, NO_DRIVER, SafetyStatus
from ..ros.node.block_node import BlockNode, Report
from ..ros.node.payload_topic import PayloadTopic
from ..ros.node.process import main_of
from ..ros.node.safety_topic import SafetyTopic
from ..ros.pacing.config import DriverConfig
from ..ros.pacing.driver_pace import RealtimeDriver
from ..ros.pacing.driver_robot import build_driven_robot
from ..safety.config import SafetyConfig


class RobotFollowerNode(BlockNode):
    """Efforts and joint states in, the commands of a driver out; see ``RealtimeDriver``.

    It is a process of its own beside the driver, so that whatever happens to the other nodes the
    robot comes to rest. A command that the gate refuses, a second publisher of commands, and a
    stop of the control simulation or its silence stop the robot; a release of the control
    simulation releases it. When the process shall end, the robot comes to rest first. Where the
    driver's controllers are switched, the robot is held until control begins, and given back last.
    """

    SECTIONS = {
        'robot': RobotConfig,
        'control': ControlConfig,
        'safety': SafetyConfig,
        'driver': DriverConfig,
    }
    LIVE = frozenset({'safety.stop', 'safety.timeout', 'safety.effort_rate'})

    def build(self) -> None:
        """Create what stops the robot."""
        payload = PayloadTopic(self)
        model = payload.model
        driver, topics = self.config(DriverConfig, 'driver'), self.topics
        if not driver.topic:
            raise ConfigError('driver.topic: the topic on which the driver takes its commands')
        self._output = command_output(topics, driver, model, self.get_clock())
        self._ready, self._calm, self._told = False, False, ''
        self.robot = build_driven_robot(
            model,
            self.graph.period,
            self.config(SafetyConfig, 'safety'),
            driver,
            self.config(ControlConfig, 'control').bandwidth,
            self._output.send,
        )
        switched = bool(driver.controllers.ours)
        ask = ask_manager(self, driver.controllers.manager) if switched else lambda *_: None
        self._switch = ControllerSwitch(driver.controllers, ask)
        self._pace = RealtimeDriver(self, self.graph, self._timeout, holds=switched)
        self._safety = SafetyTopic(self, self._on_safety)
        payload.listen()
        topics.subscribe_arrays(COLLISION, notice_from_message, self._on_notice)
        names = model.joint_names
        measured = payload.before(self._pace.measured)
        topics.subscribe_joints('joint_states', names, ('position',), measured)
        topics.subscribe_setpoints(names, self._pace.desired)
        self._commands = topics.subscribe_joints(
            effort_command.TOPIC,
            names,
            ('effort',),
            self._pace.command,
            on_refusal=self.engage,
            optional=('position',),
        )

    def _timeout(self) -> int:
        return self.config(SafetyConfig, 'safety').timeout_periods(self.graph.period)

    def apply_live(self) -> None:
        """Take over which commands may pass."""
        self.robot.configure(self.config(SafetyConfig, 'safety'))

    def begin(self) -> None:
        """Publish the safety status, and watch the joint states."""
        self._announce()
        self.every(self.graph.period, self._watch)

    def leave(self) -> bool:
        """Bring the robot to rest; return whether it is."""
        return not self.active or (self._pace.leave() and self._switch.give_back())

    def end(self) -> None:
        """Ask for no motion: the driver will hold that."""
        self._pace.stand()
        if self._switch.fault:
            self.get_logger().error(self._switch.fault)

    def _watch(self) -> None:
        """Watch the joint states; take the robot from its own controller, once it is known.

        Until control and the driver are connected with this node, nothing begins: what is sent
        before would be lost, and the robot would have to catch up with it.
        """
        self._pace.watch()
        if self._switch.owner in ('robot', 'taking') and self._pace.known:
            self._switch.take()
            if self._switch.fault:
                self.engage(self._switch.fault)
        if self._state != self._told:
            self._announce()

    @property
    def _state(self) -> str:
        """Return why control may not begin yet, or any more; empty if it may."""
        driver, control = self._output.connected, bool(self._commands.publishers)
        self._ready = self._ready or (driver and control)
        if not self._ready:
            return NO_CONTROL if driver else NO_DRIVER
        return STATES[self._switch.owner]

    def _on_notice(self, _: int, notice: Notice) -> None:
        self.robot.feel(notice.contact or notice.kind != 'none')

    # What the pace uses

    def accepts(self, effort: Array, age: float) -> bool:
        """Return whether a command may be applied; if not, the robot is stopped."""
        if self._switch.owner != 'ours':
            return False
        if self._commands.publishers > 1:
            self.engage('effort_command: more than one publisher')
            return False
        try:
            self.robot.check(effort, age)
        except UnsafeCommandError as error:
            self.refuse(f'effort_command: {error}')
            self.engage(str(error))
            return False
        return True

    def engage(self, reason: str) -> None:
        """Stop the robot and announce it."""
        if self.robot.engage(reason):
            self._calm = False
            self._announce()

    def hold(self, reason: str) -> None:
        """Hold a robot that stands still and is not commanded any more: no motion is stopped.

        So ends every run, with the process of control.
        """
        if self.robot.engage(reason):
            self._calm = True
            self._announce()

    def _announce(self) -> None:
        robot, calm, self._told = self.robot, self._calm, self._state
        event = 'robot held where it stands' if calm else 'robot stopped'
        self._safety.announce(event, robot.engaged, robot.stops, state=self._told, calm=calm)

    def _on_safety(self, status: SafetyStatus) -> None:
        if status.stopped:
            self.engage(f'{status.source}: {status.stopped}')
        elif self.robot.engaged and status.source == CONTROL and status.stops:
            # A release; the first status of a controller is none.
            self._pace.release()
            self._announce()

    def report(self) -> Report:
        """Return whether the robot is stopped, and how timely the commands are."""
        values = {'stops': self.robot.stops, **self._pace.report()}
        if self.robot.engaged:
            return Report(DiagnosticStatus.ERROR, f'stopped: {self.robot.engaged}', values)
        if state := self._state:
            return Report(DiagnosticStatus.WARN, state, values)
        return Report(DiagnosticStatus.OK, 'running', values)


main = main_of(RobotFollowerNode, FOLLOWER)

if __name__ == '__main__':
    raise SystemExit(main())
