"""The real-time graph of a scenario on a virtual clock: the nodes' own pacing objects, no ROS."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

import msgspec

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.motion import MotionSettings
from simloop_ros.assembly.plant import build_simulated_robot
from simloop_ros.collision.detector import Detection, build_detector
from simloop_ros.collision.wrist_torque import WristTorque
from simloop_ros.control.control_simulation import ControlSimulation
from simloop_ros.core.errors import MessageError, UnsafeCommandError
from simloop_ros.core.values import Array, PlantReport, Setpoint
from simloop_ros.loop.guarded_control import GuardedControl
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.ros.messages.effort_command import applied_kind, command_kind
from simloop_ros.ros.messages.joint_state import ABSENT, DecodedJointState
from simloop_ros.ros.messages.notice import COLLISION, Notice
from simloop_ros.ros.messages.safety_status import CONTROL, SafetyStatus
from simloop_ros.ros.messages.setpoint import setpoint_arrays, setpoint_kind
from simloop_ros.ros.messages.wrists import WRENCHES, by_hand
from simloop_ros.ros.node.inputs import TORQUE_TOPICS
from simloop_ros.ros.pacing.braked_plant import BrakedPlant
from simloop_ros.ros.pacing.config import GraphConfig
from simloop_ros.ros.pacing.control_pace import WATCH_SHARE, RealtimeControl
from simloop_ros.ros.pacing.input_buffer import InputBuffer
from simloop_ros.ros.pacing.lateness_watch import LatenessWatch
from simloop_ros.ros.pacing.motion_guide import MotionGuide
from simloop_ros.ros.pacing.motion_hold import MotionHold
from simloop_ros.ros.pacing.motion_pace import RealtimeMotion
from simloop_ros.ros.pacing.plant_pace import RealtimePlant
from simloop_ros.ros.pacing.rows import RowJoiner
from simloop_ros.ros.pacing.step_monitor import GapFiller, StepMonitor
from simloop_ros.ros.transport.qos import RECORD_DEPTH
from simloop_ros.scenario.scenario import Scenario

from .virtual_time import NANO, VirtualProcess, VirtualTime, VirtualTopic

EPOCH = 1_700_000_000 * NANO
"""First stamp: as many digits as today's."""
NODES = ('plant', 'control_simulation', 'planner', 'collision_monitor')
STEPPING = {
    ('plant', 'tick'): 60_000,
    ('control_simulation', 'joint_states'): 80_000,
    ('planner', 'control_state'): 100_000,
    ('collision_monitor', 'control_state'): 60_000,
}
"""CPU time of a node for what makes it step [ns]."""
EVENT_TOPICS = ('safety', COLLISION)
"""Reliable, with a queue: DDS sends again what got lost. Of a stream only the last message counts,
and one that got lost is not waited for."""
LATENCY = 20_000
"""Time that a message takes [ns]."""
READING = 10_000
"""CPU time for any other message [ns]."""


class StepTruth(msgspec.Struct, frozen=True):
    """What the robot did in a step: the effort of motors or brakes, and the plant's report."""

    effort: Array
    report: PlantReport


