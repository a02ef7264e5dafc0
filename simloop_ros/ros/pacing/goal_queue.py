"""How goals reach the planner of a node: at once in lockstep, in the background in real time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import ceil
from typing import Any, Protocol

import msgspec
import scipy.interpolate  # noqa: F401 - now, and not in the thread that plans while a robot moves

from ...core.errors import GoalError
from ...core.values import Setpoint
from ...goals.goal import (
    AnyGoal,
    CancelCommand,
    JogGoal,
    MotionGoal,
    PauseCommand,
    ResumeCommand,
)
from ...goals.goal_status import GoalStatus
from ...goals.trajectory import Reference, Trajectory
from ..messages.joint_state import DecodedJointState
from .config import GraphConfig
from .followed_goal import FollowedGoals
from .motion_guide import MotionGuide

LEAST_LEAD = 4
"""Steps from the last one sent to the begin of a motion that is being planned, at least."""
MOST_LEAD = 400
MOST_TRIES = 3
"""Times that a motion is planned again because it was not ready in time."""
MOST_WAITING = 100
"""Goals that wait to be planned; further ones are refused."""
REACTS = 'the robot reacts to a collision'


class _GoalNode(Protocol):
    """A planner's node, as goals need it."""

    guide: MotionGuide
    hold: Any

    def in_background(self, call: Callable[[], Any]) -> Any: ...


class GoalQueue:
    """In lockstep: a goal is answered at once, and takes effect with the next step.

    :param period: of the planner [s].
    :ivar on_change: takes every change of a goal's state.
    :ivar followed: goals of the action, which are told how the robot follows.
    """

    def __init__(self, node: _GoalNode, period: float, *, realtime: bool = False):
        self._node = node
        self.on_change: Callable[[GoalStatus], None] = lambda _: None
        self.followed = FollowedGoals(self.submit, period, realtime=realtime)
        self._read = 0  # changes published

    def submit(self, goal: AnyGoal) -> None:
        """Take a goal."""
        self._answer(goal, self._refusal(goal))
        self.publish()

    def take_state(self, message: DecodedJointState) -> None:
        """Take a control state, before it is answered."""
        self.followed.state(message)
        if self.followed.busy and self._node.guide.reaction:
            self.followed.interrupt(REACTS)
        self.serve(message.stamp)

    def take_setpoint(self, stamp: int, setpoint: Setpoint) -> None:
        """Take the answer, or a part of it: the setpoint of the step that begins at a stamp."""
        self.followed.sent(stamp, setpoint)
        self.publish()

    def serve(self, stamp: int) -> None:
        """Go on with what is due at a control state with a stamp [ns]."""

    def interrupt(self, reason: str) -> None:
        """Note that the robot has left its motion."""
        planner = self._node.guide.goals
        if planner is not None:
            planner.interrupt(reason)
            self.publish()
        self.followed.interrupt(reason)

    def publish(self) -> None:
        """Publish what has become of goals, up to the present step."""
        planner = self._node.guide.goals
        if planner is None or planner.noted == self._read:
            return
        present = self._node.guide.present_step
        for change in planner.changes(self._read):
            if change.step > present:
                break
            self._read = change.number + 1
            self._tell(change)

    def _tell(self, status: GoalStatus) -> None:
        self.on_change(status)
        self.followed.take(status)

    def _answer(self, goal: AnyGoal, refusal: str, *, listed: bool = False) -> None:
        planner = self._node.guide.goals
        if planner is None:
            self._tell(GoalStatus(0, 0, 'refused', 0, refusal, goal=goal))
        elif refusal:
            planner.refuse(goal, refusal, listed=listed)
        else:
            planner.submit(goal, listed=listed)

    def _refusal(self, goal: AnyGoal) -> str:
        """Return why no goal is taken now; empty if it is."""
        guide, hold = self._node.guide, self._node.hold
        if guide.start is None:
            return 'the motion has not begun: try again'
        if guide.goals is None:
            return 'two hands that hold an object take no goals'
        if isinstance(goal, CancelCommand):
            return ''
        if hold.active:
            return 'the robot is stopped: release it (control_simulation/stop), then call start'
        if guide.reaction:
            return 'the robot reacts to a collision: call the service start first'
        if guide.held is not None:
            return 'the robot is held: switch guiding on again (enable)'
        return ''


class _Request(msgspec.Struct, frozen=True):
    """A goal that is being planned.

    :ivar begin: step of the planner from which on.
    :ivar reference: the desired motion there.
    :ivar asked: step of the planner when it was asked for.
    """

    goal: MotionGoal
    listed: bool
    begin: int
    reference: Reference
    asked: int
    tries: int


