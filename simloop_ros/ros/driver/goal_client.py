"""Gives a goal to a graph that is up, and waits for its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped, TwistStamped
import numpy as np
import pinocchio as pin
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from ...core.errors import MissingDependencyError, SimloopError
from ...goals.goal import (
    AnyGoal,
    CancelCommand,
    JogGoal,
    NamedGoal,
    PauseCommand,
    PoseGoal,
    ResumeCommand,
    TrajectoryGoal,
)
from ...goals.goal_status import ENDS
from ..messages.goals import (
    JOG,
    NAMED,
    POSE,
    STATUS,
    STRAIGHT,
    TRAJECTORY,
    HeardStatus,
    heard_status,
)
from ..node.process import MAX_SPIN_TIME, open_middleware
from ..transport.qos import EVENTS, STREAM

PATIENCE = 5.0
"""Time in which a planner has to be found, or has to answer a service [s]."""
JOG_PERIOD = 0.05
"""Time between two messages of a jog [s]."""
Report = Callable[[str], None]


def give_goal(
    goal: AnyGoal, namespace: str, timeout: float, report: Report, seconds: float = 0.0
) -> bool:
    """Give a goal and return whether it was reached, or a command was taken.

    :param timeout: longest wait for its end [s].
    :param report: called with each line for the user.
    :param seconds: how long a jog goes on [s].
    :raises SimloopError: there is no graph that takes it, or it does not answer.
    """
    client = _Client(namespace, open_middleware([]), report)
    try:
        if isinstance(goal, PauseCommand | ResumeCommand | CancelCommand):
            return client.command(goal)
        return client.move(goal, timeout, seconds)
    finally:
        client.close()
        rclpy.try_shutdown()


class _Client:
    def __init__(self, namespace: str, interrupts: Sequence[int], report: Report):
        self._node = Node('simloop_move', namespace=namespace)
        self._interrupts = interrupts
        self._report = report
        self._heard: list[HeardStatus] = []
        self._node.create_subscription(DiagnosticStatus, STATUS, self._on_status, STREAM)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown()
        self._node.destroy_node()

    def move(self, goal: AnyGoal, timeout: float, seconds: float) -> bool:
        """Publish a goal, and wait for its end."""
        kind, topics, message = _message(goal)
        publishers: list[Any] = [
            self._node.create_publisher(kind, topic, EVENTS) for topic in topics
        ]
        self._wait(
            lambda: (
                any(p.get_subscription_count() for p in publishers)
                and self._node.count_publishers(self._node.resolve_topic_name(STATUS))
            ),
            PATIENCE,
            f'nobody listens on {" or ".join(topics)}: is the graph up, and is --namespace right?',
        )
        publisher = next(p for p in publishers if p.get_subscription_count())
        publisher.publish(message)
        mine = self._answer(goal, publisher, message, timeout, seconds)
        number, state = mine.id, mine.state
        while state not in ENDS:
            state = self._next(lambda heard: heard.id == number, timeout).state
        return state == 'reached'

    def _answer(
        self, goal: AnyGoal, publisher: Any, message: Any, timeout: float, seconds: float
    ) -> HeardStatus:
        """Return how the goal was answered; a jog is published again for some time."""
        mine = self._next(lambda heard: _is_answer(heard, goal), timeout)
        end = time.monotonic() + seconds - JOG_PERIOD
        while time.monotonic() < end and mine.state not in ENDS and not self._interrupts:
            publisher.publish(message)
            until = time.monotonic() + JOG_PERIOD
            while time.monotonic() < until:
                self._spin()
        if seconds:
            self._heard = [heard for heard in self._heard if heard.state in ENDS]
        return mine

    def command(self, goal: AnyGoal) -> bool:
        """Call the service of a command."""
        name = 'cancel' if isinstance(goal, CancelCommand) else 'pause'
        kind = Trigger if name == 'cancel' else SetBool
        found: list[str] = []

        def find() -> bool:
            start = self._node.get_namespace().rstrip('/')
            found[:] = [
                service
                for service, kinds in self._node.get_service_names_and_types()
                if service.startswith(f'{start}/')
                and service.endswith(f'/{name}')
                and f'std_srvs/srv/{kind.__name__}' in kinds
                and 'plant' not in service.split('/')
            ]
            return bool(found)

        self._wait(find, PATIENCE, f'no service {name} was found: is the graph up?')
        client: Any = self._node.create_client(kind, found[0])
        self._wait(client.service_is_ready, PATIENCE, f'{found[0]} is not ready: try again')
        request = kind.Request()
        if kind is SetBool:
            request.data = isinstance(goal, PauseCommand)
        future = client.call_async(request)
        self._wait(future.done, PATIENCE, f'{found[0]} does not answer: try again')
        answer: Any = future.result()
        if not answer.success:
            self._report(answer.message)
            return False
        heard = self._next(lambda heard: type(heard.goal) is type(goal), PATIENCE)
        return heard.state == 'done'

    def _next(self, wanted: Callable[[HeardStatus], bool], timeout: float) -> HeardStatus:
        """Return the next change of a goal's state that is wanted."""
        found: list[HeardStatus] = []

        def find() -> bool:
            while self._heard and not found:
                heard = self._heard.pop(0)
                if wanted(heard):
                    found.append(heard)
            return bool(found)

        self._wait(find, timeout, f'no answer within {timeout:g} s; the robot goes on')
        self._report(_in_words(found[0]))
        return found[0]

    def _wait(self, over: Callable[[], object], seconds: float, failure: str) -> None:
        until = time.monotonic() + seconds
        while not over():
            if self._interrupts:
                raise KeyboardInterrupt('interrupted; the robot goes on')
            if time.monotonic() > until:
                raise SimloopError(failure)
            self._spin()

    def _spin(self) -> None:
        self._executor.spin_once(timeout_sec=min(0.02, MAX_SPIN_TIME))

    def _on_status(self, message: DiagnosticStatus) -> None:
        heard = heard_status(message)
        if heard is not None:
            self._heard.append(heard)


