"""Goals over the action ``follow_joint_trajectory``, where ``control_msgs`` is installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.task import Future

from ...core.errors import MessageError
from ..messages.follow_joint_trajectory import (
    ACTION,
    FollowProgress,
    fill_feedback,
    follow_request,
)
from ..pacing.followed_goal import FollowedGoal, FollowedGoals, FollowEnd
from .block_node import BlockNode


class TrajectoryAction:
    """Hands goals of the action to a planner's node, and tells what becomes of them.

    A goal that cannot be read is rejected, with the reason on ``goal_status``: the action has no
    place for one. All others are accepted at once and given to the planner as those of the topic
    ``goal_joint_trajectory``; where the planner refuses one its result has the reason.

    :param kind: type of the action.
    :param joints: of the robot.
    :param goals: takes each goal.
    :param refuse: tells why a goal is rejected.
    """

    def __init__(
        self,
        node: BlockNode,
        kind: Any,
        joints: Sequence[str],
        goals: FollowedGoals,
        refuse: Callable[[str], None],
    ):
        self._node, self._kind, self._joints = node, kind, joints
        self._goals, self._refuse = goals, refuse
        self._running: dict[bytes, tuple[FollowedGoal, Future[FollowEnd]]] = {}
        server: Any = ActionServer(
            node,
            kind,
            # Rules that remap it are those of topics: rcl looks for the names of its parts.
            node.resolve_topic_name(ACTION),
            self._wait,
            goal_callback=self._receive,
            handle_accepted_callback=self._begin,
            cancel_callback=self._cancel,
            # Other callbacks go on while a goal waits for its end.
            callback_group=ReentrantCallbackGroup(),
        )
        node.at_cleanup(server.destroy)

    def _receive(self, request: Any) -> GoalResponse:
        try:
            if not self._node.active:
                raise MessageError(f'{ACTION}: {self._node.get_name()} is not active')
            follow_request(request)
        except MessageError as error:
            self._refuse(str(error))
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _begin(self, handle: Any) -> None:
        goal = FollowedGoal(follow_request(handle.request), self._joints)
        end: Future[FollowEnd] = Future(executor=self._node.executor)
        goal.on_end = end.set_result
        goal.on_progress = partial(self._publish, handle)
        self._running[bytes(handle.goal_id.uuid)] = (goal, end)
        handle.execute()
        self._node.guard(self._goals.add, goal)

    def _cancel(self, handle: Any) -> CancelResponse:
        goal, _ = self._running.get(bytes(handle.goal_id.uuid), (None, None))
        if goal is None or not self._goals.cancel(goal):
            return CancelResponse.REJECT
        return CancelResponse.ACCEPT

    async def _wait(self, handle: Any) -> Any:
        """Return the result of a goal once it has ended."""
        _, end = self._running[bytes(handle.goal_id.uuid)]
        ended: Any = await end
        del self._running[bytes(handle.goal_id.uuid)]
        match ended.outcome:
            case 'succeeded':
                handle.succeed()
            case 'cancelled':
                handle.canceled()
            case 'aborted':
                handle.abort()
        return self._kind.Result(error_code=int(ended.error), error_string=ended.reason)

    def _publish(self, handle: Any, progress: FollowProgress) -> None:
        feedback = self._kind.Feedback()
        handle.publish_feedback(
            fill_feedback(feedback, handle.request.trajectory.joint_names, progress)
        )


def open_action(
    node: BlockNode,
    joints: Sequence[str],
    goals: FollowedGoals,
    refuse: Callable[[str], None],
) -> TrajectoryAction | None:
    """Return the action of a planner's node; none where ``control_msgs`` is not installed."""
    try:
        from control_msgs.action import FollowJointTrajectory
    except ImportError:
        return None
    return TrajectoryAction(node, FollowJointTrajectory, joints, goals, refuse)
