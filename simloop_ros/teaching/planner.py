"""A task that is played: from where the robot is to the first point, then from leg to leg."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.errors import ConfigError
from ..core.values import Array, ExternalInputs, JointState, Setpoint
from ..planning.config import LONGEST_MOTION, TaskConfig
from ..planning.offline import OfflinePlanner
from ..robot.model import RobotModel
from .legs import TaskLeg, TaskLegs, straight, task_legs
from .task import Task
from .timing import leg_shares, refuse_motion

LOOK_BACK = 2.0
"""Time before the present place in which the robot looks for the place where it goes on [s]."""
AS_NEAR = 5e-3
"""Distance by which one place on the way may be nearer than another that is as near [rad]."""


@dataclass(frozen=True)
class TaskPlace:
    """How far a task is done.

    :ivar leg: number of the leg, over all rounds.
    :ivar share: of it that is done, 0 to 1.
    """

    leg: int
    share: float


BEGIN = TaskPlace(0, 0.0)
"""Nothing is done: the robot still goes to the first point."""


@dataclass(frozen=True)
class TaskPlan:
    """What a task planner knows about its list of positions.

    :ivar legs: number of the leg after each number of entries, shape ``(steps + 1,)``.
    :ivar shares: of that leg that are done then, shape ``(steps + 1,)``.
    :ivar repeats_from: entry that follows the last one; none if the motion ends there.
    :ivar arrivals: step at whose end a kept pose is reached, its wait included, and its index.
    """

    legs: npt.NDArray[np.int64]
    shares: Array
    repeats_from: int | None
    arrivals: tuple[tuple[int, int], ...]


class TaskPlanner(OfflinePlanner):
    """Plays a list of positions that knows its place in the task.

    :ivar plan: of the list.
    :ivar period: of a step [s].
    """

    _remembered = (*OfflinePlanner._remembered, 'plan')

    def __init__(self, positions: Array, period: float, plan: TaskPlan):
        super().__init__(positions, period)
        self.plan = plan
        self.period = period
        self._look_back = round(LOOK_BACK / period)
        if plan.repeats_from is not None:
            self.duration = None

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the next entry; after the last one the robot rests, or begins another round."""
        if self._index > self._last and self.plan.repeats_from is not None:
            self._index = self.plan.repeats_from
        return super().step(control, inputs)

    def place_near(self, position: Array) -> TaskPlace:
        """Return where the task goes on for a robot that was stopped.

        That is the place nearest to it among those that it was to pass lately: a robot that went
        back, or never got there because it was planned ahead of it, leaves nothing out. Of several
        that are as near, on a way there and back, the last one counts.

        :param position: where it rests [rad], shape ``(n,)``.
        """
        used = min(self._index, self._last + 1)
        first = max(0, used - self._look_back)
        nearest = 0
        if used:
            apart = np.linalg.norm(self._positions[first:used] - position, axis=1)
            beside = np.concatenate(([np.inf], apart, [np.inf]))
            local = (apart <= beside[:-2]) & (apart <= beside[2:])
            nearest = first + 1 + int(np.flatnonzero(local & (apart < apart.min() + AS_NEAR))[-1])
        return TaskPlace(int(self.plan.legs[nearest]), float(self.plan.shares[nearest]))

    def passings(self, steps: int) -> list[tuple[int, int, Array]]:
        """Return the steps at whose ends kept poses are reached, as planned.

        :param steps: number of steps that were taken.
        :return: step, index of the pose, and the planned joints there [rad], shape ``(n,)``.
        """
        again = self.plan.repeats_from
        length = len(self._positions) - (again or 0)
        found = []
        for step, point in self.plan.arrivals:
            rounds = 1 if again is None or step < again else -(-(steps - step) // length)
            times = (step + i * length for i in range(rounds))
            found += [(k, point, self._positions[step]) for k in times if k < steps]
        return sorted(found, key=lambda passing: passing[0])


@dataclass(frozen=True)
class PlannedTask:
    """A task from where the robot is.

    :ivar goal: joints at its end [rad], shape ``(n,)``; none if it has no end.
    """

    planner: TaskPlanner
    goal: Array | None


def plan_task(
    task: Task,
    config: TaskConfig,
    model: RobotModel,
    period: float,
    start: Array,
    place: TaskPlace | None = None,
) -> PlannedTask:
    """Return the planner of a task, once its motion is known to be possible.

    :param start: where the robot rests [rad], shape ``(n,)``.
    :param place: from where on the task is played; from its begin where none is given.
    :raises ConfigError: the task is for another robot, or too long.
    :raises GoalError: the motion is refused.
    """
    parts = task_legs(task, model)
    back = (parts.back,) if parts.back is not None and config.loop != 1 else ()
    cycle = (*parts.legs, *back)
    _refuse_long(config.loop * len(cycle))
    legs = cycle * max(1, config.loop)
    if back and config.loop:
        legs = legs[:-1]
    place = place or BEGIN
    pieces = _pieces(legs, parts, start, place)
    endless = not config.loop and bool(cycle)
    if endless and place != BEGIN:
        pieces += [_Piece(leg, i, 0.0) for i, leg in enumerate(cycle)]
    speed = config.speed or task.speed
    shares = {
        leg: leg_shares(leg, model, period, speed, config)
        for leg in dict.fromkeys(piece.leg for piece in pieces)
    }
    length = sum(len(shares[piece.leg]) for piece in pieces)
    _refuse_long(length)
    if not pieces:
        plan = TaskPlan(np.full(2, place.leg), np.full(2, place.share), None, ())
        return PlannedTask(TaskPlanner(start[None], period, plan), start)
    courses = {leg: leg.curve.at(done) for leg, done in shares.items()}
    refuse_motion(model, period, start, list(courses), list(courses.values()))
    positions = np.vstack([courses[piece.leg] for piece in pieces])
    repeats_from = length - sum(len(shares[leg]) for leg in cycle) if endless else None
    plan = _plan(pieces, shares, repeats_from)
    return PlannedTask(TaskPlanner(positions, period, plan), None if endless else positions[-1])


def _refuse_long(steps: int) -> None:
    if steps > LONGEST_MOTION:
        raise ConfigError(
            f'planner.loop: the motion would take {steps} steps or more, and at most '
            f'{LONGEST_MOTION} are possible; lower it, or give 0 for a loop without end'
        )


@dataclass(frozen=True)
class _Piece:
    """A leg, or what is left of one, in the list of positions.

    :ivar number: of the leg of the task, over all rounds.
    :ivar begin: share of that leg which is done at its begin.
    :ivar counts: whether the task goes on meanwhile; else the robot only goes there.
    """

    leg: TaskLeg
    number: int
    begin: float
    counts: bool = True


def _pieces(
    legs: Sequence[TaskLeg], parts: TaskLegs, start: Array, place: TaskPlace
) -> list[_Piece]:
    """Return the way to a place of a task, and the rest of it."""
    begun = place != BEGIN and bool(legs)
    if begun:
        leg = legs[place.leg]
        (there,) = leg.curve.at(np.array([place.share]))
        way = straight('the way back to the task', start, there)
    else:
        way = parts.approach(start)
    pieces = [_Piece(way, place.leg, place.share, counts=False)] if way is not None else []
    if begun and 0.0 < place.share < 1.0:
        pieces.append(_Piece(leg.rest_from(place.share), place.leg, place.share))
    following = place.leg + (place.share > 0.0)
    pieces += [_Piece(leg, i, 0.0) for i, leg in enumerate(legs) if i >= following]
    return pieces


def _plan(
    pieces: Sequence[_Piece], shares: Mapping[TaskLeg, Array], repeats_from: int | None
) -> TaskPlan:
    numbers, done, arrivals = [np.array([pieces[0].number])], [np.array([pieces[0].begin])], []
    begin = 0
    for piece in pieces:
        own = shares[piece.leg]
        numbers.append(np.full(len(own), piece.number))
        way = own if piece.counts else np.zeros(len(own))
        done.append(piece.begin + (1.0 - piece.begin) * way)
        for point, share in piece.leg.passes.items():
            last = len(own) - 1  # the end of its wait
            step = last if share >= 1.0 else int(np.searchsorted(own, share))
            arrivals.append((begin + step, point))
        begin += len(own)
    return TaskPlan(
        np.concatenate(numbers), np.concatenate(done), repeats_from, tuple(sorted(arrivals))
    )
