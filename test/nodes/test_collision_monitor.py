"""The collision monitor alone, over DDS: two hands press an object, which is no collision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from lone_node import LoneNode
import numpy as np
import pytest
from sensor_msgs.msg import JointState as JointStateMessage
from std_srvs.srv import Trigger
from visualization_msgs.msg import MarkerArray

from simloop_ros.collision.calibration import load_calibration
from simloop_ros.collision.detector import find_calibration
from simloop_ros.collision.explanation import Explainer
from simloop_ros.collision.wrist_torque import WristTorque
from simloop_ros.nodes.collision_monitor import CollisionMonitorNode
from simloop_ros.ros.launch.wiring import WiringOptions
from simloop_ros.ros.messages.joint_state import JointStateDecoder, JointStateEncoder
from simloop_ros.ros.messages.notice import COLLISION, from_message
from simloop_ros.ros.messages.wrists import WRENCHES, hand_axes
from simloop_ros.ros.transport.qos import STREAM
from simloop_ros.scenario.loading import load_scenario

H = 0.001
TARE = 20  # steps in which the bias is learnt
SETTLED = 200  # steps after which the monitor judges
BIAS = 2.0  # N
SQUEEZE = np.zeros((2, 6))
SQUEEZE[:, 2] = -40.0  # N, on each palm
FREE = np.zeros((2, 6))
EXACT = 1e-6  # N m: nothing is left unexplained but rounding
FILLED = 0.01  # N m: what was unexplained before a gap is a mean, and the bias was learnt lately
FULL = ('position', 'velocity', 'effort')
TOPICS = {
    'effort_command': FULL,
    'joint_states': ('position',),
    WRENCHES: ('effort',),
    'control_state': FULL,
}


class Robot(LoneNode):
    """Plays a robot at rest whose efforts bear its weight and what its hands press, exactly.

    :ivar torques: estimated from outside [N m], one for each step.
    :ivar contacts: whether the monitor has told of one, one for each word.
    """

    def __init__(self, domain: int, **options: Any):
        self._drivers: list[Any] = []
        settings = [f'bimanual.tare_time={TARE * H}', f'period={H}']
        scenario = load_scenario('workerbot_bump', settings)
        wired = WiringOptions(priority=0, **options)
        super().__init__(domain, 'collision_monitor', CollisionMonitorNode, scenario, wired)
        model = self.model
        path = find_calibration(scenario.monitor.calibration, H)
        learnt = Explainer(model, load_calibration(path, model, H).explanation)
        rest = np.zeros(model.n)
        self._weight = learnt.torque(model.home, rest, rest)
        self._of_wrists = WristTorque(model, TARE * H, H).torque
        self._step = self._stamp = 0
        self.torques: dict[int, np.ndarray] = {}
        self.contacts: list[bool] = []
        publish = self.other.create_publisher
        names = model.joint_names
        self._senders = {
            topic: (
                publish(JointStateMessage, topic, STREAM),
                JointStateEncoder(hand_axes(model.tips) if topic == WRENCHES else names, fields),
            )
            for topic, fields in TOPICS.items()
            if topic != WRENCHES or wired.simulated
        }
        self._decode = JointStateDecoder(names, ('effort',)).decode
        subscribe = self.other.create_subscription
        subscribe(JointStateMessage, 'external_torque', self._on_torque, STREAM, raw=True)
        subscribe(DiagnosticArray, COLLISION, self._on_collision, STREAM)
        self.shown: list[MarkerArray] = []
        subscribe(MarkerArray, 'markers', self.shown.append, 10)
        if not wired.simulated:
            topics = ('hand_1/wrench', 'hand_2/wrench')
            self._drivers = [publish(WrenchStamped, topic, 10) for topic in topics]
        senders = [*self._drivers, *(sender for sender, _ in self._senders.values())]
        self.until(lambda: all(sender.get_subscription_count() for sender in senders))
        self.send(0, 'control_state', model.home, rest, rest)  # real time begins with it
        self.until(lambda: self.node.topics.resend.received)

    def send(self, stamp: int, topic: str, *arrays: np.ndarray) -> None:
        publisher, encoder = self._senders[topic]
        publisher.publish(encoder.encode(stamp, *arrays))

    def _on_torque(self, data: bytes) -> None:
        message = self._decode(data)
        self.torques[message.stamp] = message.effort

    def _on_collision(self, message: DiagnosticArray) -> None:
        self.contacts.append(from_message(message).contact)

    def feel(self, stamp: int, wrenches: np.ndarray) -> None:
        """Tell what the wrists read."""
        if not self._drivers:
            self.send(stamp, WRENCHES, wrenches.ravel())
            return
        for hand, numbers in enumerate(wrenches):
            self.drive(hand, self.model.sensors[hand], numbers)
        self.until(lambda: np.array_equal(self.node._wrenches, wrenches))

    def drive(self, hand: int, frame: str, numbers: np.ndarray) -> None:
        """Tell what the driver of a hand's sensor reads, by a clock of its own."""
        message = WrenchStamped()
        message.header.frame_id = frame
        message.header.stamp.sec = 1_700_000_000
        force, torque = message.wrench.force, message.wrench.torque
        force.x, force.y, force.z, torque.x, torque.y, torque.z = map(float, numbers)
        self._drivers[hand].publish(message)

    def press(self, wrenches: np.ndarray, steps: int, *, told: bool = True) -> float:
        """Let the hands press for some steps; return the largest torque that is not explained.

        :param told: whether the sensors read it.
        """
        q, rest = self.model.home, np.zeros(self.model.n)
        effort = self._weight - self._of_wrists(q, wrenches)
        largest = 0.0
        for _ in range(steps):
            self._step += 1
            start, end = self._stamp, round(self._step * H * 1e9)
            self._stamp = end
            self.send(start, 'effort_command', q, rest, effort)
            self.send(end, 'joint_states', q)
            self.feel(end, BIAS + (wrenches if told else FREE))
            self.send(end, 'control_state', q, rest, effort)
            self.until(lambda end=end: end in self.torques)
            largest = max(largest, float(np.abs(self.torques[end]).max()))
        return largest

    def miss(self, steps: int) -> None:
        """Let some steps go by that nobody sees: the command before them is kept."""
        self._step += steps