class BackgroundGoals(GoalQueue):
    """In real time: a goal is planned beside the motion, from some steps ahead, and spliced in.

    A robot at rest begins as soon as the plan is there. One that moves begins at the step that the
    plan was made for; if it is not ready by then, it is planned again from further ahead.

    :param goals: of the scenario, each given at its time along the motion.
    """

    def __init__(self, node: _GoalNode, goals: tuple[AnyGoal, ...], period: float):
        super().__init__(node, period, realtime=True)
        self._stamp = -1
        due = sorted(goals, key=lambda goal: goal.at)
        self._listed = deque((round(goal.at / period), goal) for goal in due)
        self._waiting: deque[tuple[MotionGoal, bool]] = deque()
        self._commands: deque[tuple[AnyGoal, bool]] = deque()
        self._request: _Request | None = None
        self._planning: Any = None
        self._lead = LEAST_LEAD
        self._begin = -1  # step at which the last motion takes over

    def submit(self, goal: AnyGoal) -> None:
        """Take a goal; it is answered with one of the next control states."""
        if len(self._waiting) < MOST_WAITING:
            self._enqueue(goal, listed=False)
        else:
            self._answer(goal, f'{MOST_WAITING} goals wait already: try again')

    def _enqueue(self, goal: AnyGoal, *, listed: bool) -> None:
        if isinstance(goal, PauseCommand | ResumeCommand | CancelCommand):
            self._commands.append((goal, listed))
            return
        last, last_listed = self._waiting[-1] if self._waiting else (None, False)
        if isinstance(goal, JogGoal) and isinstance(last, JogGoal) and listed == last_listed:
            self._waiting.pop()  # jogs that follow each other are one goal: the last one counts
        self._waiting.append((goal, listed))

    def interrupt(self, reason: str) -> None:
        """Note that the robot has left its motion; what is being planned is refused."""
        self._node.guide.rewind(self._stamp)
        self._begin = -1
        super().interrupt(reason)
        if self._request is not None:
            self._answer(self._request.goal, reason, listed=self._request.listed)
            self._request = self._planning = None

    def serve(self, stamp: int) -> None:
        """Give the planner what is due at a control state with a stamp [ns]."""
        guide = self._node.guide
        if stamp <= self._stamp:
            return
        self._stamp = stamp
        while self._listed and guide.goals and guide.present_step >= self._listed[0][0]:
            self._enqueue(self._listed.popleft()[1], listed=True)
        if guide.reaction and guide.goals is not None:
            self.interrupt(REACTS)
        while self._commands:
            self._serve_command(stamp, *self._commands.popleft())
        # Of two motions, the first one has begun before the second one is spliced in, or planned
        # from it.
        begun = guide.goals is None or guide.present_step > self._begin
        if self._planning is not None and self._planning.done() and begun:
            self._finish(stamp)
        while (
            self._waiting and self._planning is None and not (guide.goals and guide.goals.pending)
        ):
            goal, listed = self._waiting.popleft()
            refusal = self._refusal(goal)
            if refusal:
                guide.rewind(stamp)
                self._answer(goal, refusal, listed=listed)
            else:
                self._plan(goal, listed, 1)
        self.publish()

    def _serve_command(self, stamp: int, goal: AnyGoal, listed: bool) -> None:
        request, self._request = self._request, None
        self._planning, self._begin = None, -1
        self._node.guide.rewind(stamp)
        # The motion that these were to go on from is another one now.
        if request is not None:
            self._waiting.appendleft((request.goal, request.listed))
        planner = self._node.guide.goals
        withdrawn = None if planner is None else planner.withdraw()
        if withdrawn is not None:
            self._waiting.appendleft(withdrawn)
        if isinstance(goal, CancelCommand):
            for waiting, is_listed in self._waiting:
                self._answer(waiting, 'cancelled before it began', listed=is_listed)
            self._waiting.clear()
        self._answer(goal, self._refusal(goal), listed=listed)

    def _plan(self, goal: MotionGoal, listed: bool, tries: int) -> None:
        planner = self._node.guide.goals
        assert planner is not None
        begin, reference = planner.count + self._lead, planner.reference(self._lead)
        present = self._node.guide.present_step
        self._request = _Request(goal, listed, begin, reference, present, tries)
        self._planning = self._node.in_background(lambda: planner.plan(goal, reference))

    def _finish(self, stamp: int) -> None:
        """Splice a motion in that is ready; one that came too late is planned again."""
        request, planning = self._request, self._planning
        self._request = self._planning = None
        assert request is not None
        guide = self._node.guide
        refusal = self._refusal(request.goal)
        guide.rewind(stamp)
        planner = guide.goals
        if refusal or planner is None:
            self._answer(request.goal, refusal, listed=request.listed)
            return
        self._lead = min(max(LEAST_LEAD, ceil(1.5 * (planner.count - request.asked))), MOST_LEAD)
        try:
            trajectory: Trajectory = planning.result()
        except GoalError as error:
            planner.refuse(request.goal, str(error), listed=request.listed)
            return
        at_rest = planner.rests_at(request.reference)
        if at_rest or planner.count <= request.begin:
            self._begin = planner.count if at_rest else request.begin
            planner.splice(self._begin, request.goal, trajectory, listed=request.listed)
        elif request.tries < MOST_TRIES:
            self._plan(request.goal, request.listed, request.tries + 1)
        else:
            reason = 'it could not be planned in time while the robot moves: try again at rest'
            planner.refuse(request.goal, reason, listed=request.listed)


def goal_queue(node: _GoalNode, listed: tuple[AnyGoal, ...], graph: GraphConfig) -> GoalQueue:
    """Return what takes the goals of a node.

    :param listed: those of the scenario; in lockstep the planner gives them to itself.
    """
    if graph.realtime:
        return BackgroundGoals(node, listed, graph.period)
    return GoalQueue(node, graph.period)
