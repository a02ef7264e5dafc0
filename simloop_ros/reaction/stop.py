"""Stop: brake along the planned path."""

from __future__ import annotations

from math import sqrt

import msgspec

from ..core.values import ExternalInputs, JointState, Setpoint
from ..planning.planner import Planner
from .course import Course, along, course_ahead
from .hold import Hold
from .motors import FOLLOWING_LIMITS, Motors
from .reaction import Onset, Reaction

LONGEST_STOP = 1.0
"""Longest braking time from the planned speed [s], whatever the effort limits: where gravity alone
exceeds them, the control simulation clips the efforts anyway."""


class Braking(msgspec.Struct, frozen=True):
    """Progress of a stop along the path.

    :ivar course: present place on it.
    :ivar rate: speed as a share of the planned one.
    :ivar deceleration: of the rate [1/s].
    :ivar jerk: with which the deceleration builds up and goes [1/s^2].
    """

    course: Course
    rate: float
    deceleration: float
    jerk: float


class Stop(Reaction):
    """Let the time along the planned path slow down to zero, and stay there.

    ::

        d+ = min(d + j h,  d_max,  sqrt(2 j r))      deceleration of the time along the path
        r+ = max(0, r - h d+)                        its rate, 1 at first
        s+ = s + h r+,   q_d = q(s+)                 on the path

    ``d_max`` is the largest deceleration within the effort limits, times the margin, at the
    present place and speed. ``j`` builds it up in the ramp time, and the root lets it decay, so
    that the effort does not jump when the robot comes to rest.

    A robot that an obstacle keeps so far from the path that the motors cannot bring it back is
    stopped where it is, by ``Hold``.

    :param planner: gives the path; while the robot brakes, it takes further steps.
    """

    _remembered = ('_braking', '_hold')

    def __init__(self, motors: Motors, planner: Planner, period: float, ramp_time: float):
        self._motors = motors
        self._planner = planner
        self._h = period
        self._ramp = max(ramp_time, period)
        self._hold = Hold(motors, period)
        self._braking: Braking | None = None

    def begin(self, onset: Onset) -> None:
        """Brake from the next step on."""
        self._hold.begin(onset)
        course = course_ahead(self._planner, self._h)
        largest = self._largest_deceleration(course, 1.0)
        self._braking = Braking(course, 1.0, 0.0, largest / self._ramp)

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the setpoint of the next step."""
        braking = self._braking
        if braking is None:
            return self._hold.step(control, inputs)
        h = self._h
        old = braking.course.position
        largest = self._largest_deceleration(braking.course, braking.rate)
        ending = sqrt(2.0 * braking.jerk * braking.rate)
        deceleration = min(braking.deceleration + h * braking.jerk, largest, ending)
        rate = max(0.0, braking.rate - h * deceleration)
        course = along(braking.course, rate, self._planner)
        position = course.position
        if not self._motors.can_reach(control, position, FOLLOWING_LIMITS):
            self._braking = None
            return self._hold.step(control, inputs)
        if rate == 0.0:
            self._braking = None
            self._hold.take(position)
        else:
            self._braking = Braking(course, rate, deceleration, braking.jerk)
        return Setpoint(position, (position - old) / h)

    @property
    def resting(self) -> bool:
        """Return whether a position is held."""
        return self._braking is None and self._hold.resting

    def _largest_deceleration(self, course: Course, rate: float) -> float:
        """Return the largest deceleration of the rate [1/s]."""
        slope, bend = course.slope(self._h), course.bend(self._h)
        allowed = self._motors.braking(course.position, slope, bend, rate)
        return min(max(allowed, 1.0 / LONGEST_STOP), 1.0 / self._h)
