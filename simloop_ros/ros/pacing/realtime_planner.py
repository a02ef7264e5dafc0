"""A motion planner in real time: ahead of the robot, by its stamps."""

from __future__ import annotations

from ...core.values import JointState
from ...planning.ahead import Ahead
from ...planning.planner import Planner
from ..messages.stamps import NANO, stamp_of, step_of
from .plan import PlanPoint

STEPS_AHEAD = 10
"""Steps that are sent ahead: a planner that is late by less disturbs nothing."""


class RealtimePlanner:
    """Answers control states with desired positions at equal intervals, from the first state on.

    :param planner: at its beginning.
    :param period: length of a step [s].
    """

    def __init__(self, planner: Planner, period: float):
        self._ahead = Ahead(planner, STEPS_AHEAD)
        self._period = period
        self._begin: int | None = None

    def answer(self, stamp: int, control: JointState) -> list[PlanPoint]:
        """Return what is new of the plan from now on.

        :param stamp: of the control state [ns]; not before that of the last call.
        """
        if self._begin is None:
            self._begin = stamp
        step = step_of(stamp - self._begin, self._period)
        # The robot's stamps jitter: extrapolate to the beginning of the step.
        wait = (self._begin + stamp_of(step, self._period) - stamp) / NANO
        moved = JointState(control.position + wait * control.velocity, control.velocity)
        return [
            PlanPoint(self._begin + stamp_of(point.step, self._period), point.setpoint)
            for point in self._ahead.answer(step, moved)
        ]

    def take_back(self, stamp: int) -> None:
        """Leave the planner at the step that begins now, whatever was sent for later ones.

        :param stamp: of the control state [ns]; not before that of the last call.
        """
        if self._begin is not None:
            self._ahead.take_back(step_of(stamp - self._begin, self._period))