def _in_words(heard: HeardStatus) -> str:
    way = f', {heard.distance:.3g} rad or m to go' if heard.state in ('active', 'paused') else ''
    reason = f': {heard.reason}' if heard.reason else ''
    return f'goal {heard.id}: {heard.state}{way}{reason}'


def _is_answer(heard: HeardStatus, goal: AnyGoal) -> bool:
    """Return whether a change is the answer to a goal, or to a message that could not be read."""
    if heard.goal is None:
        return heard.id == 0
    if type(heard.goal) is not type(goal):
        return False
    if isinstance(goal, NamedGoal) and isinstance(heard.goal, NamedGoal):
        return heard.goal.name == goal.name
    if isinstance(goal, PoseGoal) and isinstance(heard.goal, PoseGoal):
        return heard.goal.position == goal.position
    if isinstance(goal, TrajectoryGoal) and isinstance(heard.goal, TrajectoryGoal):
        return heard.goal.joints == goal.joints
    return True


def _message(goal: AnyGoal) -> tuple[type, list[str], Any]:
    """Return type, possible topics and message of a goal."""
    match goal:
        case NamedGoal():
            return String, [NAMED], String(data=goal.name)
        case TrajectoryGoal():
            return _trajectory(goal)
        case PoseGoal():
            pose = PoseStamped()
            place, turn = pose.pose.position, pose.pose.orientation
            place.x, place.y, place.z = goal.position
            turn.w = 0.0  # a quaternion of zeros keeps the orientation
            if goal.rpy is not None:
                quaternion = pin.Quaternion(pin.rpy.rpyToMatrix(np.array(goal.rpy)))
                turn.x, turn.y, turn.z, turn.w = quaternion.coeffs().tolist()
            return PoseStamped, _of_tip(STRAIGHT if goal.straight else POSE, goal.tip), pose
        case JogGoal():
            twist = TwistStamped()
            for part, values in (
                (twist.twist.linear, goal.linear),
                (twist.twist.angular, goal.angular),
            ):
                part.x, part.y, part.z = values
            return TwistStamped, _of_tip(JOG, goal.tip), twist
    raise ValueError(f'{goal} has no topic')


def _of_tip(topic: str, tip: str | None) -> list[str]:
    return [topic] if tip is None else [f'{topic}/{tip}', topic]


def _trajectory(goal: TrajectoryGoal) -> tuple[type, list[str], Any]:
    try:
        from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
    except ImportError as error:
        raise MissingDependencyError(
            'trajectory_msgs is not installed: pip install ros-trajectory-msgs'
        ) from error
    message = JointTrajectory(joint_names=list(goal.joints))
    for point in goal.points:
        each = JointTrajectoryPoint(positions=list(point.positions))
        seconds = point.time or 0.0
        each.time_from_start.sec = int(seconds)
        each.time_from_start.nanosec = round((seconds - int(seconds)) * 1e9)
        message.points.append(each)
    return JointTrajectory, [TRAJECTORY], message
