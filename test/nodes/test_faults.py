"""What the robot does when a node dies or sleeps, a message is wrong, a call comes too early.

In every row the effort that reaches the plant is finite and within its limits. With
``SIMLOOP_FAULT_TABLE=FILE`` the rows are written as the table of docs/graph.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
import json
import os
from pathlib import Path
import signal
import subprocess
import tempfile
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
import numpy as np
import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState as JointStateMessage
from spun_node import SpunNode
from std_srvs.srv import SetBool, Trigger

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.core.errors import MessageError
from simloop_ros.nodes.plant import LARGEST_EFFORT
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.launch.wiring import WiringOptions, wire
from simloop_ros.ros.messages.joint_state import JointStateDecoder, JointStateEncoder
from simloop_ros.ros.messages.safety_status import SafetyStatus, from_message
from simloop_ros.ros.transport.qos import LATCHED_READER, STREAM
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.scenario import Scenario

pytestmark = pytest.mark.long

# Slow, so that a process which a loaded machine leaves waiting does not count as dead.
PERIOD = float(os.environ.get('SIMLOOP_FAULT_PERIOD', '0.05'))
TIMEOUT = 10  # periods
BUSY = 0.4  # by which a loaded machine may be late [s]
START = 40.0  # longest time for processes to start and to plan on a loaded machine [s]
MOTION = 30.0  # longest time for the robot to arrive, which takes 2.3 s [s]
FREEZE = 1.0
ASK_AGAIN = 3.0  # time after which a request is taken for lost [s]
RECORDER_SILENCE = 0.6
MOVING = 0.02  # [rad/s]
AT_REST = 1e-3  # [rad/s]: the brake holds, deadbeat control stands
AT_GOAL = 2e-3  # [m]
WRIST = 1.2  # share of the speed limit beyond which the robot would be out of control
MOVE = ('planner.move=[[-0.2, 0, 0.2]]', 'planner.max_velocity=0.15')
CONTROL = (
    'control.law=computed_torque',
    f'control.natural_frequency={0.2 / PERIOD}',
)  # bears delays
SETTINGS = ('robot=two_link', f'period={PERIOD}', 'duration=1000', *MOVE, *CONTROL)
PLANNING = (  # a slow motion at a high rate, which takes longer to plan than a node may be silent
    *('period=0.002', 'safety.timeout=75', 'duration=1000'),
    *('planner.move=[[0, 0.15, 0], [0, -0.15, 0]]', 'planner.max_velocity=0.03'),
)
SCENARIOS = {
    'guided': ('sphere_guiding', (f'period={PERIOD}', 'duration=1000', *CONTROL)),
    'composed': ('yumi_step', PLANNING),
    'led': (
        'lwr_tcp',
        (
            *('period=0.01', 'duration=1000', 'plant.hands=[]'),
            f'safety.timeout={round(TIMEOUT * PERIOD / 0.01)}',
            *('control.law=computed_torque', 'control.natural_frequency=20'),
        ),
    ),
}
TAMPERED = 'effort_command'
ROWS: list[tuple[str, str, float | None]] = []


class Witness(SpunNode):
    """Sees what the graph says, calls its services, and can stand between control and plant.

    :ivar said: what control and plant said on ``safety``, with the time of arrival [s].
    :ivar reports: what nodes said on ``/diagnostics``, with the time of arrival.
    :ivar positions: joint positions [rad] with their stamps [s].
    :ivar tamper: makes of each command the messages that the plant gets.
    """

    def __init__(self, domain: int, model: RobotModel):
        self._model = model
        super().__init__('witness', domain)
        self.said: list[tuple[float, SafetyStatus]] = []
        self.reports: list[tuple[float, DiagnosticStatus]] = []
        self.positions: list[tuple[float, np.ndarray]] = []
        self.tamper: Callable[[bytes], list[bytes]] = lambda data: [data]
        self._read = JointStateDecoder(model.joint_names, ('position',)).decode
        subscribe = self._node.create_subscription
        subscribe(DiagnosticStatus, 'safety', self._on_safety, LATCHED_READER)
        subscribe(DiagnosticArray, '/diagnostics', self._on_diagnostics, 100)
        subscribe(JointStateMessage, 'joint_states', self._on_joints, STREAM, raw=True)
        subscribe(JointStateMessage, 'untampered', self._on_command, STREAM, raw=True)
        self._relay: Any = None
        self._pushing: Any = None
        self.begin()

    def _on_safety(self, message: DiagnosticStatus) -> None:
        status = from_message(message)
        if status:
            self.said.append((time.monotonic(), status))

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        self.reports += [(time.monotonic(), status) for status in message.status]

    def _on_joints(self, data: bytes) -> None:
        with suppress(MessageError):
            message = self._read(data)
            self.positions.append((message.stamp * 1e-9, message.position))

    def _on_command(self, data: bytes) -> None:
        if self._relay:
            for each in self.tamper(data):
                self._relay.publish(each)

    def push(self, link: str, force: float) -> None:
        """Push a link sideways from now on [N], until told otherwise."""
        message = WrenchStamped()
        message.header.frame_id = link
        message.wrench.force.y = force
        if self._pushing:
            self._node.destroy_timer(self._pushing)
            self._pushing = None
        if link:
            publisher = self._node.create_publisher(WrenchStamped, 'external_wrench', 10)
            self._pushing = self._node.create_timer(0.02, lambda: publisher.publish(message))

    def relay(self) -> None:
        """Hand the commands on from now on."""
        self._relay = self.publisher(TAMPERED)

    def publisher(self, topic: str) -> Any:
        """Return a publisher of joint states."""
        return self._node.create_publisher(JointStateMessage, topic, STREAM)

    def remove(self, publisher: Any) -> None:
        """Remove a publisher."""
        self._node.destroy_publisher(publisher)

    def call(self, kind: type, name: str, request: Any = None) -> Any:
        """Return the response of a service; one that was killed still seems to be there."""
        client = self._node.create_client(kind, name)
        asked = []

        def answers() -> list[Any]:
            if client.service_is_ready() and len(asked) <= (time.monotonic() - begin) / ASK_AGAIN:
                asked.append(client.call_async(request or kind.Request()))
            return [future for future in asked if future.done()]

        begin = time.monotonic()
        [answer, *_] = until(answers, START, f'answer of {name}')
        self._node.destroy_client(client)
        return answer.result()

    def speed(self) -> float:
        """Return the largest speed of a joint over the last few periods [rad/s]."""
        (before, a), (now, b) = self.positions[-6], self.positions[-1]
        return float(np.abs(b - a).max() / (now - before))

    def largest_speed(self) -> float:
        """Return the largest speed so far as a share of its limit."""
        times = np.array([stamp for stamp, _ in self.positions])
        path = np.array([position for _, position in self.positions])
        speeds = np.diff(path, axis=0) / np.diff(times)[:, None]
        return float(np.abs(speeds / self._model.velocity_limit).max())

    def stopped(self, source: str, since: float) -> tuple[float, str] | None:
        """Return when a node said that it is stopped, and why."""
        for arrival, status in self.said:
            if arrival > since and status.source == source and status.stopped:
                return arrival - since, status.stopped
        return None

    def free(self) -> bool:
        """Return whether neither control nor plant is stopped."""
        last = {status.source: status.stopped for _, status in self.said}
        return set(last) == {'control_simulation', 'plant'} and not any(last.values())

    def report(self, node: str, since: float, text: str) -> float | None:
        """Return how long after a moment a node's diagnostics contained a text."""
        for arrival, status in self.reports:
            if arrival > since and status.name == f'/{node}' and text in status.message:
                return arrival - since
        return None

    def largest_effort(self) -> float:
        """Return the largest effort that reached the plant until now, as a share of its limit."""
        since = time.monotonic()

        def shares() -> list[float]:
            return [
                float(item.value)
                for arrival, status in self.reports
                if arrival > since and status.name == '/plant'
                for item in status.values
                if item.key == LARGEST_EFFORT
            ]

        until(shares, START, 'diagnostics of the plant')
        return shares()[-1]