@pytest.fixture
def robot(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Robot]]:
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    opened: list[Robot] = []

    def start(**options: Any) -> Robot:
        opened.append(Robot(int(graph.environment['ROS_DOMAIN_ID']), **options))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def test_an_object_in_hand_is_none_if_the_wrists_tell(robot: Callable[..., Robot]) -> None:
    hands = robot()
    hands.press(FREE, SETTLED)
    assert hands.press(SQUEEZE, 50) < EXACT
    assert not any(hands.contacts)
    assert hands.press(SQUEEZE, 50, told=False) > 1.0
    assert any(hands.contacts)
    hands.until(lambda: hands.shown)
    for message in hands.shown:
        keys = {(marker.ns, marker.id) for marker in message.markers}
        assert len(keys) == len(message.markers)
        assert all(marker.lifetime.sec for marker in message.markers if not marker.action)


def test_a_reset_keeps_what_free_hands_read(robot: Callable[..., Robot]) -> None:
    """Learnt anew with an object in hand, the bias would be its squeeze."""
    hands = robot()
    hands.press(FREE, 2 * TARE)
    hands.press(SQUEEZE, 10)
    assert hands.call(Trigger, '/collision_monitor/reset', Trigger.Request()).success
    assert hands.press(SQUEEZE, 2 * TARE) < EXACT
    assert hands.press(FREE, 50) < EXACT
    assert not any(hands.contacts)


def test_steps_that_nobody_saw_have_an_object_in_hand(robot: Callable[..., Robot]) -> None:
    hands = robot(realtime=True)
    hands.press(FREE, 2 * TARE)
    hands.press(SQUEEZE, 10)
    for missed in (1, 3, 8):
        hands.miss(missed)
        assert hands.press(SQUEEZE, 10) < FILLED
    assert hands.node.report().values['interpolated steps'] == 12
    assert not any(hands.contacts)


def test_the_drivers_of_a_real_robot_tell_what_the_wrists_feel(
    robot: Callable[..., Robot],
) -> None:
    hands = robot(realtime=True, simulated=False)
    hands.drive(0, hands.model.sensors[0], FREE[0])
    hands.drive(1, hands.model.sensors[0], FREE[1])  # whose is it?
    values = hands.reports('no messages on hand_2/wrench', key='refused', least=1)
    assert 'hand_2/wrench: frame_id' in values['last refusal']
    hands.press(FREE, 2 * TARE)
    assert hands.press(SQUEEZE, 50) < EXACT
    assert not any(hands.contacts)
    hands.reports('watching', DiagnosticStatus.OK)
    assert hands.press(SQUEEZE, 50, told=False) > 1.0
