"""The robotstudio node over DDS and real sockets: the test plays the robot of the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import json
import socket
import threading
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
import numpy as np
import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from robotstudio_server import RobotStudioServer
from sensor_msgs.msg import JointState as JointStateMessage
from std_srvs.srv import Trigger

from simloop_ros.core.errors import USER_ERROR, SimloopError
from simloop_ros.nodes.robotstudio import RobotStudioNode
from simloop_ros.record.verdict import EXIT_STATUS
from simloop_ros.ros.launch.wiring import WiringOptions, wire
from simloop_ros.ros.messages.joint_state import JointStateEncoder
from simloop_ros.ros.transport.qos import STREAM
from simloop_ros.scenario.loading import load_scenario

NAMES = tuple(f'lwr_{joint}_joint' for joint in ('a1', 'a2', 'e1', 'a3', 'a4', 'a5'))
LOCKED = 'robot.lock=[lwr_a6_joint]'  # six joints are left
LONGEST = 20.0  # for anything to happen on a loaded machine [s]
CLOSING = 10.0  # the same, for what takes no time; who waits for a controller takes 60 s
QUICK = {'answer_timeout': 0.3, 'attempts': 1, 'connect_timeout': 0.3}
OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR
HALF, STEP = np.full(6, 0.5), np.full(6, 0.01)


class Partner:
    """Starts the node and plays the robot that it follows.

    :ivar said: diagnostics of the node that were not looked at yet.
    """

    def __init__(self, domain: int, port: int, **values: Any):
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.other = Node('other', context=self.context)
        self.executor.add_node(self.other)
        self.said: list[DiagnosticStatus] = []
        self.node: Any = None
        self._port, self._values = port, values
        self._stamp = 0
        self._states = self.other.create_publisher(JointStateMessage, 'joint_states', STREAM)
        self._encode = JointStateEncoder(NAMES, ('position',)).encode
        self.other.create_subscription(DiagnosticArray, '/diagnostics', self._hear, 10)

    def begin(self) -> None:
        """Start the node."""
        given = {**QUICK, **self._values}
        link = {f'robotstudio.{name}': value for name, value in given.items()}
        options = WiringOptions(realtime=True, robotstudio=f'127.0.0.1:{self._port}')
        specs = wire(load_scenario('lwr_tcp', [LOCKED]), options)
        (spec,) = (spec for spec in specs if spec.executable == 'robotstudio')
        parameters = {**spec.parameters, **link}
        self.node = RobotStudioNode(
            'robotstudio',
            context=self.context,
            parameter_overrides=[
                Parameter(name, value=value) for name, value in parameters.items() if value != []
            ],
        )
        self.executor.add_node(self.node)
        self.node.start()
        self.until(self._states.get_subscription_count)

    def close(self) -> float:
        """End; return how long the node needed for it [s]."""
        begin = time.monotonic()
        if self.node:
            self.node.stop()
            self.node.destroy_node()
        taken = time.monotonic() - begin
        self.other.destroy_node()
        self.executor.shutdown()
        rclpy.shutdown(context=self.context)
        return taken

    def until(self, done: Callable[[], Any]) -> None:
        """Let everybody work until something has happened."""
        end = time.monotonic() + LONGEST
        while not done():
            assert time.monotonic() < end, 'it did not happen'
            self._turn()

    def work(self, seconds: float) -> None:
        """Let everybody work for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._turn()

    def _turn(self) -> None:
        self.executor.spin_once(timeout_sec=0.02)
        if self.node:
            self.node.schedule.run()

    def tell(self, position: np.ndarray) -> None:
        """Say where the robot is [rad], shape ``(6,)``."""
        self._stamp += 1_000_000
        self._states.publish(self._encode(self._stamp, position))

    def _hear(self, message: DiagnosticArray) -> None:
        self.said += [status for status in message.status if status.name == '/robotstudio']

    def reports(self, text: str, level: bytes) -> dict[str, str]:
        """Wait until the node says something in its diagnostics, and return the values."""
        found: list[DiagnosticStatus] = []

        def seen() -> bool:
            found[:] = [s for s in self.said if s.level == level and text in s.message]
            return bool(found)

        self.until(seen)
        self.said.clear()
        return {item.key: item.value for item in found[-1].values}

    def reset(self) -> Any:
        """Return the response of the service."""
        client = self.other.create_client(Trigger, '/robotstudio/reset')
        self.until(client.service_is_ready)
        future = client.call_async(Trigger.Request())
        self.until(future.done)
        self.other.destroy_client(client)
        return future.result()