class VirtualGraph:
    """A scenario whose robot does not wait, in virtual time.

    :param processes: of each of ``NODES``; the same object where several share a process.
    :param delay: returns how long a message takes [ns], or ``None`` if it is lost.
    :ivar truth: every step of the robot since the first command.
    :ivar stops: every stop and engaged brake: time [s], node, reason.
    :ivar stopped_at: number of steps before the first stop; none without a stop.
    """

    def __init__(
        self,
        scenario: Scenario,
        processes: Mapping[str, VirtualProcess],
        delay: Callable[[], int | None] = lambda: LATENCY,
    ):
        self.scenario = scenario
        self.time = VirtualTime()
        self.model = load_fit_robot(scenario.robot)
        self.processes = processes
        self.graph = GraphConfig(period=scenario.period, realtime=True)
        self.truth: list[StepTruth] = []
        self.stops: list[tuple[float, str, str]] = []
        self._topics: dict[str, VirtualTopic] = {}
        self._delay = delay
        self.plant = VirtualPlant(self)
        self.control = VirtualControl(self)
        self.planner = VirtualPlanner(self)
        self.monitor = VirtualMonitor(self)
        for node in (self.planner, self.control, self.plant):
            node.begin()

    def topic(self, name: str) -> VirtualTopic:
        """Return a topic by its name."""
        if name not in self._topics:
            delay = (lambda: LATENCY) if name in EVENT_TOPICS else self._delay
            self._topics[name] = VirtualTopic(self.time, delay)
        return self._topics[name]

    def subscribe(
        self, topic: str, node: str, call: Callable[..., Any], *, last_only: bool = True
    ) -> None:
        """Subscribe a node to a topic; it takes messages that it can use."""

        def take(*content: Any) -> None:
            try:
                call(*content)
            except MessageError:
                self.refused += 1

        composed = len({id(process) for process in self.processes.values()}) == 1
        cost = STEPPING.get((node, topic), READING)
        self.topic(topic).subscribe(
            self.processes[node], take, cost, last_only=last_only and not composed
        )

    refused = 0
    stopped_at: int | None = None

    def announce(self, status: SafetyStatus) -> None:
        """Publish a safety status."""
        if status.stopped:
            if self.stopped_at is None:
                self.stopped_at = len(self.truth)
            self.stops.append((self.time.now / NANO, status.source, status.stopped))
        self.topic('safety').send(status)

    def close(self) -> None:
        """Release what the plant holds outside Python."""
        self.plant.plant.plant.close()

    def run(self, steps: int) -> None:
        """Go on until the robot has taken some steps since its first command."""
        limit = self.time.now + round((2 * steps * self.scenario.period + 5) * NANO)
        self.time.run(limit, lambda: len(self.truth) >= steps)


class _RecordedPlant(BrakedPlant):
    """The plant, and what it did in each step."""

    sink: list[StepTruth]

    def step(self, effort: Array | None) -> None:
        super().step(effort)
        self.sink.append(StepTruth(self.applied, self.plant.report()))


class VirtualPlant:
    """The plant's node."""

    def __init__(self, graph: VirtualGraph):
        scenario, model = graph.scenario, graph.model
        self._graph = graph
        built = build_simulated_robot(
            scenario.plant_in_world, model, scenario.period, scenario.seed, scenario.safety
        )
        recorded = _RecordedPlant(built.plant, model, scenario.period, scenario.safety)
        recorded.sink = graph.truth
        self.plant: BrakedPlant = recorded
        timeout = scenario.safety.timeout_periods(scenario.period)
        self.pace = RealtimePlant(self, graph.graph, lambda: timeout, clock=graph.time.clock)
        graph.subscribe('effort_command', 'plant', self.pace.command)
        graph.subscribe('desired_joint_states', 'plant', self.pace.desired, last_only=False)
        graph.subscribe('safety', 'plant', self._on_safety, last_only=False)
        self._by_truth = scenario.admittance.source == 'truth'

    def begin(self) -> None:
        """Start the steps."""
        graph = self._graph
        self.pace.begin(EPOCH)
        graph.time.every(
            round(graph.scenario.period * NANO),
            graph.processes['plant'],
            self.pace.tick,
            STEPPING['plant', 'tick'],
        )

    def accepts(self, effort: Array, age: float) -> bool:
        """Return whether the gate lets a command pass."""
        try:
            self.plant.check(effort, age)
        except UnsafeCommandError as error:
            self.engage(str(error))
            return False
        return True

    def publish(self, stamp: int) -> None:
        """Publish the present state."""
        graph, plant = self._graph, self.plant.plant
        applied = self.plant.take_applied()
        kind = applied_kind(applied.steps)
        state = DecodedJointState(stamp, plant.observe(), ABSENT, applied.effort, kind)
        graph.topic('joint_states').send(state)
        report = plant.report()
        if self._by_truth:
            graph.topic(TORQUE_TOPICS['truth']).send(
                DecodedJointState(stamp, ABSENT, ABSENT, report.external)
            )
        if report.wrenches is not None:
            graph.topic(WRENCHES).send(
                DecodedJointState(stamp, ABSENT, ABSENT, report.wrenches.ravel())
            )

    def engage(self, reason: str) -> None:
        """Engage the brakes."""
        if self.plant.engage(reason):
            self._graph.announce(SafetyStatus('plant', reason, self.plant.stops))

    def _on_safety(self, status: SafetyStatus) -> None:
        if status.source == CONTROL and status.stopped:
            self.engage(f'{status.source}: {status.stopped}')


