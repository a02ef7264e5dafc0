"""The action ``follow_joint_trajectory`` of a running graph, with a client over DDS.

Only where ``control_msgs`` is installed; its messages come from ROS, as by
``apt install ros-jazzy-control-msgs``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
import json
from pathlib import Path
import signal
import time
from typing import Any

from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticStatus
from lone_node import LoneNode
import pytest
from rclpy.action import ActionClient
from spun_node import SpunNode
from std_msgs.msg import Header, String
from std_srvs.srv import SetBool, Trigger
import yaml

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.nodes.motion_planner import MotionPlannerNode
from simloop_ros.ros.launch.options import WiringOptions
from simloop_ros.ros.messages.goals import HeardStatus, heard_status
from simloop_ros.ros.transport.qos import EVENTS, STREAM
from simloop_ros.scenario.loading import load_scenario

control = pytest.importorskip(
    'control_msgs.action', reason='control_msgs is not installed: the action is not there'
)
Action = control.FollowJointTrajectory
Result = Action.Result
ENDS = (1, 130)  # interrupted; or late, or off its path, as the last test wants it
LONGEST = 60.0  # for anything to happen on a loaded machine [s]
SUCCEEDED, CANCELED, ABORTED = (
    GoalStatus.STATUS_SUCCEEDED,
    GoalStatus.STATUS_CANCELED,
    GoalStatus.STATUS_ABORTED,
)
NAME = 'cell/arm/move'
LOCKSTEP = (
    *('irb120_rectangle', '--set', 'planner.kind=hold', '--set', 'plant.noise=1e-4'),
    *('--set', 'period=0.005', '--namespace', 'cell', '--endless', '--composed', '--no-figures'),
    *('--action', 'arm/move'),
)
REALTIME = (
    *('irb120_rectangle', '--set', 'planner.kind=hold', '--set', 'period=0.01'),
    *('--set', 'safety.timeout=100', '--set', 'control.natural_frequency=20'),
    *('--namespace', 'cell', '--endless', '--realtime', '--priority', '0', '--no-figures'),
    *('--action', 'arm/move'),
)


class Client(SpunNode):
    """Sends goals over the action, and hears of them on ``goal_status``."""

    def __init__(self, domain: int):
        super().__init__('client', domain)
        node = self._node
        self.heard: list[HeardStatus] = []
        self.feedback: list[Any] = []
        self.client = ActionClient(node, Action, NAME)
        node.create_subscription(DiagnosticStatus, 'cell/goal_status', self._take, STREAM)
        self.recorded = 0.0  # time up to which the log is [s]
        node.create_subscription(Header, 'cell/recorded', self._note, EVENTS)
        self.named = node.create_publisher(String, 'cell/goal_named', EVENTS)
        self.services = {
            'stop': node.create_client(SetBool, 'cell/control_simulation/stop'),
            'start': node.create_client(Trigger, 'cell/motion_planner/start'),
        }
        self.begin()

    def _take(self, message: DiagnosticStatus) -> None:
        heard = heard_status(message)
        assert heard is not None
        self.heard.append(heard)

    def _note(self, message: Header) -> None:
        self.recorded = message.stamp.sec + 1e-9 * message.stamp.nanosec

    @property
    def matched(self) -> bool:
        ready = all(service.service_is_ready() for service in self.services.values())
        heard = self._node.count_publishers('cell/goal_status')
        return self.client.server_is_ready() and ready and bool(heard)

    def until(self, true: Callable[[], object]) -> None:
        end = time.monotonic() + LONGEST
        while not true():
            assert time.monotonic() < end, self.heard
            time.sleep(0.005)

    def wait(self, future: Any) -> Any:
        self.until(future.done)
        return future.result()

    def send(self, goal: Any) -> Any:
        """Return the handle of a goal."""
        self.feedback.clear()
        sent = self.client.send_goal_async(
            goal, feedback_callback=lambda message: self.feedback.append(message.feedback)
        )
        return self.wait(sent)

    def result(self, handle: Any) -> tuple[int, int, str]:
        """Return state, code and text of a goal that has ended."""
        assert handle.accepted
        response = self.wait(handle.get_result_async())
        return response.status, response.result.error_code, response.result.error_string

    def call(self, service: str, request: Any) -> Any:
        return self.wait(self.services[service].call_async(request))


def a_goal(position: float, *, seconds: int = 0, joint: str = 'joint_1') -> Any:
    """Return a goal for one joint; in no time where none is given."""
    goal = Action.Goal()
    goal.trajectory.joint_names = [joint]
    points = type(goal.trajectory).get_fields_and_field_types()['points']
    assert 'JointTrajectoryPoint' in points
    point = type(Action.Feedback().desired)(positions=[position])
    point.time_from_start.sec = seconds
    goal.trajectory.points.append(point)
    return goal


def a_tolerance(position: float, **others: float) -> Any:
    messages = pytest.importorskip('control_msgs.msg')
    return messages.JointTolerance(name='joint_1', position=position, **others)


@pytest.fixture(
    scope='module',
    params=[
        pytest.param(LOCKSTEP, id='lockstep'),
        pytest.param(REALTIME, id='real time', marks=pytest.mark.long),
    ],
)
def client(
    request: pytest.FixtureRequest, open_graph: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    folder: Path = tmp_path_factory.mktemp('graph')
    with open_graph(folder) as graph:
        process = graph.launch(*request.param, '--out', str(folder / 'out'))
        client = Client(int(graph.environment['ROS_DOMAIN_ID']))
        try:
            graph.wait_until(lambda: client.matched, LONGEST)
            # In real time the motion has to begin first.
            client.until(lambda: client.result(client.send(a_goal(0.05)))[0] == SUCCEEDED)
            yield client
            client.send(a_goal(-0.5, seconds=30))  # nothing fails because of a goal under way
            process.send_signal(signal.SIGINT)
            assert process.wait(LONGEST) in ENDS, graph.output
            for word in ('Traceback', 'never awaited'):
                assert word not in graph.output, graph.output
        finally:
            client.close()
            process.kill()
            process.wait()


def test_a_goal_is_followed_to_its_end(client: Client) -> None:
    handle = client.send(a_goal(0.3, seconds=2))
    status, code, text = client.result(handle)
    assert (status, code) == (SUCCEEDED, Result.SUCCESSFUL), text
    assert text.startswith('reached, joint_1 within ')
    assert len(client.feedback) > 10
    first, last = client.feedback[0], client.feedback[-1]
    assert list(first.joint_names) == ['joint_1']
    assert abs(first.actual.positions[0] - first.desired.positions[0]) < 0.02
    assert last.desired.positions[0] == pytest.approx(0.3, abs=0.05)
    since = last.actual.time_from_start
    assert since.sec + 1e-9 * since.nanosec == pytest.approx(2.0, abs=0.5)


@pytest.mark.parametrize(
    ('change', 'reason'),
    [
        (lambda goal: goal.trajectory.points.clear(), 'one is empty'),
        (lambda goal: goal.path_tolerance.append(a_tolerance(0.1, acceleration=1.0)), 'measured'),
    ],
)
def test_what_cannot_be_read_is_rejected(
    client: Client, change: Callable[[Any], None], reason: str
) -> None:
    goal = a_goal(0.3)
    change(goal)
    assert not client.send(goal).accepted
    client.until(lambda: client.heard and reason in client.heard[-1].reason)


@pytest.mark.parametrize(
    ('goal', 'code', 'reason'),
    [
        (a_goal(9.0), Result.INVALID_GOAL, 'refused: out of range: joint_1'),
        (a_goal(-1.5, seconds=1), Result.INVALID_GOAL, 'refused: too fast: joint_1'),
        (a_goal(0.1, joint='elbow'), Result.INVALID_JOINTS, "refused: unknown joint 'elbow'"),
    ],
)
def test_what_the_planner_refuses_is_aborted_with_the_reason(
    client: Client, goal: Any, code: int, reason: str
) -> None:
    status, told, text = client.result(client.send(goal))
    assert (status, told) == (ABORTED, code), text
    assert text.startswith(reason)


def test_cancel(client: Client) -> None:
    handle = client.send(a_goal(-0.5, seconds=30))
    client.wait(handle.cancel_goal_async())
    status, code, text = client.result(handle)
    assert (status, code, text[:9]) == (CANCELED, Result.INVALID_GOAL, 'cancelled')


def test_another_goal_replaces_it(client: Client) -> None:
    first = client.send(a_goal(-0.5, seconds=30))
    second = client.send(a_goal(0.1, seconds=30))
    assert client.result(first) == (ABORTED, Result.INVALID_GOAL, 'replaced by another goal')
    client.named.publish(String(data='home'))
    assert client.result(second) == (ABORTED, Result.INVALID_GOAL, 'replaced by another goal')
    client.until(lambda: client.heard[-1].state == 'reached')


def test_a_robot_that_leaves_its_path(client: Client) -> None:
    goal = a_goal(0.4, seconds=20)
    goal.path_tolerance.append(a_tolerance(1e-9))
    status, code, text = client.result(client.send(goal))
    assert (status, code) == (ABORTED, Result.PATH_TOLERANCE_VIOLATED), text
    assert text.startswith('path: joint_1 has a position error of ')


def test_a_robot_that_does_not_come_near_enough(client: Client) -> None:
    goal = a_goal(0.0)
    goal.goal_tolerance.append(a_tolerance(1e-15))
    goal.goal_time_tolerance.nanosec = 50_000_000
    status, code, text = client.result(client.send(goal))
    assert (status, code) == (ABORTED, Result.GOAL_TOLERANCE_VIOLATED), text
    assert 'after the end of the motion' in text


def test_a_stop_ends_it_and_goals_are_refused_until_the_start(client: Client) -> None:
    handle = client.send(a_goal(-0.5, seconds=30))
    client.call('stop', SetBool.Request(data=True))
    assert client.result(handle) == (ABORTED, Result.INVALID_GOAL, 'the robot was stopped')
    refused = client.result(client.send(a_goal(0.2)))
    assert refused[:2] == (ABORTED, Result.INVALID_GOAL)
    assert refused[2].startswith('refused: the robot is stopped')
    client.call('stop', SetBool.Request(data=False))
    client.until(lambda: client.call('start', Trigger.Request()).success)
    assert client.result(client.send(a_goal(0.2)))[0] == SUCCEEDED


def test_with_the_executor_of_ros_2_jazzy(graph: Any) -> None:
    """A planner alone: nobody moves, but goals are answered, refused and cancelled."""
    scenario = load_scenario('irb120_rectangle', ['planner.kind=hold'])
    domain = int(graph.environment['ROS_DOMAIN_ID'])
    lone = LoneNode(domain, 'motion_planner', MotionPlannerNode, scenario, WiringOptions())
    client = ActionClient(lone.other, Action, 'follow_joint_trajectory')

    def wait(future: Any) -> Any:
        lone.until(future.done)
        return future.result()

    try:
        lone.until(client.server_is_ready)
        refused = wait(wait(client.send_goal_async(a_goal(9.0))).get_result_async())
        assert refused.status == ABORTED
        assert refused.result.error_string.startswith('refused: out of range')
        handle = wait(client.send_goal_async(a_goal(0.3)))
        assert wait(handle.cancel_goal_async()).goals_canceling
        assert wait(handle.get_result_async()).status == CANCELED
        assert not wait(handle.cancel_goal_async()).goals_canceling
        under_way = wait(client.send_goal_async(a_goal(0.3)))
        lone.node.trigger_deactivate()
        ended = wait(under_way.get_result_async())
        assert ended.status == ABORTED
        assert ended.result.error_string == 'motion_planner is not active any more'
        assert not wait(client.send_goal_async(a_goal(0.3))).accepted
    finally:
        client.destroy()
        lone.close()


@pytest.mark.long
def test_a_goal_in_lockstep_replays_to_the_same_digest(graph: Any) -> None:
    """It takes the way of the topics, so it is kept as theirs are."""
    out, settings = graph.folder / 'out', ['planner.kind=hold', 'period=0.005', 'seed=7']
    process = graph.launch(*LOCKSTEP, '--set', 'seed=7', '--out', str(out))
    client = Client(int(graph.environment['ROS_DOMAIN_ID']))
    try:
        graph.wait_until(lambda: client.matched, LONGEST)
        assert client.result(client.send(a_goal(0.1, seconds=2)))[0] == SUCCEEDED
        assert client.result(client.send(a_goal(9.0)))[0] == ABORTED
        client.wait(client.send(a_goal(-0.5, seconds=5)).cancel_goal_async())
        client.until(lambda: client.heard[-1].state == 'done')
        client.until(lambda: client.recorded > client.heard[-1].time + 0.5)  # up to there
        process.send_signal(signal.SIGINT)
        assert process.wait(LONGEST) in ENDS, graph.output
    finally:
        client.close()
        process.kill()
        process.wait()
    summary = json.loads((out / 'summary.json').read_text())
    goals = yaml.safe_load((out / 'goals.yaml').read_text())
    assert [goal['do'] for goal in goals] == ['trajectory'] * 3 + ['cancel']
    given = [f'goals={json.dumps(goals)}', f'duration={0.005 * summary["steps"]}']
    scenario = load_scenario('irb120_rectangle', [*settings, 'plant.noise=1e-4', *given])
    again = run(assemble(scenario), graph.folder / 'again', time.perf_counter)
    assert again['digest'] == summary['digest']