def until(true: Callable[[], Any], seconds: float, what: str) -> Any:
    """Wait for something and return it."""
    end = time.monotonic() + seconds
    while not (result := true()):
        assert time.monotonic() < end, f'{what}: not within {seconds:g} s'
        time.sleep(0.002)
    return result


class Robot:
    """A graph in real time that is brought back to its start before each row.

    :param relayed: whether commands pass through the witness.
    :param composed: whether all nodes are in one process.
    """

    def __init__(
        self, graph: Any, scenario: Scenario, *, relayed: bool = False, composed: bool = False
    ):
        self._graph = graph
        self._model = load_fit_robot(scenario.robot)
        options = WiringOptions(realtime=True, out=str(graph.folder / 'out'), figures=False)
        programs = graph.programs(wire(scenario, options), composed=composed)
        self._programs = {program.name: program for program in programs}
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.planner = 'admittance' if 'admittance' in self._programs else 'motion_planner'
        home = self._model.tip_positions(self._model.home)
        self._goal = home + np.array(getattr(scenario.planner, 'move', ()) or 0.0)
        self.witness = Witness(int(graph.environment['ROS_DOMAIN_ID']), self._model)
        self._relayed = relayed
        self._started: list[subprocess.Popen[bytes]] = []
        for name in self._programs:
            self.start(name)
        if relayed:
            self.witness.relay()
        until(self.witness.free, START, 'first words on safety')

    def start(self, name: str) -> None:
        """Start a node."""
        command = self._programs[name].command
        if self._relayed and name == 'control_simulation':
            command = (*command, '-r', f'{TAMPERED}:=untampered')
        self.processes[name] = self._graph.start(*command)
        self._started.append(self.processes[name])

    def close(self) -> None:
        """End all."""
        self.witness.close()
        for process in self._started:
            process.kill()
            process.wait()

    def tell_stop(self, stop: bool) -> Any:
        """Call the service ``stop`` of the control simulation."""
        return self.witness.call(SetBool, '/control_simulation/stop', SetBool.Request(data=stop))

    def recover(self) -> None:
        """Release the robot and plan anew, as a user does after a stop."""

        def released() -> bool:
            self.tell_stop(False)
            time.sleep(5 * PERIOD)
            return self.witness.free()

        until(released, START, 'release')

        def started() -> bool:
            answer = self.witness.call(Trigger, f'/{self.planner}/start')
            # Asked again because the first answer got lost, it says so.
            return answer.success or 'under way already' in answer.message

        until(started, START, 'start')

    def begin(self) -> None:
        """Bring the robot home and let it move."""
        witness = self.witness
        self.tell_stop(True)
        until(lambda: witness.call(Trigger, '/plant/reset').success, START, 'reset')
        self.recover()
        witness.positions.clear()
        until(lambda: len(witness.positions) > 6, START, 'joint states')
        if self.planner == 'motion_planner':
            until(lambda: witness.speed() > MOVING, MOTION, 'motion')

    def has_arrived(self) -> bool:
        """Return whether the robot rests at its goal."""
        position = self.witness.positions[-1][1]
        distance = np.abs(self._model.tip_positions(position) - self._goal).max()
        return bool(distance < AT_GOAL and self.witness.speed() < AT_REST)

    def arrives(self) -> None:
        """Wait until the robot rests at its goal."""
        until(self.has_arrived, MOTION, 'arrival')

    def rests(self) -> None:
        """Wait until the robot has been braked."""
        time.sleep(20 * PERIOD)
        until(lambda: self.witness.speed() < AT_REST, MOTION, 'rest')

    def check(self) -> None:
        """What holds in every row."""
        assert 0.0 < self.witness.largest_effort() <= 1.0
        assert self.witness.largest_speed() < WRIST
        self.witness.reports.clear()


