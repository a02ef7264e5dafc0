"""The plant as a node: efforts in, joint states out; a robot's driver takes its place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from std_msgs.msg import Header
from std_srvs.srv import SetBool, Trigger

from ..assembly.plant import build_simulated_robot
from ..core.errors import MessageError, SimloopError, UnsafeCommandError
from ..core.values import Array
from ..plants.config import PlantConfig
from ..robot.config import RobotConfig
from ..ros.messages.arrays import wrench_from_message
from ..ros.messages.markers import MARKER_PERIOD
from ..ros.messages.safety_status import CONTROL, SafetyStatus
from ..ros.messages.stamps import join
from ..ros.node.block_node import BlockNode, Report
from ..ros.node.payload_topic import PayloadTopic
from ..ros.node.plant_topics import PlantTopics, open_stream
from ..ros.node.process import main_of
from ..ros.node.safety_topic import SafetyTopic
from ..ros.pacing.braked_plant import BrakedPlant
from ..ros.pacing.config import PublishConfig, RandomConfig
from ..ros.pacing.plant_pace import LockstepPlant, RealtimePlant
from ..ros.pacing.position_stream import StreamConfig
from ..ros.transport.qos import EVENTS
from ..safety.config import SafetyConfig

LARGEST_EFFORT = 'largest effort [share of limit]'
"""Diagnostics: of what motors and brakes applied so far, without external wrenches."""


class PlantNode(BlockNode):
    """000, algorithm 3, over topics, with brakes; see ``LockstepPlant`` and ``RealtimePlant``.

    A command that the gate refuses, a second publisher of commands, and a stop of the control
    simulation or its silence engage the brakes; a release of the control simulation releases them.
    With a ``stream`` it is the surrogate of a robot that takes positions, see ``PositionStream``.
    """

    SECTIONS = {
        'robot': RobotConfig,
        'plant': PlantConfig,
        'safety': SafetyConfig,
        'publish': PublishConfig,
        'random': RandomConfig,
        'stream': StreamConfig,
    }
    LIVE = frozenset({'safety.stop', 'safety.timeout'})

    def build(self) -> None:
        """Create the simulated robot, at rest at its home."""
        self._payload, graph, topics = PayloadTopic(self), self.graph, self.topics
        model, publish = self._payload.model, self.config(PublishConfig, 'publish')
        config, safety = self.config(PlantConfig, 'plant'), self.config(SafetyConfig, 'safety')
        seed = self.config(RandomConfig, 'random').seed
        built = build_simulated_robot(config, model, graph.period, seed, safety, picks_up=True)
        self._payload.simulate(built.carrying)
        for note in built.notes:
            self.get_logger().warning(note)
        self._engine = built.engine
        self.at_cleanup(built.plant.close)
        self.plant = BrakedPlant(built.plant, model, graph.period, safety)
        stream = open_stream(self, model, self.config(StreamConfig, 'stream'))
        self._pace: LockstepPlant | RealtimePlant = (
            RealtimePlant(self, graph, self._timeout, stream)
            if graph.realtime
            else LockstepPlant(self, graph)
        )
        self._outputs = PlantTopics(self, config, publish, model, self.plant)
        self._safety = SafetyTopic(self, self._on_safety)
        topics.subscription(Header, 'recorded', self._on_recorded, EVENTS)
        topics.subscription(WrenchStamped, 'external_wrench', self._on_wrench, EVENTS)
        self.service(Trigger, 'reset', self._serve_reset)
        self.service(SetBool, 'pause', self._serve_pause)
        self.service(Trigger, 'step', self._serve_step)
        self._commands = topics.subscribe_joints(
            'effort_command',
            model.joint_names,
            ('effort',),
            self._pace.command,
            on_refusal=self.engage,
            optional=('position',),
        )
        if isinstance(self._pace, RealtimePlant):
            topics.subscribe_setpoints(model.joint_names, self._pace.desired)

    def _timeout(self) -> int:
        return self.config(SafetyConfig, 'safety').timeout_periods(self.graph.period)

    def apply_live(self) -> None:
        """Take over how old a command may be, and how to stop."""
        self.plant.configure(self.config(SafetyConfig, 'safety'))

    def begin(self) -> None:
        """Publish the description, the safety status and the initial state."""
        self._outputs.begin()
        self._announce()
        self.every(MARKER_PERIOD, self._outputs.send_markers)
        if isinstance(self._pace, RealtimePlant):
            self._pace.begin(self.get_clock().now().nanoseconds)
            self.every(self.graph.period, self._pace.tick)
        else:
            self._pace.begin()

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return the command that is due."""
        return self._pace.missing() if isinstance(self._pace, LockstepPlant) else ()

    # What the pace uses

    def accepts(self, effort: Array, age: float) -> bool:
        """Return whether a command may be applied; if not, the brakes are engaged."""
        if self._commands.publishers > 1:
            self.engage('effort_command: more than one publisher')
            return False
        try:
            self.plant.check(effort, age)
        except UnsafeCommandError as error:
            self.refuse(f'effort_command: {error}')
            self.engage(str(error))
            return False
        return True

    def publish(self, stamp: int) -> None:
        """Publish the present state with a stamp [ns]."""
        self._outputs.send(stamp)
        self._payload.at(stamp)

    def engage(self, reason: str) -> None:
        """Engage the brakes and announce it."""
        if self.plant.engage(reason):
            self._announce()

    def _on_recorded(self, message: Header) -> None:
        if self.active and isinstance(self._pace, LockstepPlant):
            self._pace.recorded(join(message.stamp))

    def _on_wrench(self, message: WrenchStamped) -> None:
        try:
            self.plant.wrench.apply(message.header.frame_id, wrench_from_message(message))
        except MessageError as error:
            self.refuse(str(error))

    def _announce(self) -> None:
        plant, paused = self.plant, self._pace.paused
        self._safety.announce('brakes engaged', plant.engaged, plant.stops, paused=paused)

    def _on_safety(self, status: SafetyStatus) -> None:
        if status.stopped:
            self.engage(f'{status.source}: {status.stopped}')
        elif self.plant.engaged and status.source == CONTROL and status.stops:  # a release
            self._pace.release()
            self._announce()

    def _serve_reset(self, _: Any) -> str:
        if not self.plant.engaged:
            raise SimloopError('only while the brakes hold: call control_simulation/stop first')
        return self._pace.rest()

    def _serve_pause(self, request: Any) -> str:
        self._pace.pause(bool(request.data))
        self._announce()  # the others wait for it
        return 'paused' if self._pace.paused else 'going on'

    def _serve_step(self, _: Any) -> str:
        if not self._pace.paused:
            raise SimloopError('only while it is paused: call pause first')
        self._pace.step_once()
        return f'{self._pace.steps} steps'

    def report(self) -> Report:
        """Return whether the brakes are engaged, and how timely the commands are."""
        pace, plant = self._pace, self.plant
        values = {
            'engine': self._engine,
            'steps': pace.steps,
            'stops': plant.stops,
            LARGEST_EFFORT: f'{plant.effort_share:.6g}',
            **pace.report(),
        }
        if not pace.started:
            return Report(DiagnosticStatus.WARN, 'waiting for the position of the robot', values)
        if plant.engaged:
            return Report(DiagnosticStatus.ERROR, f'brakes engaged: {plant.engaged}', values)
        if pace.waits_for_recorder and not pace.paused:
            return Report(DiagnosticStatus.WARN, 'waiting for the recorder', values)
        return Report(DiagnosticStatus.OK, 'paused' if pace.paused else 'running', values)


main = main_of(PlantNode, 'plant')

if __name__ == '__main__':
    raise SystemExit(main())
