"""A motion planner that runs ahead of the robot, so that its setpoints are ready in time."""

from __future__ import annotations

from collections import deque
import math
from typing import Any

import msgspec
import numpy as np

from ..core.values import NO_INPUTS, Array, JointState, Setpoint
from .planner import Planner


class Waypoint(msgspec.Struct, frozen=True, gc=False):
    """The setpoint of the step with an index."""

    step: int
    setpoint: Setpoint


class _Taken(msgspec.Struct, frozen=True, gc=False):
    """A step that was taken.

    :ivar before: snapshot of the planner before it.
    :ivar expected: position of the robot that the planner expected then [rad], shape ``(n,)``.
    :ivar leash: how far the robot may be from there without an effect on the step [rad].
    """

    before: Any
    expected: Array
    leash: float
    waypoint: Waypoint


class Ahead:
    """Takes steps of a planner in advance, and takes them back where needed.

    Steps in advance assume that the robot is at its setpoint. When a step is due, it is taken
    again from the control state, unless the robot is so near that it has no effect. If the result
    is the same, all later setpoints hold. If not (the robot was held, or pushed), the planner goes
    back to its snapshot before that step, and the steps after it are taken again.

    :param planner: at the beginning of step 0.
    :param lead: number of steps that are known beyond the present one.
    """

    def __init__(self, planner: Planner, lead: int):
        self._planner = planner
        self._lead = lead
        self._first = 0
        self._taken: deque[_Taken] = deque()

    def answer(self, step: int, control: JointState, *, again: bool = False) -> list[Waypoint]:
        """Return the way points from this step on that are new, or have changed.

        Steps that were left out count as taken: the motion goes on with the time.

        :param step: that begins now; not before that of the last call.
        :param again: whether to return the others, too.
        """
        known = step if again else self._end
        self._go_to(step)
        if self._corrects(control):
            known = step
        while self._end <= step + self._lead:
            self._take(self._planner.expected)
        return [taken.waypoint for taken in self._taken if taken.waypoint.step >= known]

    def between(self, step: int) -> tuple[Setpoint, Setpoint]:
        """Return the setpoints of a step, not before that of the last call, and of the next."""
        self._go_to(step)
        while self._end <= step + 1:
            self._take(self._planner.expected)
        return self._taken[0].waypoint.setpoint, self._taken[1].waypoint.setpoint

    def take_back(self, step: int) -> None:
        """Restore the planner to the beginning of a step, not before that of the last call."""
        self._go_to(step)
        self._planner.restore(self._taken[0].before)
        self._taken.clear()

    def _go_to(self, step: int) -> None:
        """Drop the steps before one; those that were left out are taken."""
        while self._end <= step:
            self._take(self._planner.expected)
        while self._first < step:
            self._taken.popleft()
            self._first += 1

    @property
    def _end(self) -> int:
        return self._first + len(self._taken)

    def _take(self, control: JointState) -> None:
        planner = self._planner
        before, expected, leash = planner.snapshot(), planner.expected.position, planner.leash
        waypoint = Waypoint(self._end, planner.step(control, NO_INPUTS))
        self._taken.append(_Taken(before, expected, leash, waypoint))

    def _corrects(self, control: JointState) -> bool:
        """Take the present step again from the control state; return whether that changes it."""
        taken = self._taken[0]
        apart = control.position - taken.expected
        if math.sqrt(apart.dot(apart)) < taken.leash:
            return False
        latest = self._planner.snapshot()
        self._planner.restore(taken.before)
        again = self._planner.step(control, NO_INPUTS)
        if np.array_equal(again.position, taken.waypoint.setpoint.position):
            self._planner.restore(latest)
            return False
        self._planner.restore(taken.before)
        self._taken.clear()
        self._take(control)
        return True
