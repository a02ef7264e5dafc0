"""The dead-man switch, what the robot carries, and who has the robot: control alone, over DDS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import InertiaStamped
from lone_node import LoneNode
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64MultiArray
from std_srvs.srv import SetBool

from simloop_ros.nodes.control_simulation import ControlSimulationNode
from simloop_ros.nodes.robot_follower import RobotFollowerNode
from simloop_ros.robot.config import Payload
from simloop_ros.robot.weight import weight_efforts
from simloop_ros.ros.launch.wiring import WiringOptions
from simloop_ros.ros.messages.joint_state import JointStateEncoder
from simloop_ros.ros.messages.payload import to_message
from simloop_ros.ros.messages.safety_status import (
    FOLLOWER,
    NO_CONTROL,
    NO_DRIVER,
    SWITCHING,
    SafetyStatus,
    from_message,
)
from simloop_ros.ros.messages.safety_status import to_message as safety_message
from simloop_ros.ros.messages.stamps import stamp_of
from simloop_ros.ros.transport.qos import LATCHED, LATCHED_READER, STREAM
from simloop_ros.scenario.loading import load_scenario

PERIOD = 0.01
EPOCH = 1_700_000_000 * 10**9
SETTINGS = ('robot=two_link', f'period={PERIOD}', 'planner.move=[[0.1, 0, 0.1]]')
# A loaded machine is silent for long, and nothing of that is to be seen here.
DEAD_MAN = ('safety.dead_man=true', 'safety.dead_man_time=3', 'safety.timeout=1000')


def alone(graph: Any, *settings: str, ready: bool = True) -> LoneNode:
    """Start control, with a driver that publishes the robot at its home, and a follower."""
    options = WiringOptions(realtime=True, simulated=False, driver_topic='commands')
    scenario = load_scenario('step', [*SETTINGS, *settings])
    domain = int(graph.environment['ROS_DOMAIN_ID'])
    lone = LoneNode(domain, 'control_simulation', ControlSimulationNode, scenario, options)
    encode = JointStateEncoder(lone.model.joint_names, ('position',)).encode
    publisher = lone.other.create_publisher(JointState, 'joint_states', 10)
    lone.until(publisher.get_subscription_count)
    step = iter(range(1, 10**9))

    def publish() -> None:
        publisher.publish(encode(EPOCH + stamp_of(next(step), PERIOD), lone.model.home))

    lone.other.create_timer(0.005, publish)
    lone.follower = lone.other.create_publisher(DiagnosticStatus, 'safety', LATCHED)
    state = '' if ready else SWITCHING
    lone.follower.publish(safety_message(SafetyStatus(FOLLOWER, '', 0, state=state)))
    return lone


@pytest.fixture
def lone(
    request: pytest.FixtureRequest, graph: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[LoneNode]:
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    found = alone(graph, *getattr(request, 'param', ()))
    yield found
    found.close()


@pytest.mark.parametrize('lone', [DEAD_MAN], indirect=True)
def test_without_somebody_who_holds_it_the_robot_is_stopped(lone: LoneNode) -> None:
    switch = lone.other.create_publisher(Bool, 'dead_man', 10)
    lone.reports('dead_man: not held yet', DiagnosticStatus.ERROR)
    refused = lone.call(SetBool, 'control_simulation/stop', SetBool.Request(data=False))
    assert not refused.success
    assert 'nobody holds it' in refused.message
    holding = lone.other.create_timer(0.05, lambda: switch.publish(Bool(data=True)))
    lone.reports('running', DiagnosticStatus.OK)
    lone.other.destroy_timer(holding)
    switch.publish(Bool(data=False))
    lone.until(lambda: lone.node.control.stopped)
    assert lone.node.control.stopped == 'dead_man: released'
    holding = lone.other.create_timer(0.05, lambda: switch.publish(Bool(data=True)))
    lone.until(lambda: not lone.node.control.stopped)
    lone.other.destroy_timer(holding)  # it falls silent
    lone.until(lambda: lone.node.control.stopped)
    assert lone.node.control.stopped == 'dead_man: no message for 3 s'


@pytest.mark.parametrize('lone', [DEAD_MAN], indirect=True)
def test_holding_it_releases_no_other_stop(lone: LoneNode) -> None:
    switch = lone.other.create_publisher(Bool, 'dead_man', 10)
    lone.other.create_timer(0.05, lambda: switch.publish(Bool(data=True)))
    lone.until(lambda: not lone.node.control.stopped)
    lone.call(SetBool, 'control_simulation/stop', SetBool.Request(data=True))
    switch.publish(Bool(data=False))
    lone.reports('requested by service', DiagnosticStatus.ERROR)
    assert lone.node.control.stopped == 'requested by service'


def test_a_payload_is_taken_over_and_a_bad_one_refused(lone: LoneNode) -> None:
    states: list[JointState] = []
    lone.other.create_subscription(JointState, 'control_state', states.append, 10)
    lone.until(lambda: len(states) > 3)
    publisher = lone.other.create_publisher(InertiaStamped, 'payload', 10)
    lone.until(publisher.get_subscription_count)
    before = weight_efforts(lone.node.control.model, lone.model.home)
    publisher.publish(to_message(Payload(mass=-1.0), 0))
    publisher.publish(to_message(Payload(mass=1e6), 0))
    publisher.publish(to_message(Payload(mass=1.0, tip='nowhere'), 0))
    lone.until(lambda: lone.node.refused == 3)
    publisher.publish(to_message(Payload(mass=0.5), 0))
    lone.call(SetBool, 'control_simulation/stop', SetBool.Request(data=True))  # it gets efforts
    lone.until(
        lambda: abs(weight_efforts(lone.node.control.model, lone.model.home) - before).max() > 0.1
    )


def test_control_does_not_begin_before_the_robot_is_ours(
    graph: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    lone = alone(graph, ready=False)
    states: list[JointState] = []
    lone.other.create_subscription(JointState, 'control_state', states.append, 10)
    for _ in range(100):
        lone.executor.spin_once(timeout_sec=0.02)
    assert not states
    told = lone.reports('running', DiagnosticStatus.OK)
    assert told[FOLLOWER] == SWITCHING
    lone.follower.publish(safety_message(SafetyStatus(FOLLOWER, '', 0)))
    lone.until(lambda: len(states) > 3)
    lone.close()


def test_the_follower_says_when_control_and_driver_are_connected(
    graph: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What control sends before would be lost, and the robot would have to catch up with it."""
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    options = WiringOptions(realtime=True, simulated=False, driver_topic='commands')
    domain = int(graph.environment['ROS_DOMAIN_ID'])
    scenario = load_scenario('step', SETTINGS)
    lone = LoneNode(domain, 'robot_follower', RobotFollowerNode, scenario, options)
    states: list[str] = []
    take = lambda message: states.append(from_message(message).state)  # noqa: E731
    lone.other.create_subscription(DiagnosticStatus, 'safety', take, LATCHED_READER)
    lone.until(lambda: states == [NO_DRIVER])
    lone.reports(NO_DRIVER)
    lone.other.create_subscription(Float64MultiArray, 'commands', lambda _: None, 10)
    lone.until(lambda: states == [NO_DRIVER, NO_CONTROL])
    lone.other.create_publisher(JointState, 'effort_command', STREAM)
    lone.until(lambda: states == [NO_DRIVER, NO_CONTROL, ''])
    lone.reports('running', DiagnosticStatus.OK)
    lone.close()
