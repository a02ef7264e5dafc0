"""Lifecycle, parameters, services and diagnostics of a real node, here the control simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import time
from typing import Any

import pytest

rclpy = pytest.importorskip('rclpy')
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus  # noqa: E402
from rclpy.context import Context  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from rclpy.node import Node  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_srvs.srv import SetBool  # noqa: E402

from simloop_ros.core.errors import USER_ERROR, SimloopError  # noqa: E402
from simloop_ros.core.values import Setpoint  # noqa: E402
from simloop_ros.nodes.control_simulation import ControlSimulationNode  # noqa: E402
from simloop_ros.ros.launch.wiring import WiringOptions, wire  # noqa: E402
from simloop_ros.ros.transport.qos import LATCHED_READER  # noqa: E402
from simloop_ros.scenario.loading import load_scenario  # noqa: E402

DOMAIN = 58
WEIGHT = 9.82
"""Of the sphere [N]: 1 kg."""


class Bench:
    """A control simulation of the sphere, and a node that talks to it."""

    def __init__(self, context: Context):
        self.context = context
        self.executor = SingleThreadedExecutor(context=context)
        self.other = Node('other', context=context)
        self.executor.add_node(self.other)
        self.control: Any = None

    def node(self, **changes: Any) -> ControlSimulationNode:
        """Create the node with some parameters changed; it does not start by itself."""
        specs = wire(load_scenario('sphere_step'), WiringOptions())
        spec = next(spec for spec in specs if spec.executable == 'control_simulation')
        values = {**spec.parameters, **changes}
        self.control = ControlSimulationNode(
            'control_simulation',
            context=self.context,
            parameter_overrides=[Parameter(key, value=value) for key, value in values.items()],
        )
        self.executor.add_node(self.control)
        return self.control

    def spin_until(self, done: Callable[[], Any], limit: float = 10.0) -> None:
        end = time.monotonic() + limit
        while not done():
            assert time.monotonic() < end, 'it did not happen'
            self.executor.spin_once(timeout_sec=0.05)
            if self.control:
                self.control.schedule.run()


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    context = Context()
    rclpy.init(context=context, domain_id=DOMAIN)
    bench = Bench(context)
    yield bench
    if bench.control:
        bench.control.stop()
        bench.control.destroy_node()
    bench.other.destroy_node()
    bench.executor.shutdown()
    rclpy.shutdown(context=context)


def set_parameter(node: Node, name: str, value: Any) -> str:
    """Set a parameter; return why not, or nothing."""
    result = node.set_parameters([Parameter(name, value=value)])[0]
    return '' if result.successful else result.reason


def test_a_node_starts_by_itself_or_waits_to_be_told(bench: Bench) -> None:
    node = bench.node(autostart=False)
    node.start()
    assert not node.active
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert node.trigger_activate() == TransitionCallbackReturn.SUCCESS
    assert node.active
    assert node.trigger_deactivate() == TransitionCallbackReturn.SUCCESS
    assert not node.active
    assert node.trigger_cleanup() == TransitionCallbackReturn.SUCCESS
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS


def test_a_mistake_in_the_parameters_is_one_clear_line(bench: Bench) -> None:
    node = bench.node(**{'robot.urdf': '/no/such/robot.urdf'})
    with pytest.raises(SimloopError, match=r'control_simulation: .*no/such/robot'):
        node.start()
    assert node.exit_status == USER_ERROR


def test_parameters_change_only_where_that_is_safe(bench: Bench) -> None:
    node = bench.node()
    node.start()
    assert 'cannot change while the node is configured' in set_parameter(
        node, 'control.law', 'computed_torque'
    )
    assert 'cannot change' in set_parameter(node, 'period', 0.001)
    assert node.get_parameter('control.law').value == 'deadbeat'
    assert set_parameter(node, 'safety.timeout', 20) == ''
    assert set_parameter(node, 'safety.timeout', -3) != ''
    assert 'valid: damp, hold, path' in set_parameter(node, 'safety.stop', 'nothing')
    assert node.get_parameter('safety.timeout').value == 20
    node.trigger_deactivate()
    node.trigger_cleanup()
    assert set_parameter(node, 'control.law', 'computed_torque') == ''
    assert set_parameter(node, 'control.bandwidth', -1.0) != ''


def test_a_stop_kind_that_changes_takes_effect(bench: Bench) -> None:
    node = bench.node()
    node.start()
    height = node.control.state.position
    draws = []
    for kind in ('hold', 'damp'):
        assert set_parameter(node, 'safety.stop', kind) == ''
        node.stop_robot('a test')
        for position in (*[height] * 5, *[height + 1e-5] * 5):
            node.control.rollback(position)
            effort = node.control.step(Setpoint(height, 0.0 * height)).effort
        draws.append(abs(float(effort[0]) - WEIGHT))
        node.control.release()
    assert draws[0] > 1e-3
    assert draws[1] == pytest.approx(0.0, abs=1e-6)


def test_a_service_says_why_it_cannot_be_served(bench: Bench) -> None:
    node = bench.node()
    node.start()
    client = bench.other.create_client(SetBool, 'control_simulation/stop')
    bench.spin_until(client.service_is_ready)

    def call(data: bool) -> tuple[bool, str]:
        future = client.call_async(SetBool.Request(data=data))
        bench.spin_until(future.done)
        answer = future.result()
        return answer.success, answer.message

    assert call(False) == (False, 'not stopped')
    assert call(True) == (True, 'stopped: requested by service')
    success, message = call(False)
    assert success
    assert 'service start' in message
    node.trigger_deactivate()
    assert call(True) == (False, 'control_simulation is not active')


def test_control_that_is_active_again_releases_nothing(bench: Bench) -> None:
    """Meanwhile the robot was braked and is elsewhere: in real time somebody has to release it."""
    said: list[DiagnosticStatus] = []
    bench.other.create_subscription(DiagnosticStatus, 'safety', said.append, LATCHED_READER)
    node = bench.node(realtime=True)
    node.start()
    bench.spin_until(lambda: said and said[-1].level == DiagnosticStatus.OK)
    node.trigger_deactivate()
    node.trigger_activate()
    assert node.control.stopped == 'control is not active'
    bench.spin_until(lambda: said[-1].level == DiagnosticStatus.ERROR)
    assert said[-1].message == 'control is not active'


def test_diagnostics_say_what_is_waited_for(bench: Bench) -> None:
    seen: list[DiagnosticStatus] = []
    bench.other.create_subscription(
        DiagnosticArray, '/diagnostics', lambda message: seen.extend(message.status), 10
    )
    node = bench.node()
    node.start()
    bench.spin_until(lambda: any('waiting' in status.message for status in seen))
    status = next(status for status in seen if 'waiting' in status.message)
    assert status.level == DiagnosticStatus.WARN
    assert status.name == '/control_simulation'
    assert 'desired_joint_states at 0 s' in status.message


def test_what_leaves_a_callback_ends_the_process_cleanly(bench: Bench) -> None:
    """An exception that nobody foresaw is noted; it does not fly through the executor."""
    node = bench.node()
    node.start()
    node.guard(lambda: [][0])
    assert node.failure.startswith('IndexError')
    assert node.exit_status == 1


def test_a_command_tells_whether_an_effort_limit_was_applied(bench: Bench) -> None:
    """A recorder cannot see it from the effort, which may just be at the limit."""
    kinds: list[str] = []
    bench.other.create_subscription(
        JointState, 'effort_command', lambda m: kinds.append(m.header.frame_id), 10
    )
    node = bench.node()
    node.start()
    desired = bench.other.create_publisher(JointState, 'desired_joint_states', 10)
    bench.spin_until(lambda: desired.get_subscription_count())
    bench.spin_until(lambda: node.count_subscribers('effort_command'))
    names = list(node.control.control.model.joint_names)
    away = node.control.state.position + 10.0
    stay = JointState(name=names, position=away.tolist())
    bench.spin_until(lambda: desired.publish(stay) or kinds)
    assert kinds[0] == 'limited'


def test_quality_of_service_can_be_overridden(bench: Bench) -> None:
    node = bench.node(**{'qos_overrides./joint_states.subscription.depth': 7})
    node.start()
    [found] = node.get_subscriptions_info_by_topic('/joint_states')
    assert node.get_parameter('qos_overrides./joint_states.subscription.depth').value == 7
    assert found.qos_profile.depth in (0, 7)  # this middleware does not tell the depth of others
    assert node.has_parameter('qos_overrides./effort_command.publisher.reliability')
