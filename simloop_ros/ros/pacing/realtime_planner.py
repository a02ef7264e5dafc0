"""Setpoints ahead of the robot, along a motion whose time may go slower."""

from __future__ import annotations

import msgspec
import numpy as np

from ...core.values import JointState, Setpoint
from ...maths.plan import PlanPoint
from ...planning.ahead import Ahead
from ...planning.planner import Planner
from ..messages.stamps import NANO, stamp_of, step_of

RATE_TIME = 0.5
"""Time in which the rate of the time along a motion goes from 1 to 0 [s]."""
LEAST_RATE = 0.02
"""Rate below which a motion rests."""
ROUNDING = 1e-6
"""Share of a step: sums of rates are not exact."""
STEPS_AHEAD = 10
"""Steps that are sent ahead: a planner that is late by less disturbs nothing."""


class RealtimePlanner:
    """Answers control states with setpoints at equal intervals [s], from the first state on.

    The time along the motion can go slower: with the rate ``r`` its step ``k`` begins ``h/r``
    after the one before, and its velocity is ``r`` times as large.

    :param rate: at the begin.
    :ivar largest_rate: to which the rate goes, within ``RATE_TIME``; 1 as planned, 0 at rest.
    """

    def __init__(self, planner: Planner, period: float, rate: float = 1.0):
        self._ahead = Ahead(planner, STEPS_AHEAD)
        self._period = period
        self._begin: int | None = None
        self._step = 0
        self._place = 0.0  # on the motion, at the begin of the step
        self._rate = self.largest_rate = rate

    def answer(self, stamp: int, control: JointState) -> list[PlanPoint]:
        """Return what is new of the plan from a stamp [ns] on, not before the last call's."""
        if self._begin is None:
            self._begin = stamp
        step = step_of(stamp - self._begin, self._period)
        changed = self._advance(step)
        # The robot's stamps jitter: extrapolate to the beginning of the step.
        wait = (self._begin + stamp_of(step, self._period) - stamp) / NANO
        place = self.place
        if self._rate < LEAST_RATE:
            return [self._rest(place, stamp)]
        wait += (place - self._place) * self._period / self._rate
        moved = JointState(
            control.position + wait * control.velocity, control.velocity / self._rate
        )
        found = self._ahead.answer(place, moved, again=changed)
        return [
            PlanPoint(self._stamp(point.step), self._slowed(point.setpoint)) for point in found
        ]

    @property
    def place(self) -> int:
        """Return the step of the motion that is due."""
        return int(self._place + ROUNDING)

    def take_back(self, stamp: int) -> None:
        """Leave the planner at the step of a stamp [ns], whatever was sent for later ones."""
        if self._begin is not None:
            self._advance(step_of(stamp - self._begin, self._period))
            self._ahead.take_back(self.place)

    def _advance(self, step: int) -> bool:
        """Go on to a step; return whether the rate has changed on the way."""
        changed = False
        for _ in range(step - self._step):
            self._place += self._rate
            change = self.largest_rate - self._rate
            if change:
                limit = self._period / RATE_TIME
                self._rate += min(max(change, -limit), limit)
                changed = True
        self._step = step
        return changed

    def _stamp(self, step: int) -> int:
        """Return the stamp at which a step of the motion begins [ns]."""
        assert self._begin is not None
        if self._rate == 1.0 and self._place == self._step:
            return self._begin + stamp_of(step, self._period)
        later = self._step + (step - self._place) / self._rate
        return self._begin + round(later * self._period * NANO)

    def _slowed(self, setpoint: Setpoint) -> Setpoint:
        if self._rate == 1.0:
            return setpoint
        return msgspec.structs.replace(setpoint, velocity=self._rate * setpoint.velocity)

    def _rest(self, place: int, stamp: int) -> PlanPoint:
        here, there = self._ahead.between(place)
        share = self._place - place
        position = here.position + share * (there.position - here.position)
        return PlanPoint(stamp, Setpoint(position, np.zeros_like(position)))