def note(row: str, what: str, seconds: float | None = None) -> None:
    """Add a row to the table."""
    ROWS.append((row, what, seconds))


@pytest.fixture(scope='module', autouse=True)
def table() -> Iterator[None]:
    """Write the table, if somebody wants it."""
    yield
    if path := os.environ.get('SIMLOOP_FAULT_TABLE'):
        lines = [
            '| fault | what the robot did | noticed after [ms] | periods |',
            '|---|---|---|---|',
        ]
        for row, what, seconds in ROWS:
            time_cells = (
                ('', '')
                if seconds is None
                else (f'{1e3 * seconds:.0f}', f'{seconds / PERIOD:.1f}')
            )
            lines.append(f'| {row} | {what} | {time_cells[0]} | {time_cells[1]} |')
        Path(path).write_text('\n'.join(lines) + '\n')


@pytest.fixture(scope='module')
def robot(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, open_graph: Any
) -> Iterator[Robot]:
    """Give a graph of real processes; ``request.param`` tells which."""
    name, settings = SCENARIOS.get(request.param, ('step', SETTINGS))
    scenario = load_scenario(name, settings)
    with (
        open_graph(tmp_path_factory.mktemp('graph')) as graph,
        pytest.MonkeyPatch.context() as own,
    ):
        own.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
        own.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
        kind = request.param
        robot = Robot(graph, scenario, relayed=kind == 'relayed', composed=kind == 'composed')
        yield robot
        robot.close()
        print(graph.output)


