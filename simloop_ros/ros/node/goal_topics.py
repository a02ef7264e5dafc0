"""Goals over topics, services and an action, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped, TwistStamped
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger

from ...core.errors import MessageError
from ...goals.goal import AnyGoal, CancelCommand, NamedGoal, PauseCommand, ResumeCommand
from ...goals.goal_status import GoalStatus
from ...robot.model import RobotModel
from ..messages.goals import (
    JOG,
    NAMED,
    POSE,
    STATUS,
    STRAIGHT,
    TRAJECTORY,
    jog_goal,
    pose_goal,
    status_message,
    tip_topics,
    trajectory_goal,
)
from ..pacing.goal_queue import GoalQueue
from ..transport.qos import EVENTS, STREAM
from .block_node import BlockNode
from .trajectory_action import open_action

ANSWERED = 'see the topic goal_status'
STATE = ('position', 'velocity')


class GoalTopics:
    """Hands goals to a planner's node while it is active, and publishes their states.

    :param model: the robot; where it has several tips, each has topics of its own.
    :param goals: takes each goal.
    :param needs_states: whether the node does not read control states, which the action needs.
    """

    def __init__(
        self, node: BlockNode, model: RobotModel, goals: GoalQueue, *, needs_states: bool
    ):
        self._node = node
        self._submit = goals.submit
        goals.on_change = self._publish
        self._status = node.topics.publisher(DiagnosticStatus, STATUS, STREAM)
        if find_spec('trajectory_msgs') is not None:
            from trajectory_msgs.msg import JointTrajectory

            self._subscribe(JointTrajectory, TRAJECTORY, trajectory_goal)
        for topic, straight in ((POSE, False), (STRAIGHT, True)):
            for tip, name in tip_topics(topic, model.tips).items():
                self._subscribe(PoseStamped, name, partial(pose_goal, tip=tip, straight=straight))
        for tip, name in tip_topics(JOG, model.tips).items():
            self._subscribe(TwistStamped, name, partial(jog_goal, tip=tip))
        self._subscribe(String, NAMED, lambda message: NamedGoal(name=message.data))
        node.service(Trigger, 'cancel', lambda _: self._command(CancelCommand()))
        node.service(
            SetBool,
            'pause',
            lambda request: self._command(PauseCommand() if request.data else ResumeCommand()),
        )
        names, followed = model.joint_names, goals.followed
        if open_action(node, names, followed, self.refuse) is not None and needs_states:
            node.topics.subscribe_joints('control_state', names, STATE, followed.state)

    def _publish(self, status: GoalStatus) -> None:
        if self._node.active:
            self._status.publish(status_message(status, self._node.graph.period))
        if status.state == 'refused':
            self._node.get_logger().warning(f'goal {status.id} refused: {status.reason}')

    def refuse(self, reason: str) -> None:
        """Tell that a goal could not be read; it has the number 0."""
        self._node.refuse(reason)
        refusal = GoalStatus(0, 0, 'refused', 0, reason)
        self._status.publish(status_message(refusal, self._node.graph.period))

    def _command(self, goal: AnyGoal) -> str:
        self._submit(goal)
        return ANSWERED

    def _subscribe(self, kind: type, topic: str, read: Callable[[Any], AnyGoal]) -> None:
        def take(message: Any) -> None:
            if not self._node.active:
                return
            try:
                goal = read(message)
            except MessageError as error:
                self.refuse(str(error))
                return
            self._submit(goal)

        self._node.topics.subscription(kind, topic, take, EVENTS)
