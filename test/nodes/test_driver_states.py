"""The joint states of a driver that publishes best effort, at the right rate and at another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from lone_node import LoneNode
import numpy as np
import pytest
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

from simloop_ros.nodes.control_simulation import ControlSimulationNode
from simloop_ros.ros.launch.wiring import WiringOptions
from simloop_ros.ros.messages.joint_state import JointStateEncoder
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.scenario.loading import load_scenario

PERIOD = 0.01
EPOCH = 1_700_000_000 * 10**9
SETTINGS = ('robot=two_link', f'period={PERIOD}', 'planner.move=[[0.1, 0, 0.1]]')
SENSOR_DATA = QoSProfile(
    depth=5, reliability=ReliabilityPolicy.BEST_EFFORT, durability=DurabilityPolicy.VOLATILE
)


@pytest.fixture
def control(graph: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[LoneNode]:
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    options = WiringOptions(realtime=True, simulated=False)
    scenario = load_scenario('step', SETTINGS)
    domain = int(graph.environment['ROS_DOMAIN_ID'])
    alone = LoneNode(domain, 'control_simulation', ControlSimulationNode, scenario, options)
    yield alone
    alone.close()


def drive(control: LoneNode, rate: float) -> Callable[[], None]:
    """Return what publishes the next joint state of a driver, some states per period."""
    encode = JointStateEncoder(control.model.joint_names, ('position',)).encode
    publisher = control.other.create_publisher(JointState, 'joint_states', SENSOR_DATA)
    control.until(publisher.get_subscription_count)
    step = 0

    def publish() -> None:
        nonlocal step
        step += 1
        publisher.publish(encode(EPOCH + stamp_of(step, PERIOD / rate), control.model.home))

    control.other.create_timer(0.001, publish)
    return publish


@pytest.mark.parametrize('rate', [1.0, 2.5])
def test_a_best_effort_driver_is_heard_and_its_rate_counts(control: LoneNode, rate: float) -> None:
    states: list[JointState] = []
    control.other.create_subscription(JointState, 'control_state', states.append, 10)
    drive(control, rate)
    if rate == 1.0:
        control.until(lambda: len(states) > 3)
        np.testing.assert_allclose(states[-1].position, control.model.home)
    else:
        control.reports('250 Hz measured', DiagnosticStatus.ERROR)
        assert not states
