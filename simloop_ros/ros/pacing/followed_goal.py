"""A goal of the action ``follow_joint_trajectory``, from its answer to its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec
import numpy as np

from ...core.values import JointState, Setpoint
from ...goals.goal import AnyGoal, CancelCommand
from ...goals.goal_status import GoalStatus
from ...goals.tolerance import chosen_joints, difference
from ..messages.follow_joint_trajectory import FollowError, FollowProgress, FollowRequest
from ..messages.joint_state import DecodedJointState
from ..messages.stamps import NANO
from .sent_motion import SentMotion

FEEDBACK_PERIOD = 0.05
"""Time between two feedbacks, of the robot's stamps [s]."""
Outcome = Literal['succeeded', 'aborted', 'cancelled']


class FollowEnd(msgspec.Struct, frozen=True):
    """How a goal ended.

    :ivar reason: for a person to read.
    """

    outcome: Outcome
    error: FollowError
    reason: str


class FollowedGoal:
    """Follows a goal by the changes of its state, and by where the robot is.

    A goal that the planner has reached has succeeded once the robot is within its tolerance. One
    that left the tolerance of its path, or has not come to its goal in time, is aborted.

    :param joints: of the robot.
    :ivar on_progress: takes how the robot follows, every ``FEEDBACK_PERIOD``.
    :ivar on_end: takes how it ended, once.
    :ivar end: how it ended.
    """

    def __init__(self, request: FollowRequest, joints: Sequence[str]):
        self.goal, self._tolerances = request.goal, request.tolerances
        self._robot = tuple(joints)
        self.on_progress: Callable[[FollowProgress], None] = lambda _: None
        self.on_end: Callable[[FollowEnd], None] = lambda _: None
        self.end: FollowEnd | None = None
        self._cancelling = False
        self._number: int | None = None  # of the goal, once it is accepted
        self._indices: list[int] = []
        self._begin = 0  # stamps [ns]
        self._arrival: int | None = None
        self._next_feedback = 0

    def take(self, status: GoalStatus, stamp: int) -> None:
        """Take a change of some goal's state, which holds for the robot from a stamp [ns] on."""
        if self.end is not None:
            return
        if self._number is None:
            if status.goal is self.goal:
                self._answer(status, stamp)
        elif status.id == self._number:
            match status.state:
                case 'reached':
                    self._arrival = stamp
                case 'replaced':
                    self.abort('replaced by another goal')
                case 'cancelled':
                    self._cancelled('cancelled')
                case 'aborted':
                    self.abort(status.reason)

    def _answer(self, status: GoalStatus, stamp: int) -> None:
        if status.state != 'refused':
            self._number = status.id
            self._begin = self._next_feedback = stamp
            self._indices = [self._robot.index(joint) for joint in self.goal.joints]
        elif self._cancelling:
            self._cancelled(status.reason)
        else:
            known = set(self.goal.joints) <= set(self._robot)
            error = FollowError.INVALID_GOAL if known else FollowError.INVALID_JOINTS
            self._finish('aborted', error, f'refused: {status.reason}')

    def cancel(self) -> bool:
        """Ask for its end; return whether the planner has to be told."""
        self._cancelling = True
        if self._arrival is not None:
            self._cancelled('cancelled at the end of its motion')
        return self.end is None

    def abort(self, reason: str) -> None:
        """Let it end without success."""
        self._finish('aborted', FollowError.INVALID_GOAL, reason)

    def follow(self, stamp: int, actual: JointState, desired: JointState) -> bool:
        """Take the robot's state at a stamp [ns]; return whether its motion has to be cancelled.

        :param desired: state that was asked for.
        """
        if self.end is not None or self._number is None or stamp < self._begin:
            return False
        here, there = (chosen_joints(state, self._indices) for state in (actual, desired))
        if stamp >= self._next_feedback:
            self._next_feedback = stamp + round(FEEDBACK_PERIOD * NANO)
            self.on_progress(FollowProgress(stamp, stamp - self._begin, there, here))
        if self._arrival is not None and stamp >= self._arrival:
            self._arrive(stamp - self._arrival, here)
            return False
        violation = self._tolerances.path.violation(self.goal.joints, difference(there, here))
        if violation:
            self._finish('aborted', FollowError.PATH_TOLERANCE_VIOLATED, f'path: {violation}')
        return bool(violation) and self._arrival is None

    def _arrive(self, late: int, actual: JointState) -> None:
        """Decide about a robot whose motion has ended some time ago [ns]."""
        joints, tolerances = self.goal.joints, self._tolerances
        rest = np.zeros(len(joints))
        goal = JointState(np.array(self.goal.points[-1].positions), rest)
        error = difference(goal, actual)
        violation = tolerances.goal.violation(joints, error)
        if not violation:
            worst = int(np.abs(error.position).argmax())
            away = abs(float(error.position[worst]))
            text = f'reached, {joints[worst]} within {away:.3g} and the others nearer'
            self._finish('succeeded', FollowError.SUCCESSFUL, text)
        elif late > tolerances.goal_time * NANO:
            text = f'goal: {violation}, {late / NANO:.3g} s after the end of the motion'
            self._finish('aborted', FollowError.GOAL_TOLERANCE_VIOLATED, text)

    def _cancelled(self, reason: str) -> None:
        if self._cancelling:
            self._finish('cancelled', FollowError.INVALID_GOAL, reason)
        else:
            self.abort(f'{reason} by somebody else')

    def _finish(self, outcome: Outcome, error: FollowError, reason: str) -> None:
        if self.end is None:
            self.end = FollowEnd(outcome, error, reason)
            self.on_end(self.end)


