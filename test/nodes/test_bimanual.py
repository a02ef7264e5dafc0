"""The node of two hands alone, over DDS: the test plays control and the sensors' drivers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from lone_node import LoneNode
import numpy as np
import pytest
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState as JointStateMessage
from std_srvs.srv import Trigger

from simloop_ros.nodes.bimanual import BimanualNode
from simloop_ros.ros.launch.wiring import WiringOptions
from simloop_ros.ros.messages.joint_state import JointStateDecoder, JointStateEncoder
from simloop_ros.ros.messages.safety_status import SAFETY, SafetyStatus, to_message
from simloop_ros.ros.messages.setpoint import PREDICTED
from simloop_ros.ros.messages.wrists import CORRECTIONS
from simloop_ros.ros.transport.qos import LATCHED, STREAM
from simloop_ros.safety.config import SafetyConfig
from simloop_ros.scenario.loading import load_scenario

H = 0.001
TIMEOUT = SafetyConfig().timeout_periods(H)
SETTINGS = (
    'bimanual.tasks=[{do: approach, path: cp, clearance: 0.008, durations: [1]}]',
    'bimanual.sensor_noise=false',  # else a silent driver is a frozen sensor, as soon
    f'period={H}',
)


class Hands(LoneNode):
    """Plays a real robot that follows without an error, and the drivers of its sensors.

    :ivar doing: what the node says that its hands do, after the last step.
    """

    def __init__(self, domain: int):
        scenario = load_scenario('workerbot_carry', SETTINGS)
        options = WiringOptions(realtime=True, simulated=False, priority=0)
        super().__init__(domain, 'bimanual', BimanualNode, scenario, options)
        self.doing = ''
        self.q = self.model.home
        self._rng = np.random.default_rng(1)
        self._step = 0
        self._answers: dict[int, np.ndarray] = {}
        names = self.model.joint_names
        publish, subscribe = self.other.create_publisher, self.other.create_subscription
        self._states = publish(JointStateMessage, 'control_state', STREAM)
        self._encode = JointStateEncoder(names, ('position', 'velocity')).encode
        self._decode = JointStateDecoder(names, ('position',)).decode
        # Some drivers publish best effort, others reliably.
        drivers = {'hand_1/wrench': qos_profile_sensor_data, 'hand_2/wrench': 10}
        self._drivers = [publish(WrenchStamped, topic, qos) for topic, qos in drivers.items()]
        subscribe(JointStateMessage, 'desired_joint_states', self._on_desired, STREAM, raw=True)
        subscribe(JointStateMessage, CORRECTIONS, self._on_correction, STREAM)
        safety = publish(DiagnosticStatus, SAFETY, LATCHED)
        safety.publish(to_message(SafetyStatus('control_simulation', '', 0)))
        publishers = (self._states, safety, *self._drivers)
        self.until(lambda: all(each.get_subscription_count() for each in publishers))

    def _on_desired(self, data: bytes) -> None:
        message = self._decode(data)
        if message.frame_id != PREDICTED:
            self._answers[message.stamp] = message.position

    def _on_correction(self, message: JointStateMessage) -> None:
        self.doing = message.header.frame_id

    def drive(self, hand: int, frame: str = '') -> None:
        """Tell what the sensor of a free hand reads, by a clock of its own: noise."""
        message = WrenchStamped()
        message.header.frame_id = frame
        message.header.stamp.sec, message.header.stamp.nanosec = 1_700_000_000, self._step + 1
        force = message.wrench.force
        force.x, force.y, force.z = map(float, 0.5 * self._rng.standard_normal(3))
        self._drivers[hand].publish(message)

    def tell(self) -> int:
        """Tell where the robot is; return the stamp [ns]."""
        self._step += 1
        stamp = round(self._step * H * 1e9)
        self._states.publish(self._encode(stamp, self.q, np.zeros(self.model.n)))
        return stamp

    def waits_for(self, topics: str) -> dict[str, str]:
        """Return the values with which the node reports that it waits."""

        def said() -> list[DiagnosticStatus]:
            self.tell()
            text = f'waits for {topics}: '
            return [each for each in self.said if each.message.startswith(text)]

        self.said.clear()
        self.until(said)
        status = said()[-1]
        assert status.level == DiagnosticStatus.WARN
        return {item.key: item.value for item in status.values}

    def begin(self) -> None:
        """Let both drivers speak until the hands set out."""

        def moves() -> bool:
            for hand, sensor in enumerate(self.model.sensors):
                self.drive(hand, sensor)
            self.tell()
            return bool(self.doing)

        self.until(moves)

    def run(self, steps: int, *drivers: int) -> None:
        """Take some steps, in which some drivers speak."""
        for _ in range(steps):
            for hand in drivers:
                self.drive(hand, self.model.sensors[hand])
            for _ in range(4):
                self.executor.spin_once(timeout_sec=0.001)
            stamp = self.tell()
            self.until(lambda stamp=stamp: stamp in self._answers)
            self.q = self._answers[stamp]

    def go_on(self) -> Any:
        """Ask the node to go on; return its answer."""
        return self.call(Trigger, '/bimanual/start', Trigger.Request())


@pytest.fixture
def hands(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hands]:
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    hands = Hands(int(graph.environment['ROS_DOMAIN_ID']))
    yield hands
    hands.close()


def test_hands_wait_for_each_of_their_sensors(hands: Hands) -> None:
    hands.waits_for('hand_1/wrench, hand_2/wrench')
    left, right = hands.model.sensors
    hands.drive(0, left)
    hands.drive(1, left)
    values = hands.waits_for('hand_2/wrench')
    assert f"frame_id is '{left}', the sensor of this hand is '{right}'" in values['last refusal']
    hands.begin()
    hands.run(30, 0, 1)
    assert hands.doing == 'task 1 (approach)'
    hands.reports('planning', DiagnosticStatus.OK)
    assert 'under way already' in hands.go_on().message


def test_a_dead_driver_stops_both_arms_for_good(hands: Hands) -> None:
    hands.begin()
    hands.run(30, 0, 1)
    hands.run(TIMEOUT + 2, 0)
    assert hands.doing.startswith('stopped: wrist sensors lost')
    hands.reports('stopped: wrist sensors lost', DiagnosticStatus.ERROR)
    hands.run(200, 0, 1)
    stands = hands.q
    refused = hands.go_on()
    assert not refused.success
    assert 'bring the robot home' in refused.message
    hands.run(20, 0, 1)
    np.testing.assert_array_equal(hands.q, stands)
