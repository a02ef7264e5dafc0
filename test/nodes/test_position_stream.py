"""A robot that takes positions only is led through its simulated surrogate, over DDS.

The test plays the robot: it follows the positions that come, and tells torques and positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
import numpy as np
import pytest
from sensor_msgs.msg import JointState as JointStateMessage
from spun_node import SpunNode
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

from simloop_ros.guiding.guidance import Guidance
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.ros.messages.joint_state import JointStateDecoder, JointStateEncoder
from simloop_ros.scenario.loading import load_scenario

pytestmark = pytest.mark.long  # in real time: a busy machine is too late for it

# Slow, so that a process which a loaded machine leaves waiting does not count as dead.
PERIOD = 0.01
SETTINGS = (
    f'period={PERIOD}',
    'duration=1000',
    'plant.hands=[]',
    'admittance.source=driver',
    'admittance.by_reach=false',
    'admittance.isotropy=1',
    'safety.timeout=60',
    'control.natural_frequency=20',  # bears delays
)
START = 40.0  # longest time for processes to start on a loaded machine [s]
SOON = 10.0  # longest time for anything else [s]
AWAY = np.array([0.1, -0.15, 0.2, 0.1, -0.1, 0.1, 0.3])  # of the robot from the model's home [rad]
PUSHED, TORQUE = 3, 8.0
SERVO = 0.5  # part of the way to its command that the robot goes in a period


class Robot(SpunNode):
    """Follows positions, in a thread of its own.

    :ivar position: where it is [rad], shape ``(n,)``.
    :ivar torque: what a hand does to it [N m], shape ``(n,)``.
    :ivar told: positions that it was told, with the time of arrival, as arrays and as JointState.
    :ivar follows: whether it does.
    :ivar speaks: whether it tells where it is.
    """

    def __init__(self, domain: int, position: np.ndarray, names: tuple[str, ...]):
        self.position = position.copy()
        self.torque = np.zeros(len(names))
        self.told: list[tuple[float, np.ndarray]] = []
        self.told_states: list[np.ndarray] = []
        self.reports: dict[str, Any] = {}
        self.follows = self.speaks = True
        self._names = names
        super().__init__('robot', domain)
        publish, subscribe = self._node.create_publisher, self._node.create_subscription
        self._states = publish(JointStateMessage, '/joint_states', 10)
        self._torques = publish(JointStateMessage, '/arm/external_torques', 10)
        # A driver has more joints than the model, and another order.
        shuffled = (*names[::-1], 'gripper')
        self._encode_state = JointStateEncoder(shuffled, ('position',)).encode
        self._encode_torque = JointStateEncoder(names, ('effort',)).encode
        self._decode = JointStateDecoder(names, ('position',)).decode
        subscribe(Float64MultiArray, '/arm/commands', self._on_command, 10)
        subscribe(JointStateMessage, '/arm/targets', self._on_target, 10, raw=True)
        subscribe(DiagnosticArray, '/diagnostics', self._on_diagnostics, 10)
        self._node.create_timer(PERIOD, self._tick)
        self.begin()

    def _tick(self) -> None:
        if self.told and self.follows:
            self.position = self.position + SERVO * (self.told[-1][1] - self.position)
        stamp = self._node.get_clock().now().nanoseconds
        if self.speaks:
            state = np.append(self.position[::-1], 0.0)
            self._states.publish(self._encode_state(stamp, state))
        noise = 1e-6 * np.sin(1e-6 * (stamp % 10**9))  # no sensor says the same all the time
        self._torques.publish(self._encode_torque(stamp, self.torque + noise))

    def _on_command(self, message: Float64MultiArray) -> None:
        self.told.append((time.monotonic(), np.array(message.data)))

    def _on_target(self, data: bytes) -> None:
        self.told_states.append(self._decode(data).position)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self.reports[status.name] = status

    def call(self, kind: type, name: str, request: Any = None) -> Any:
        """Return the response of a service."""
        client = self._node.create_client(kind, name)
        until(client.service_is_ready, START, name)
        future = client.call_async(request or kind.Request())
        until(future.done, SOON, f'answer of {name}')
        self._node.destroy_client(client)
        return future.result()

    def says(self, node: str, text: str) -> bool:
        """Return whether the last diagnostics of a node contain a text."""
        status = self.reports.get(f'/surrogate/{node}')
        if status is None:
            return False
        return text in ' '.join([status.message, *(item.value for item in status.values)])


def until(true: Callable[[], Any], seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f'{what}: not within {seconds:g} s'
        time.sleep(0.005)


@pytest.fixture
def open_robot(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Robot]]:
    """Return what starts the surrogate's graph, as docs/graph.md says, and a robot."""
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    model = load_fit_robot(load_scenario('lwr_tcp').robot)
    opened: list[Robot] = []
    launched: list[Any] = []

    def start(away: np.ndarray = AWAY) -> Robot:
        domain = int(graph.environment['ROS_DOMAIN_ID'])
        opened.append(Robot(domain, model.home + away, model.joint_names))
        given = [word for setting in SETTINGS for word in ('--set', setting)]
        process = graph.launch(
            *('lwr_tcp', *given, '--realtime', '--composed', '--namespace', 'surrogate'),
            *('--stream-commands', '/arm/commands', '--stream-joint-states', '/arm/targets'),
            *('--robot-states', '/joint_states', '--robot-torques', '/arm/external_torques'),
            *('--no-record', '--priority', '0'),
        )
        launched.append(process)
        return opened[-1]

    yield start
    for process in launched:
        process.terminate()
        process.wait(START)
    for robot in opened:
        robot.close()
    print(graph.output)