class VirtualControl:
    """The control simulation's node."""

    def __init__(self, graph: VirtualGraph):
        scenario, model = graph.scenario, graph.model
        self._graph = graph
        self.config = config = scenario.control.resolved(
            noisy=scenario.plant.encoder_error > 0.0,
            realtime=True,
            flexible=scenario.plant.flexible_joints,
        )
        self.control = GuardedControl(
            ControlSimulation(model, config, scenario.period), scenario.period, scenario.safety
        )
        self.pace = RealtimeControl(
            self, graph.graph, lambda: scenario.safety, clock=graph.time.clock
        )
        graph.subscribe('joint_states', 'control_simulation', self.pace.measured, last_only=False)
        graph.subscribe(
            'desired_joint_states', 'control_simulation', self.pace.desired, last_only=False
        )
        graph.subscribe('safety', 'control_simulation', self._on_safety, last_only=False)

    def begin(self) -> None:
        """Announce that it is there, and watch the others."""
        graph = self._graph
        graph.announce(SafetyStatus(CONTROL, '', 0))
        period = round(WATCH_SHARE * graph.scenario.period * NANO)
        graph.time.every(period, graph.processes['control_simulation'], self.pace.watch)

    def command(self, stamp: int, setpoint: Setpoint, age: float = 0.0) -> None:
        """Take a step towards a setpoint and send its effort."""
        stops = self.control.stops
        command = self.control.step(setpoint, age)
        kind = command_kind(setpoint, command, bool(self.control.stopped))
        message = DecodedJointState(
            stamp, setpoint.position, command.velocity, command.effort, kind
        )
        self._graph.topic('effort_command').send(message)
        if self.control.stops != stops:
            self._announce()

    def publish_state(self, stamp: int, effort: Array) -> None:
        """Publish the control state."""
        state = self.control.state
        self._graph.topic('control_state').send(
            DecodedJointState(stamp, state.position, state.velocity, effort)
        )

    def stop_robot(self, reason: str) -> None:
        """Stop the robot and announce the reason."""
        if not self.control.stopped:
            self.control.stop(reason)
            self._announce()

    def request(self, topic: str, stamp: int) -> None:
        """Do nothing: in real time nothing is requested."""

    def _announce(self) -> None:
        control = self.control
        self._graph.announce(
            SafetyStatus(CONTROL, control.stopped, control.stops, control.diverged)
        )

    def _on_safety(self, status: SafetyStatus) -> None:
        if status.source != CONTROL and status.stopped:
            self.stop_robot(f'{status.source}: {status.stopped}')