def in_graph(kind: str) -> pytest.MarkDecorator:
    """Mark a test that needs a graph: plain, relayed, guided or composed."""
    return pytest.mark.parametrize('robot', [kind], indirect=True)


# Nodes that die or sleep

GIVEN_UP = 25.0  # until DDS does not count a dead publisher any more, after 20 s [s]

MOVERS = {  # whose death stops the robot, with who notices and what it says
    'motion_planner': ('control_simulation', 'desired_joint_states: no message'),
    'plant': ('control_simulation', 'joint_states: no message'),
    'control_simulation': ('plant', 'effort_command: no message'),
}
WATCHERS = {
    'collision_monitor': ('external_torque', TIMEOUT * PERIOD),
    'recorder': ('recorded', RECORDER_SILENCE),
}


def stops(robot: Robot, node: str, since: float) -> float:
    """Return after which time a dead mover was noticed; the robot rests then."""
    witness, (noticing, reason) = robot.witness, MOVERS[node]
    noticed, why = until(lambda: witness.stopped(noticing, since), MOTION, 'stop')
    assert why.startswith(reason)
    assert noticed < TIMEOUT * PERIOD + BUSY
    return float(noticed)


@in_graph('plain')
@pytest.mark.parametrize('node', MOVERS)
def test_a_frozen_mover_stops_the_robot(robot: Robot, node: str) -> None:
    robot.begin()
    since = time.monotonic()
    robot.processes[node].send_signal(signal.SIGSTOP)
    noticed = stops(robot, node, since)
    time.sleep(max(0.0, since + FREEZE - time.monotonic()))
    robot.processes[node].send_signal(signal.SIGCONT)
    robot.rests()
    until(lambda: robot.witness.stopped('plant', since), MOTION, 'brakes')
    robot.recover()
    robot.arrives()
    robot.check()
    note(f'{node} frozen for 1 s', 'braked; after release and start at its goal', noticed)


@in_graph('plain')
@pytest.mark.parametrize('node', WATCHERS)
@pytest.mark.parametrize('how', ['frozen for 1 s', 'killed'])
def test_without_a_watcher_the_robot_goes_on_and_it_is_noticed(
    robot: Robot, node: str, how: str
) -> None:
    witness, (topic, silence) = robot.witness, WATCHERS[node]
    robot.begin()
    time.sleep(2 * RECORDER_SILENCE if node == 'recorder' else 0.0)
    since = time.monotonic()
    robot.processes[node].send_signal(signal.SIGKILL if how == 'killed' else signal.SIGSTOP)
    noticed = until(
        lambda: witness.report('control_simulation', since, f'{topic}: no message'),
        MOTION,
        'notice',
    )
    assert noticed < silence + BUSY
    if how != 'killed':
        time.sleep(max(0.0, since + FREEZE - time.monotonic()))
        robot.processes[node].send_signal(signal.SIGCONT)
        until(
            lambda: witness.report('control_simulation', since + noticed, 'running'),
            START,
            'return',
        )
    robot.arrives()
    assert witness.stopped('control_simulation', since) is None
    robot.check()
    row = f'kill -9 {node}' if how == 'killed' else f'{node} {how}'
    note(row, 'went on to its goal; control warns in /diagnostics', noticed)