def test_the_robot_is_led_as_its_surrogate_is(open_robot: Callable[..., Robot]) -> None:
    robot = open_robot()
    start = robot.position.copy()
    until(lambda: len(robot.told) > 20, START, 'positions')
    first = np.array([position for _, position in robot.told[:20]])
    np.testing.assert_allclose(first, np.tile(start, (20, 1)), atol=1e-4)  # it begins where it is
    np.testing.assert_allclose(robot.position, start, atol=1e-4)
    robot.torque[PUSHED] = TORQUE
    time.sleep(1.0)
    robot.torque[PUSHED] = 0.0
    led = robot.position - start
    time.sleep(0.3)
    path = np.array([position for _, position in robot.told])
    states = np.array(robot.told_states[: len(path)])
    np.testing.assert_array_equal(path[: len(states)], states[: len(path)])
    # What the same torque does to the admittance alone, for the same time.
    scenario = load_scenario('lwr_tcp', SETTINGS)
    model = load_fit_robot(scenario.robot)
    alone = Guidance(model, scenario.admittance, PERIOD)
    push = np.zeros(model.n)
    push[PUSHED] = TORQUE
    expected = [alone.step(start, push + 1e-6 * k).position - start for k in range(100)][-1]
    assert expected[PUSHED] > 0.2
    assert led[PUSHED] == pytest.approx(expected[PUSHED], rel=0.1)
    others = np.delete(led, PUSHED)
    assert np.abs(others).max() < 0.02 * led[PUSHED]
    speeds = np.abs(np.diff(path, axis=0)) / PERIOD
    assert (speeds <= 10 * model.velocity_limit).all()  # late ones may have up to ten periods
    assert np.isfinite(path).all()
    assert not robot.says('plant', 'brakes')


@pytest.mark.parametrize('fault', ['it does not follow', 'it does not tell where it is'])
def test_the_surrogate_brakes_if_the_robot_is_lost(
    open_robot: Callable[..., Robot], fault: str
) -> None:
    robot = open_robot()
    until(lambda: len(robot.told) > 20, START, 'positions')
    robot.torque[PUSHED] = TORQUE
    time.sleep(0.2)
    if fault == 'it does not follow':
        robot.follows = False
        reason = 'from the position sent to it'
    else:
        robot.speaks = False
        robot.torque[PUSHED] = 0.0  # else it is soon elsewhere, as far as anybody knows
        reason = '/joint_states: no message for 60 periods'
    until(lambda: robot.says('plant', reason), SOON, 'brakes')
    time.sleep(1.0)
    at = len(robot.told)
    time.sleep(0.5)
    held = np.array([position for _, position in robot.told[at:]])
    assert len(held) > 10  # it is told to stay, all the time
    np.testing.assert_array_equal(held, np.tile(held[0], (len(held), 1)))
    robot.torque[PUSHED] = 0.0
    if fault == 'it does not follow':
        # Nobody is released who is elsewhere; the surrogate comes to where the robot is.
        robot.call(SetBool, '/surrogate/control_simulation/stop', SetBool.Request(data=False))
        time.sleep(1.5)
        assert robot.says('plant', reason)
        assert robot.call(Trigger, '/surrogate/plant/reset').success
        robot.follows = True
    robot.speaks = True
    where = robot.position.copy()
    time.sleep(0.5)

    def released() -> bool:
        robot.call(SetBool, '/surrogate/control_simulation/stop', SetBool.Request(data=False))
        time.sleep(1.5)
        return robot.says('plant', 'running')

    until(released, START, 'release')
    until(lambda: robot.call(Trigger, '/surrogate/admittance/start').success, SOON, 'start')
    time.sleep(0.5)
    moved = 0.25 if fault == 'it does not follow' else 0.01
    assert np.abs(robot.position - where).max() < moved
    before = robot.position[PUSHED]
    robot.torque[PUSHED] = TORQUE
    until(lambda: robot.position[PUSHED] > before + 0.05, SOON, 'guiding')


def test_a_robot_that_is_beyond_its_range_gets_no_position(
    open_robot: Callable[..., Robot],
) -> None:
    away = AWAY.copy()
    away[1] = 5.0
    robot = open_robot(away)
    until(lambda: robot.says('plant', 'waiting for the position of the robot'), START, 'refusal')
    until(lambda: robot.says('plant', 'lwr_a2_joint of the robot is at'), SOON, 'reason')
    assert not robot.told
    robot.position = robot.position - away + AWAY
    until(lambda: len(robot.told) > 20, SOON, 'positions')
    np.testing.assert_allclose(robot.told[0][1], robot.position, atol=1e-3)