class FollowedGoals:
    """The goals of the action that have not ended, and what they are told.

    :param submit: takes goals, as those of the topics.
    :param realtime: whether states of goals are told when they are due; in lockstep they may be
        told as soon as they are planned.
    """

    def __init__(self, submit: Callable[[AnyGoal], None], period: float, *, realtime: bool):
        self._submit = submit
        self._realtime = realtime
        self._sent = SentMotion(period)
        self._goals: list[FollowedGoal] = []
        self._stamp = -1

    @property
    def busy(self) -> bool:
        """Return whether a goal has not ended."""
        return bool(self._running())

    def add(self, goal: FollowedGoal) -> None:
        """Follow a goal, and give it to the planner."""
        self._goals.append(goal)
        self._submit(goal.goal)

    def cancel(self, goal: FollowedGoal) -> bool:
        """Cancel a goal; return whether it had not ended yet."""
        if goal.end is not None:
            return False
        if goal.cancel():
            self._submit(CancelCommand())
        return True

    def interrupt(self, reason: str) -> None:
        """Let all end without success: the robot was stopped."""
        for goal in self._running():
            goal.abort(reason)

    def close(self, reason: str) -> None:
        """Let all end without success, and the robot come to rest."""
        if self.busy:
            self.interrupt(reason)
            self._submit(CancelCommand())

    def take(self, status: GoalStatus) -> None:
        """Take a change of some goal's state."""
        end = self._sent.end
        stamp = self._stamp if self._realtime or end is None else end
        for goal in self._running():
            goal.take(status, stamp)

    def sent(self, stamp: int, setpoint: Setpoint) -> None:
        """Take the setpoint of the step that begins at a stamp [ns]."""
        self._sent.note(stamp, setpoint)

    def state(self, message: DecodedJointState) -> None:
        """Take a state of the robot, with velocities."""
        stamp = message.stamp
        if stamp <= self._stamp:
            return
        self._stamp = stamp
        desired = self._sent.at(stamp) if self._goals else None
        if desired is None:
            return
        actual = JointState(message.position, message.velocity)
        left = [goal.follow(stamp, actual, desired) for goal in self._running()]
        if any(left):
            self._submit(CancelCommand())

    def _running(self) -> tuple[FollowedGoal, ...]:
        if self._goals:
            self._goals = [goal for goal in self._goals if goal.end is None]
        return tuple(self._goals)