@in_graph('guided')
@pytest.mark.parametrize('how', ['frozen for 1 s', 'killed'])
def test_a_hand_that_nobody_follows_any_more_stops_the_robot(robot: Robot, how: str) -> None:
    robot.begin()
    since = time.monotonic()
    process = robot.processes['admittance']
    process.send_signal(signal.SIGKILL if how == 'killed' else signal.SIGSTOP)
    noticed, why = until(
        lambda: robot.witness.stopped('control_simulation', since), MOTION, 'stop'
    )
    assert why.startswith('desired_joint_states: no message')
    assert noticed < TIMEOUT * PERIOD + BUSY
    if how == 'killed':
        robot.start('admittance')
        time.sleep(GIVEN_UP)
    else:
        time.sleep(max(0.0, since + FREEZE - time.monotonic()))
        process.send_signal(signal.SIGCONT)
    robot.rests()
    robot.recover()
    robot.check()
    row = 'kill -9 admittance' if how == 'killed' else f'admittance {how}'
    note(row, 'braked; after release and start guided again', noticed)


@in_graph('led')
def test_a_hand_that_nobody_feels_any_more_leads_nobody(robot: Robot) -> None:
    """The monitor dies while a hand pushes; its last torque does not drag the robot on."""
    robot.begin()
    witness = robot.witness
    since = time.monotonic()
    witness.push('flange', 20.0)
    until(lambda: witness.speed() > MOVING, MOTION, 'motion')
    robot.processes['collision_monitor'].kill()
    killed = time.monotonic()
    noticed = until(
        lambda: witness.report('admittance', killed, 'external_torque: no messages'),
        MOTION,
        'notice',
    )
    time.sleep(1.0)
    until(lambda: witness.speed() < MOVING, MOTION, 'rest')  # still pushed, it returns slowly
    assert witness.stopped('control_simulation', since) is None
    witness.push('', 0.0)
    robot.check()
    note('kill -9 collision_monitor while led', 'came to rest; admittance reports it', noticed)


# Messages to the plant

NAMES = ('joint1', 'joint2')


def command(effort: list[float], names: tuple[str, ...] = NAMES) -> Callable[[bytes], list[bytes]]:
    """Return what puts another effort in the place of a command's."""
    stamp = JointStateDecoder(NAMES, ('effort',)).stamp
    encode = JointStateEncoder(names, ('effort',)).encode
    return lambda data: [encode(stamp(data), np.array(effort))]


def backwards(data: bytes) -> list[bytes]:
    """Return the command as if computed from a state 11 periods ago."""
    message = JointStateDecoder(NAMES, ('effort',)).decode(data)
    old = message.stamp - round((TIMEOUT + 1) * PERIOD * 1e9)
    return [JointStateEncoder(NAMES, ('effort',)).encode(old, message.effort)]


BAD_COMMANDS: dict[str, tuple[Callable[[bytes], list[bytes]], str]] = {
    'NaN': (command([0.0, float('nan')]), "effort of 'joint2' is nan"),
    'infinity': (command([float('-inf'), 0.0]), "effort of 'joint1' is -inf"),
    'effort beyond its limit': (command([0.0, 100.0001]), 'beyond its limit'),
    'wrong joint names': (command([1.0, 1.0], ('joint1', 'elbow')), "'joint2' is missing"),
    'missing joints': (command([1.0], ('joint1',)), "'joint2' is missing"),
    'empty message': (lambda _: [serialize_message(JointStateMessage())], "'joint1' is missing"),
    'no message at all, but bytes': (lambda _: [b'effort'], 'no stamp'),
    'stamp going backwards': (backwards, 'computed from a state'),
}