@pytest.fixture
def follow(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Partner]]:
    """Return what starts the node."""
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    domain, opened = int(graph.environment['ROS_DOMAIN_ID']), []

    def start(port: int, **values: Any) -> Partner:
        opened.append(Partner(domain, port, **values))
        opened[-1].begin()
        return opened[-1]

    yield start
    for partner in opened:
        assert partner.close() < CLOSING


@pytest.fixture
def serve() -> Iterator[Callable[..., RobotStudioServer]]:
    """Return what starts a controller."""
    opened: list[tuple[RobotStudioServer, threading.Thread]] = []

    def start(port: int = 0, pace: float = 0.0) -> RobotStudioServer:
        server = RobotStudioServer(port=port, pace=pace)
        thread = threading.Thread(target=server.serve)
        thread.start()
        opened.append((server, thread))
        return server

    yield start
    for server, thread in opened:
        server.end()
        thread.join(LONGEST)
        server.close()


def test_the_controller_follows_the_robot(
    follow: Callable[..., Partner], serve: Callable[..., RobotStudioServer]
) -> None:
    server = serve()
    partner = follow(server.port, move_time=0.05, approach_time=5.0)
    partner.reports('waiting for joint_states', WARN)
    partner.tell(np.zeros(6))
    partner.until(lambda: len(server.targets) == 1)
    partner.work(0.2)
    assert len(server.targets) == 1  # it is there
    assert server.targets[0].time == 5.0
    values = partner.reports('following', OK)
    assert values['connected'] == 'True'
    assert (values['sent'], values['acknowledged'], values['last error']) == ('1', '1', 'none')


def test_targets_come_at_the_move_time_and_only_if_the_robot_moves(
    follow: Callable[..., Partner], serve: Callable[..., RobotStudioServer]
) -> None:
    server = serve()
    partner = follow(server.port, move_time=0.1, approach_time=5.0)
    partner.tell(np.zeros(6))
    partner.until(lambda: server.targets)
    begin = time.monotonic()
    for i in range(1, 5):
        for _ in range(5):  # more often than is sent
            partner.tell(i * STEP)
        partner.until(lambda i=i: len(server.targets) == i + 1)
    assert time.monotonic() - begin >= 3 * 0.1
    assert {target.time for target in server.targets[1:]} == {0.1}
    assert [target.angles[0] for target in server.targets] == [0.0, 0.573, 1.146, 1.719, 2.292]
    partner.work(0.4)
    assert len(server.targets) == 5


def test_a_robot_that_is_far_gets_the_time_that_its_velocity_limit_asks_for(
    follow: Callable[..., Partner], serve: Callable[..., RobotStudioServer]
) -> None:
    """0.5 rad at 1.91986 rad/s, the slowest joint, are 0.2604 s."""
    server = serve()
    partner = follow(server.port, move_time=0.1, approach_time=5.0)
    partner.tell(np.zeros(6))
    partner.until(lambda: server.targets)
    partner.tell(HALF)
    partner.until(lambda: len(server.targets) == 2)
    assert server.targets[1].time == 0.27


def test_a_lost_line_stops_until_the_reset(
    follow: Callable[..., Partner], serve: Callable[..., RobotStudioServer]
) -> None:
    with socket.create_server(('127.0.0.1', 0)) as listener:
        port = listener.getsockname()[1]
        partner = follow(port)
        line, _ = listener.accept()
        assert 'nothing to reset' in partner.reset().message
        partner.tell(np.zeros(6))
        line.settimeout(0.0)
        heard = b''

        def got() -> bool:
            nonlocal heard
            try:
                heard += line.recv(1000)
            except BlockingIOError:
                return False
            return True

        partner.until(got)
        assert len(heard) == 52
        line.close()  # in the middle of the move
        values = partner.reports('call the service reset', ERROR)
    assert 'closed by the controller' in values['last error']
    assert (values['connected'], values['sent'], values['acknowledged']) == ('False', '1', '0')
    server = serve(port)  # it is back, but nobody has looked at the robot yet
    for _ in range(5):
        partner.tell(HALF)
        partner.work(0.05)
    assert server.targets == []
    assert partner.reset().success
    partner.work(0.2)
    assert server.targets == []  # what came before the reset does not count
    partner.tell(HALF)
    partner.until(lambda: server.targets)
    assert server.targets[0].time == 10.0  # slow again
    values = partner.reports('following', OK)
    assert (values['sent'], values['acknowledged']) == ('2', '1')