class VirtualPlanner:
    """The node of a motion planner, of an admittance or of two hands."""

    def __init__(self, graph: VirtualGraph):
        scenario, model = graph.scenario, graph.model
        self._graph = graph
        settings = msgspec.structs.replace(
            MotionSettings.of(scenario),
            compliance=graph.control.config.compliance(scenario.period),
        )
        self.guide = MotionGuide(model, settings, scenario.safety, realtime=True)
        self.hold = MotionHold()
        bimanual = scenario.planner.kind == 'bimanual'
        guided = scenario.admittance.guides or scenario.planner.kind == 'guiding'
        topics = ([COLLISION] if scenario.monitor.watches else []) + (
            [WRENCHES]
            if bimanual
            else [TORQUE_TOPICS[scenario.admittance.source]]
            if scenario.monitor.watches or scenario.admittance.guides
            else []
        )
        timeout = round(scenario.safety.timeout_periods(scenario.period) * scenario.period * NANO)
        self.inputs = InputBuffer(topics, realtime=True, timeout=timeout)
        self.pace = RealtimeMotion(
            self,
            graph.graph,
            runs_ahead=not (bimanual or guided),
            safety=scenario.safety,
            clock=graph.time.clock,
        )
        self.levels: list[str] = []
        graph.subscribe('control_state', 'planner', self.pace.state)
        graph.subscribe('safety', 'planner', self.hold.take, last_only=False)
        for topic in topics:
            graph.subscribe(topic, 'planner', self._taker(topic), last_only=topic != COLLISION)

    def begin(self) -> None:
        """Do nothing: the first control state begins the motion."""

    def _taker(self, topic: str) -> Callable[..., None]:
        if topic == COLLISION:
            return lambda stamp, notice: self.pace.add_input(topic, stamp, notice)
        if topic == WRENCHES:
            return lambda m: self.pace.add_input(topic, m.stamp, by_hand(m.effort))
        return lambda m: self.pace.add_input(topic, m.stamp, m.effort)

    def send(self, stamp: int, setpoint: Setpoint) -> None:
        """Send the setpoint of the step that begins at a stamp [ns]."""
        message = DecodedJointState(stamp, *setpoint_arrays(setpoint), setpoint_kind(setpoint))
        self._graph.topic('desired_joint_states').send(message)

    def send_again(self, _: int) -> bool:
        """Do nothing: in real time nothing is requested."""
        return False

    def in_background(self, call: Callable[[], Any]) -> Any:
        """Return the result of a call, which takes no time."""
        future: Future[Any] = Future()
        future.set_result(call())
        return future

    def note_silence(self, topic: str) -> None:
        """Do nothing: silence is seen in the motion."""

    def note_lateness(self, lateness: LatenessWatch) -> None:
        """Keep what was done about lateness."""
        self.levels.append(lateness.level.name)

    def stop_robot(self, reason: str) -> None:
        """Ask the control simulation to stop the robot."""
        self._graph.announce(SafetyStatus('planner', reason, 1))


class VirtualMonitor:
    """The collision monitor's node."""

    def __init__(self, graph: VirtualGraph):
        scenario, model = graph.scenario, graph.model
        self._graph = graph
        detector = build_detector(scenario.monitor, model, scenario.period)
        tare_time = scenario.wrist_tare() if scenario.monitor.watches else None
        wrist = None if tare_time is None else WristTorque(model, tare_time, scenario.period)
        late = ['joint_states', *([WRENCHES] if wrist else [])]
        gaps = GapFiller(model, scenario.period, realtime=True)
        self._monitor = StepMonitor(detector, gaps, model.n, scenario.period, wrist)
        self._rows = RowJoiner(
            'control_state',
            ('effort_command',),
            late,
            scenario.period,
            window=RECORD_DEPTH,
            realtime=True,
        )
        self._reported = (False, 'none')
        for topic in ('effort_command', *late, 'control_state'):
            graph.subscribe(topic, 'collision_monitor', self._taker(topic), last_only=False)

    def _taker(self, topic: str) -> Callable[[DecodedJointState], None]:
        def take(message: DecodedJointState) -> None:
            self._monitor.hear(topic, message)
            self._rows.add(topic, message.stamp, message)
            for row in self._rows.complete():
                self._observe(*row)

        return take

    def _observe(
        self, command: DecodedJointState, measured: DecodedJointState, *rest: DecodedJointState
    ) -> None:
        *wrists, state = rest
        wrenches = by_hand(wrists[0].effort) if wrists else None
        detection: Detection = self._monitor.observe(command, measured, state, wrenches)
        graph, now = self._graph, (detection.contact, detection.kind)
        if now != self._reported:
            notice = Notice(
                state.stamp, detection.contact, detection.kind, detection.reading.margin
            )
            graph.topic(COLLISION).send(state.stamp, notice)
        self._reported = now
        graph.topic(TORQUE_TOPICS['observer']).send(
            DecodedJointState(state.stamp, ABSENT, ABSENT, detection.reading.torque)
        )


def lockstep(scenario: Scenario) -> list[StepTruth]:
    """Return what the robot does in lockstep."""
    assembly = assemble(scenario)
    found: list[StepTruth] = []
    assembly.loop.run(
        assembly.facts.steps, lambda r: found.append(StepTruth(r.command.effort, r.plant))
    )
    assembly.loop.plant.close()
    return found