@in_graph('relayed')
@pytest.mark.parametrize('fault', BAD_COMMANDS)
def test_a_bad_command_engages_the_brakes(robot: Robot, fault: str) -> None:
    witness, (tamper, reason) = robot.witness, BAD_COMMANDS[fault]
    robot.begin()
    sent = []

    def once(data: bytes) -> list[bytes]:
        sent.append(time.monotonic())
        witness.tamper = lambda data: [data]
        return tamper(data)

    witness.tamper = once
    until(lambda: sent, MOTION, 'command')
    noticed, why = until(lambda: witness.stopped('plant', sent[0]), MOTION, 'brakes')
    assert reason in why
    assert noticed < BUSY
    until(lambda: witness.stopped('control_simulation', sent[0]), MOTION, 'stop')
    robot.rests()
    robot.recover()
    robot.arrives()
    robot.check()
    note(f'effort_command: {fault}', 'braked; after release and start at its goal', noticed)


@in_graph('relayed')
def test_shuffled_joints_simply_work(robot: Robot) -> None:
    decode = JointStateDecoder(NAMES, ('effort',)).decode
    encode = JointStateEncoder((*NAMES[::-1], 'gripper'), ('effort',)).encode

    def shuffled(data: bytes) -> list[bytes]:
        message = decode(data)
        return [encode(message.stamp, np.append(message.effort[::-1], np.nan))]

    robot.begin()
    since = time.monotonic()
    robot.witness.tamper = shuffled
    robot.arrives()
    robot.witness.tamper = lambda data: [data]
    assert robot.witness.stopped('plant', since) is None
    robot.check()
    note('effort_command: shuffled joint order', 'went on to its goal')


@in_graph('plain')
def test_a_second_publisher_engages_the_brakes(robot: Robot) -> None:
    witness = robot.witness
    robot.begin()
    since = time.monotonic()
    second = witness.publisher(TAMPERED)
    second.publish(JointStateEncoder(NAMES, ('effort',)).encode(0, np.array([100.0, 100.0])))
    noticed, why = until(lambda: witness.stopped('plant', since), MOTION, 'brakes')
    assert 'more than one publisher' in why
    robot.rests()
    robot.tell_stop(False)
    until(lambda: witness.stopped('plant', since + noticed), MOTION, 'brakes again')
    witness.remove(second)
    robot.recover()
    robot.arrives()
    robot.check()
    note(
        'second publisher of effort_command',
        'braked, again after a release; once it is gone, after release and start at its goal',
        noticed,
    )


@in_graph('plain')
def test_a_second_publisher_of_setpoints_stops_the_robot(robot: Robot) -> None:
    """Its setpoint is a jump, but none that the robot follows."""
    witness = robot.witness
    robot.begin()
    since = time.monotonic()
    second = witness.publisher('desired_joint_states')
    until(second.get_subscription_count, START, 'discovery')
    stamp, position = witness.positions[-1]
    jump = JointStateEncoder(NAMES, ('position',)).encode(round(stamp * 1e9), position + 0.5)
    second.publish(jump)
    noticed, why = until(lambda: witness.stopped('control_simulation', since), MOTION, 'stop')
    assert why == 'desired_joint_states: more than one publisher'
    robot.rests()
    witness.remove(second)
    robot.recover()
    robot.arrives()
    robot.check()
    note(
        'second publisher of desired_joint_states',
        'braked; once it is gone, after release and start at its goal',
        noticed,
    )