def test_a_controller_that_is_absent(follow: Callable[..., Partner]) -> None:
    with socket.create_server(('127.0.0.1', 0)) as listener:
        port = listener.getsockname()[1]
    partner = follow(port)
    values = partner.reports('no connection in 1 attempts', ERROR)
    assert values['sent'] == '0'
    response = partner.reset()
    assert not response.success
    assert 'Connection refused' in response.message


def test_waiting_for_a_controller_holds_up_nobody(follow: Callable[..., Partner]) -> None:
    """It takes the line and is silent: the node still answers, and hangs up when it is told."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        partner = follow(listener.getsockname()[1], answer_timeout=60.0)
        partner.tell(np.zeros(6))
        partner.until(lambda: partner.node._client.sent)
        begin = time.monotonic()
        assert not partner.reset().success
        assert time.monotonic() - begin < LONGEST
        line, _ = listener.accept()
        with line:
            line.settimeout(LONGEST)
            assert len(line.recv(1000)) == 52
            partner.node.trigger_deactivate()
            assert line.recv(1000) == b''


def test_a_position_out_of_range_is_not_sent(
    follow: Callable[..., Partner], serve: Callable[..., RobotStudioServer]
) -> None:
    server = serve()
    partner = follow(server.port)
    partner.tell(np.array([3.0, 0, 0, 0, 0, 0]))
    values = partner.reports('stopped', ERROR)
    assert 'lwr_a1_joint: 171.887 deg given; its range' in values['last error']
    partner.tell(np.zeros(6))
    partner.work(0.2)
    assert server.targets == []
    assert partner.reports('stopped', ERROR) == values  # the reason stays


def test_a_message_that_is_none_is_refused(
    follow: Callable[..., Partner], serve: Callable[..., RobotStudioServer]
) -> None:
    server = serve()
    partner = follow(server.port)
    partner.tell(np.full(6, np.nan))
    partner.until(lambda: partner.node.refused)
    assert server.targets == []
    partner.tell(np.zeros(6))
    partner.until(lambda: server.targets)


@pytest.mark.parametrize(
    ('values', 'reason'),
    [
        ({'move_time': 0.125}, r'0.125 s do not fit'),
        ({'move_time': 100.0}, 'move_time'),
        ({'approach_time': 1.0}, 'cross its range'),
        ({'joints': ['lwr_a1_joint']}, 'name 6'),
        ({'attempts': 0}, 'attempts'),
    ],
)
def test_parameters_that_make_no_sense(
    follow: Callable[..., Partner], values: dict[str, Any], reason: str
) -> None:
    with pytest.raises(SimloopError, match=reason):
        follow(1025, **values)


def test_the_life_of_a_managed_node(
    follow: Callable[..., Partner], serve: Callable[..., RobotStudioServer]
) -> None:
    """Not active it sends nothing; active again it begins slowly, as with a new robot."""
    server = serve()
    partner = follow(server.port)
    partner.tell(np.zeros(6))
    partner.until(lambda: server.targets)
    partner.node.trigger_deactivate()
    partner.tell(HALF)
    partner.work(0.2)
    assert len(server.targets) == 1
    partner.node.trigger_activate()
    partner.until(lambda: partner.node._client.connected)
    partner.tell(HALF)
    partner.until(lambda: len(server.targets) == 2)
    assert [target.time for target in server.targets] == [10.0, 10.0]


def test_a_robot_with_too_many_joints_is_refused_before_anything_starts(graph: Any) -> None:
    out = graph.folder / 'out'
    options = ['--composed', '--realtime', '--robotstudio', '127.0.0.1:1025', '--out', str(out)]
    assert graph.launch('yumi_step', *options).wait(3 * LONGEST) == USER_ERROR
    assert graph.output.startswith('simloop: robotstudio: the robot has 14 joints, a packet has 6')
    assert graph.output.count('\n') == 1
    assert not out.exists()


def test_who_has_followed_ends_well(
    follow: Callable[..., Partner], serve: Callable[..., RobotStudioServer]
) -> None:
    server = serve()
    partner = follow(server.port)
    partner.tell(np.zeros(6))
    partner.until(lambda: server.targets)
    partner.node.stop()
    assert partner.node.exit_status == 0


def test_who_was_never_connected_ends_with_an_error(
    follow: Callable[..., Partner], capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(('127.0.0.1', 0)) as listener:
        port = listener.getsockname()[1]
    partner = follow(port, attempts=2, backoff=60.0)
    partner.until(lambda: partner.node._client.unreachable)
    partner.node.stop()
    assert partner.node.exit_status == USER_ERROR
    (line,) = [line for line in capfd.readouterr().err.splitlines() if 'ended' in line]
    reason = f'ended without a connection to 127.0.0.1:{port}: Connection refused'
    assert line.endswith(f'{reason}; 0 targets sent, 0 acknowledged')


def test_who_was_stopped_by_a_fault_ends_with_an_error(
    follow: Callable[..., Partner],
    serve: Callable[..., RobotStudioServer],
    capfd: pytest.CaptureFixture[str],
) -> None:
    partner = follow(serve().port)
    partner.tell(np.array([3.0, 0, 0, 0, 0, 0]))
    partner.reports('stopped', ERROR)
    partner.node.stop()
    assert partner.node.exit_status == USER_ERROR
    (line,) = [line for line in capfd.readouterr().err.splitlines() if 'ended while' in line]
    assert 'ended while stopped: joint lwr_a1_joint: 171.887 deg given' in line
    assert line.endswith('; 0 targets sent, 0 acknowledged')


def test_who_is_active_again_and_follows_ends_well(
    follow: Callable[..., Partner], serve: Callable[..., RobotStudioServer]
) -> None:
    with socket.create_server(('127.0.0.1', 0)) as listener:
        port = listener.getsockname()[1]
    partner = follow(port)
    partner.reports('no connection in 1 attempts', ERROR)
    partner.node.trigger_deactivate()
    assert partner.node.exit_status == USER_ERROR
    serve(port)
    partner.node.trigger_activate()
    partner.until(lambda: partner.node._client.connected)
    partner.node.stop()
    assert partner.node.exit_status == 0


@pytest.mark.parametrize('form', [['--composed'], []], ids=['composed', 'distributed'])
def test_a_launch_whose_controller_is_absent_ends_with_an_error(
    graph: Any, form: list[str]
) -> None:
    """The run is over before the last attempt to connect, or on a busy machine after it."""
    with socket.create_server(('127.0.0.1', 0)) as listener:
        address = f'127.0.0.1:{listener.getsockname()[1]}'
    out = ['--no-figures', '--out', str(graph.folder / 'out')]
    options = ['--realtime', '--robotstudio', address, '--set', 'planner.duration=0.5']
    process = graph.launch('irb120_rectangle', *form, *options, *out)
    assert process.wait(3 * LONGEST) in (USER_ERROR, 1)  # 1 if a busy machine was late, too
    (line,) = [line for line in graph.output.splitlines() if '[robotstudio]: ended' in line]
    assert line.endswith('; 0 targets sent, 0 acknowledged')
    assert address in line
    assert 'Connection refused' in line
    assert (graph.folder / 'out' / 'summary.json').is_file()  # of the simulated robot


@pytest.mark.parametrize(
    'form',
    [['--composed'], pytest.param([], marks=pytest.mark.long)],
    ids=['composed', 'distributed'],
)
def test_a_launch_that_is_followed_ends_well(
    graph: Any, serve: Callable[..., RobotStudioServer], form: list[str]
) -> None:
    server = serve()
    out = ['--no-figures', '--out', str(graph.folder / 'out')]
    address = ['--robotstudio', f'127.0.0.1:{server.port}', '--robotstudio-time', '0.1']
    patient = ['--set', 'safety.timeout=400']  # 2 s: pauses of a busy machine are not the subject
    options = ['--realtime', *address, '--set', 'planner.duration=0.5', *patient]
    process = graph.launch('irb120_rectangle', *form, *options, *out)
    status = process.wait(3 * LONGEST)
    summary = json.loads((graph.folder / 'out' / 'summary.json').read_text())
    # A busy machine is late: how the simulated robot fares then is not the subject.
    assert status == EXIT_STATUS[summary['status']], graph.output
    assert len(server.targets) > 1
