"""A planner around a planner: goals take over from its motion."""

from __future__ import annotations

from math import inf

import msgspec
import numpy as np

from ..core.errors import GoalError
from ..core.state import Remembering
from ..core.values import NO_INPUTS, Array, ExternalInputs, JointState, PlannerReport, Setpoint
from ..planning.planner import Planner
from .goal import AnyGoal, CancelCommand, JogGoal, MotionGoal, PauseCommand, ResumeCommand
from .goal_status import GoalReply, GoalState, GoalStatus
from .motion_generator import MotionGenerator
from .time_scale import PausedMotion, brake_along, resumed
from .trajectory import Reference, Trajectory, joined, resting, stay

AFTER_ALL = 2**62
"""Step that never comes."""
KEPT = 64
"""Changes of goals that are kept for who reads them."""


class GoalPlanner(Remembering, Planner):
    """The motion of a planner, until the first goal is accepted; from then on that to the goals.

    A goal is planned from the desired motion of its step, with its velocity and acceleration: it
    replaces another one without a jump. ``pause``, ``resume`` and ``cancel`` change the time along
    the motion, which stays on its path. A refused goal changes nothing.

    :param base: the planner.
    :param goals: that are given by themselves, each at its time along the motion.
    :ivar count: number of steps taken.
    """

    _remembered = (
        'base',
        'count',
        '_next',
        '_due',
        '_ids',
        '_goal',
        '_trajectory',
        '_row',
        '_moves',
        '_paused',
        '_pending',
        '_changes',
    )

    def __init__(self, base: Planner, generator: MotionGenerator, goals: tuple[AnyGoal, ...] = ()):
        self.base = base
        self._generator = generator
        self._h = generator.motion.period
        self._goals = tuple(sorted(goals, key=lambda goal: goal.at))
        self.count = 0
        self._next = 0  # of the list
        self._ids = 0  # number of goals answered
        self._goal: tuple[int, MotionGoal] | None = None  # the last one accepted, with its number
        self._trajectory: Trajectory | None = None  # none until the first goal is accepted
        self._row = 0  # of the trajectory, at the last setpoint
        self._moves = False  # whether a state is due at the end of the trajectory
        self._paused: PausedMotion | None = None
        # First step of a motion that was planned ahead, and whether its goal is listed.
        self._pending: tuple[int, MotionGoal, Trajectory, bool] | None = None
        self._changes: tuple[GoalStatus, ...] = ()
        self._due = self._due_step()

    @property
    def leash(self) -> float:
        """Return how far the robot may be without an effect; a trajectory is independent of it."""
        return self.base.leash if self._trajectory is None else inf

    @property
    def period(self) -> float:
        """Return the length of a step [s]."""
        return self._h

    @property
    def noted(self) -> int:
        """Return the number of changes of goals so far."""
        return self._changes[-1].number + 1 if self._changes else 0

    @property
    def pending(self) -> bool:
        """Return whether a motion has been spliced in that has not begun."""
        return self._pending is not None

    @property
    def taken_over(self) -> bool:
        """Return whether a goal was accepted, so that the planner inside has no part any more."""
        return self._trajectory is not None

    @property
    def waits(self) -> bool:
        """Return whether the planner inside may be stepped alone, and ``count`` be set after."""
        return self._trajectory is None and self._due == AFTER_ALL

    @property
    def at_end(self) -> bool:
        """Return whether no goal of the list is left, and the robot rests after the last one."""
        trajectory = self._trajectory
        return self._next == len(self._goals) and (
            trajectory is None or self._row == trajectory.steps
        )

    @property
    def steady(self) -> bool:
        """Return whether the planner inside predicts its motion; that to a goal is known."""
        return self._trajectory is None and self.base.steady

    def predict(self, ways: Array, rates: Array) -> tuple[Setpoint, ...]:
        """Return what the planner inside predicts."""
        return self.base.predict(ways, rates)

    @property
    def report(self) -> PlannerReport | None:
        """Return the report of the planner inside."""
        return self.base.report

    @property
    def expected(self) -> JointState:
        """Return the desired motion at the last setpoint."""
        if self._trajectory is None:
            return self.base.expected
        here = self._trajectory.at(self._row)
        return JointState(here.position, here.velocity)

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the setpoint of the next step."""
        while self.count >= self._due:
            self._serve()
        self.count += 1
        trajectory = self._trajectory
        if trajectory is None:
            return self.base.step(control, inputs)
        self._row = min(self._row + 1, trajectory.steps)
        if self._moves and self._row == trajectory.steps:
            self._arrive()
        here = trajectory.at(self._row)
        return Setpoint(here.position, here.velocity)

    def changes(self, first: int = 0) -> tuple[GoalStatus, ...]:
        """Return what became of goals, from the change with a number on; the latest are kept."""
        return tuple(change for change in self._changes if change.number >= first)

    def submit(self, goal: AnyGoal, *, listed: bool = False) -> GoalReply:
        """Accept a goal, or refuse it with the reason; the motion changes with the next step.

        :param listed: whether it is of the list: its motion is planned once, in the rehearsal.
        """
        try:
            match goal:
                case PauseCommand():
                    self._pause()
                case CancelCommand():
                    self._cancel()
                case ResumeCommand():
                    self._resume()
                case _:
                    plan = self._generator.plan_once if listed else self._generator.plan
                    return self.take(goal, plan(goal, self.reference()), listed=listed)
        except GoalError as error:
            return self.refuse(goal, str(error), listed=listed)
        self._ids += 1
        self._note(self._ids, 'done', goal=goal, listed=listed)
        return GoalReply(self._ids, True)

    def refuse(self, goal: AnyGoal, reason: str, *, listed: bool = False) -> GoalReply:
        """Answer a goal that is refused."""
        self._ids += 1
        self._note(self._ids, 'refused', reason, goal=goal, listed=listed)
        return GoalReply(self._ids, False, reason)

    def plan(self, goal: MotionGoal, begin: Reference) -> Trajectory:
        """Return the motion to a goal, for ``splice``; raises GoalError.

        It changes nothing, and may take long.
        """
        return self._generator.plan(goal, begin)

    def splice(
        self, step: int, goal: MotionGoal, trajectory: Trajectory, *, listed: bool = False
    ) -> None:
        """Go on with a motion from a step on, that begins as the present one will be there."""
        self._pending = (step, goal, trajectory, listed)
        self._due = self._due_step()

    def withdraw(self) -> tuple[MotionGoal, bool] | None:
        """Take back a motion that has not begun; return its goal, and whether it is listed."""
        pending, self._pending = self._pending, None
        self._due = self._due_step()
        return None if pending is None else (pending[1], pending[3])

    def take(self, goal: MotionGoal, trajectory: Trajectory, *, listed: bool = False) -> GoalReply:
        """Go on with a motion to a goal, which begins as the present one is now."""
        before = self._goal
        jogs = isinstance(goal, JogGoal)
        goes_on = jogs and self._moves and before is not None and isinstance(before[1], JogGoal)
        if self._moves and before is not None and not goes_on:
            self._note(before[0], 'replaced')
        if not goes_on:
            self._ids += 1
        number = before[0] if goes_on and before is not None else self._ids
        self._goal = (number, goal)
        self._trajectory, self._row, self._moves, self._paused = trajectory, 0, True, None
        self._note(number, 'active', goal=goal, listed=listed)
        return GoalReply(number, True)

    def reference(self, ahead: int = 0) -> Reference:
        """Return the desired motion some steps after the last setpoint."""
        if self._trajectory is not None:
            return self._trajectory.at(self._row + ahead)
        before = self.base.snapshot()
        for _ in range(ahead):
            self.base.step(self.base.expected, NO_INPUTS)
        here = self.base.expected
        self.base.step(here, NO_INPUTS)
        acceleration = (self.base.expected.velocity - here.velocity) / self._h
        self.base.restore(before)
        # Its velocities are those of the last step's middle.
        return Reference(here.position, here.velocity + 0.5 * self._h * acceleration, acceleration)

    def rests_at(self, reference: Reference) -> bool:
        """Return whether the desired motion rests where another one does."""
        here = self.reference()
        same = np.array_equal(here.position, reference.position)
        return reference.at_rest and here.at_rest and same

    def interrupt(self, reason: str) -> None:
        """Note that the robot has left its motion: it was stopped, or reacts to a contact."""
        withdrawn = self.withdraw()
        if withdrawn is not None:
            self.refuse(withdrawn[0], reason, listed=withdrawn[1])
        if self._goal is not None and self._moves:
            self._moves = False
            self._note(self._goal[0], 'aborted', reason)

    def restart(self, start: JointState) -> bool:
        """Plan the way to the last goal again; a jog is not taken up again.

        :raises GoalError: there is none from here.
        """
        if self._trajectory is None:
            return self.base.restart(start)
        begin = resting(start.position)
        if self._goal is None or isinstance(self._goal[1], JogGoal):
            self._trajectory, self._row, self._moves = stay(start.position, self._h), 0, False
        else:
            number, goal = self._goal
            trajectory = self._generator.plan(self._generator.last_position(goal), begin)
            self._trajectory, self._row, self._moves = trajectory, 0, True
            self._note(number, 'active')
        self._paused = None
        return True

    def with_base(self, base: Planner) -> GoalPlanner:
        """Return this planner around another one, for a motion that was planned again."""
        planner = GoalPlanner(base, self._generator, self._goals)
        planner.restore(msgspec.structs.replace(self.snapshot(), base=base.snapshot()))
        return planner

    def _pause(self) -> None:
        if self._goal is None or not self._moves or self._trajectory is None:
            raise GoalError('there is no motion to pause')
        if self._paused is not None:
            raise GoalError('the motion is paused already')
        self._paused = self._brake()
        self._note(self._goal[0], 'paused')

    def _cancel(self) -> None:
        if self._trajectory is None:
            self._leave_base()
            return
        if self._goal is not None:
            if self._moves and self._paused is None:
                self._brake()
            if self._moves:
                self._note(self._goal[0], 'cancelled')
        self._goal, self._moves, self._paused = None, False, None

    def _leave_base(self) -> None:
        """Bring a robot that moves without a goal to rest."""
        motion, begin = self._generator.motion, self.reference()
        # A motion that follows noise may have any acceleration.
        calm = np.clip(begin.acceleration, -motion.bounds[0], motion.bounds[0])
        begin = msgspec.structs.replace(begin, acceleration=calm)
        self._trajectory, self._row = motion.brake(begin), 0

    def _resume(self) -> None:
        if self._goal is None or self._paused is None or self._trajectory is None:
            raise GoalError('no motion is paused')
        braking = self._trajectory.part(self._row)
        onward = resumed(self._paused, self._generator.motion.bounds)
        self._trajectory, self._row, self._paused = joined(braking, onward), 0, None
        self._note(self._goal[0], 'active')

    def _brake(self) -> PausedMotion:
        assert self._trajectory is not None
        braked = brake_along(self._trajectory, self._row, self._generator.motion.bounds)
        self._trajectory, self._row = braked.trajectory, 0
        return braked.paused

    def _arrive(self) -> None:
        if self._goal is not None and self._paused is None:
            self._moves = False
            self._note(self._goal[0], 'reached')

    def _serve(self) -> None:
        """Take over what is due at this step: a motion, else the next goal of the list."""
        if self._pending is not None and self.count >= self._pending[0]:
            _, goal, trajectory, is_listed = self._pending
            self._pending = None
            self._due = self._due_step()
            self.take(goal, trajectory, listed=is_listed)
            return
        listed = self._goals[self._next]
        self._next += 1
        self._due = self._due_step()
        self.submit(listed, listed=True)

    def _note(
        self,
        goal_id: int,
        state: GoalState,
        reason: str = '',
        goal: AnyGoal | None = None,
        *,
        listed: bool = False,
    ) -> None:
        distance = None
        if self._trajectory is not None and state not in ('refused', 'done'):
            ahead = self._trajectory if self._paused is None else self._paused.trajectory
            way = ahead.position[-1] - self._trajectory.at(self._row).position
            distance = float(np.abs(way).max())
        change = GoalStatus(
            self.noted, goal_id, state, self.count, reason, distance, goal, listed=listed
        )
        self._changes = (*self._changes[-KEPT:], change)

    def _due_step(self) -> int:
        due = AFTER_ALL if self._pending is None else self._pending[0]
        if self._next < len(self._goals):
            due = min(due, round(self._goals[self._next].at / self._h))
        return due