@in_graph('plain')
@pytest.mark.parametrize('topic', ['joint_states', 'control_state'])
def test_a_bad_message_on_another_topic_is_refused(robot: Robot, topic: str) -> None:
    witness = robot.witness
    robot.begin()
    since = time.monotonic()
    publisher = witness.publisher(topic)
    until(publisher.get_subscription_count, START, 'discovery')
    stamp = round(witness.positions[-1][0] * 1e9)
    encode = JointStateEncoder(NAMES, ('position', 'velocity', 'effort')).encode
    for value in (np.nan, np.inf, -np.inf):
        publisher.publish(encode(stamp + 1, *[np.array([0.0, value])] * 3))
    publisher.publish(JointStateEncoder(('a', 'b'), ('position',)).encode(stamp, np.zeros(2)))
    publisher.publish(b'')
    robot.arrives()
    witness.remove(publisher)
    assert witness.stopped('plant', since) is None
    robot.check()
    note(f'{topic}: NaN, infinity, wrong names, empty', 'went on to its goal; refused')


# Calls


def parameter(name: str, **value: Any) -> SetParameters.Request:
    return SetParameters.Request(parameters=[Parameter(name=name, value=ParameterValue(**value))])


INTEGER, DOUBLE, STRING = (
    ParameterType.PARAMETER_INTEGER,
    ParameterType.PARAMETER_DOUBLE,
    ParameterType.PARAMETER_STRING,
)
BAD_PARAMETERS = {
    'control_simulation': [
        parameter('safety.timeout', type=INTEGER, integer_value=1),
        parameter('safety.timeout', type=INTEGER, integer_value=10**9),
        parameter('safety.timeout', type=STRING, string_value='soon'),
        parameter('safety.stop', type=STRING, string_value='fall'),
        parameter('safety.effort_rate', type=DOUBLE, double_value=-1.0),
        parameter('period', type=DOUBLE, double_value=0.5),
    ],
    'plant': [
        parameter('safety.timeout', type=INTEGER, integer_value=0),
        parameter('plant.mass_bias', type=DOUBLE, double_value=float('inf')),
        parameter('plant.engine', type=STRING, string_value='magic'),
    ],
    'motion_planner': [parameter('planner.max_velocity', type=DOUBLE, double_value=1e9)],
}


@in_graph('plain')
def test_a_parameter_out_of_range_is_refused(robot: Robot) -> None:
    robot.begin()
    since = time.monotonic()
    for node, requests in BAD_PARAMETERS.items():
        for request in requests:
            [result] = robot.witness.call(
                SetParameters, f'/{node}/set_parameters', request
            ).results
            assert not result.successful
            assert result.reason
    robot.arrives()
    assert robot.witness.stopped('plant', since) is None
    robot.check()
    note('parameter out of range', 'went on to its goal; refused')


@in_graph('plain')
def test_a_service_in_the_wrong_state_is_refused(robot: Robot) -> None:
    witness = robot.witness
    robot.begin()
    since = time.monotonic()
    too_early = [
        robot.tell_stop(False),
        *(
            witness.call(Trigger, name)
            for name in ('/motion_planner/start', '/plant/reset', '/plant/step')
        ),
    ]
    assert not any(response.success for response in too_early)
    assert all(response.message for response in too_early)
    robot.arrives()
    assert witness.stopped('plant', since) is None
    robot.tell_stop(True)
    until(lambda: witness.stopped('plant', since), MOTION, 'brakes')
    response = witness.call(Trigger, '/motion_planner/start')
    assert not response.success
    assert 'release it first' in response.message
    robot.check()
    note('service in the wrong state', 'went on to its goal; refused with the reason')


@in_graph('plain')
@pytest.mark.parametrize('node', MOVERS)
def test_a_dead_mover_stops_the_robot(robot: Robot, node: str) -> None:
    """A new planner or controller is let in when DDS has given up the old one.

    Until then, for 20 s, it is the second publisher. Control is the last of this graph.
    """
    robot.begin()
    if node == 'plant':
        robot.check()
    since = time.monotonic()
    robot.processes[node].kill()
    noticed = stops(robot, node, since)
    if node == 'control_simulation':
        robot.rests()
        robot.check()
    else:
        robot.start(node)
        if node == 'motion_planner':
            time.sleep(GIVEN_UP)
        robot.begin()
        robot.arrives()
        robot.check()
    after = 'after a restart, release and start at its goal'
    if node == 'motion_planner':
        after += ', once DDS has given up the old one (20 s)'
    if node == 'control_simulation':
        after = 'a new controller is let in once DDS has given up the old one (20 s)'
    note(f'kill -9 {node}', f'braked; {after}', noticed)


@in_graph('composed')
def test_planning_anew_holds_nobody_up(robot: Robot) -> None:
    """Not even in one process: the robot is held meanwhile, and goes on to its goal."""
    robot.begin()
    robot.tell_stop(True)
    robot.rests()
    since = time.monotonic()
    robot.recover()
    robot.arrives()
    assert robot.witness.stopped('control_simulation', since) is None
    assert robot.witness.stopped('plant', since) is None
    robot.check()
    note('stop, release and start in one process', 'at its goal')


# Lockstep: time stands still

LOCKSTEP = ('robot=two_link', 'period=0.001', 'duration=4', *MOVE)


@cache
def expected_digest() -> str:
    """Return the digest of the run in this process."""
    with tempfile.TemporaryDirectory() as folder:
        run(assemble(load_scenario('step', LOCKSTEP)), Path(folder), time.perf_counter)
        return digest(Path(folder))


def digest(folder: Path) -> str:
    return str(json.loads((folder / 'summary.json').read_text())['digest'])


@in_graph('plain')
def test_a_recorder_that_ends_as_it_should_is_no_fault(robot: Robot) -> None:
    """Its process may draw figures for longer than its silence is borne."""
    robot.begin()
    time.sleep(2 * RECORDER_SILENCE)
    since = time.monotonic()
    robot.processes['recorder'].send_signal(signal.SIGINT)
    robot.arrives()
    time.sleep(max(0.0, since + 4 * RECORDER_SILENCE - time.monotonic()))
    assert robot.processes['recorder'].poll() is not None
    assert robot.witness.report('control_simulation', since, 'recorded: no message') is None
    robot.check()


@pytest.fixture
def witness(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Witness]:
    """Give a witness of a graph in lockstep."""
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    model = load_fit_robot(load_scenario('step', LOCKSTEP).robot)
    witness = Witness(int(graph.environment['ROS_DOMAIN_ID']), model)
    yield witness
    witness.close()


def lockstep(graph: Any) -> dict[str, subprocess.Popen[bytes]]:
    """Start a graph in lockstep."""
    options = WiringOptions(out=str(graph.folder / 'out'), figures=False)
    programs = graph.programs(wire(load_scenario('step', LOCKSTEP), options))
    return {program.name: graph.start(*program.command) for program in programs}


def test_in_lockstep_frozen_nodes_change_nothing(graph: Any, witness: Witness) -> None:
    processes = lockstep(graph)
    for process in processes.values():
        until(lambda: len(witness.positions) > 50, START, 'steps')
        process.send_signal(signal.SIGSTOP)
        time.sleep(FREEZE)
        process.send_signal(signal.SIGCONT)
        witness.positions.clear()
    until(lambda: processes['recorder'].poll() is not None, 60.0, 'end')
    for process in processes.values():
        process.kill()
        process.wait()
    assert digest(graph.folder / 'out') == expected_digest()
    note('lockstep: each node frozen for 1 s', 'stood still, then went on: the same digest')


def test_in_lockstep_a_dead_planner_stops_time(graph: Any, witness: Witness) -> None:
    processes = lockstep(graph)
    until(lambda: len(witness.positions) > 50, START, 'steps')
    since = time.monotonic()
    processes['motion_planner'].kill()
    waiting = until(
        lambda: witness.report('control_simulation', since, 'for desired_joint_states'),
        START,
        'report',
    )
    last = witness.positions[-1][0]
    time.sleep(0.5)
    assert witness.positions[-1][0] == last
    assert 0.0 < witness.largest_effort() <= 1.0
    for process in processes.values():
        process.kill()
        process.wait()
    note('lockstep: kill -9 motion_planner', 'stood still with the time; reported', waiting)
