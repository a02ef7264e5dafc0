"""The planned path ahead, with a time parameter that can slow down."""

from __future__ import annotations

import msgspec

from ..core.values import NO_INPUTS, Array
from ..maths.cubic import Cubic, catmull_rom
from ..planning.planner import Planner


class Course(msgspec.Struct, frozen=True, gc=False):
    """A place on the planned path, between two of its steps.

    Four positions, a period ``h`` apart in planned time; between the middle two the path is the
    cubic of Catmull and Rom, which goes through all positions with a continuous slope.

    :ivar before: ``p_0`` [rad], shape ``(n,)``; and so on.
    :ivar phase: place between ``here`` and ``there``, 0 to 1.
    """

    before: Array
    here: Array
    there: Array
    beyond: Array
    phase: float

    @property
    def position(self) -> Array:
        """Return the position [rad], shape ``(n,)``."""
        return self._cubic.position(self.phase)

    def slope(self, period: float) -> Array:
        """Return the derivative by planned time [rad/s], shape ``(n,)``."""
        return self._cubic.slope(self.phase) / period

    def bend(self, period: float) -> Array:
        """Return the second derivative by planned time [rad/s^2], shape ``(n,)``."""
        return self._cubic.bend(self.phase) / (period * period)

    @property
    def _cubic(self) -> Cubic:
        return catmull_rom(self.before, self.here, self.there, self.beyond)


def course_ahead(planner: Planner, period: float) -> Course:
    """Return the course from the position that the planner handed out last.

    The planner takes two steps, as if the robot followed.
    """
    last = planner.expected
    there = planner.step(planner.expected, NO_INPUTS).position
    beyond = planner.step(planner.expected, NO_INPUTS).position
    return Course(last.position - period * last.velocity, last.position, there, beyond, 0.0)


def along(course: Course, steps: float, planner: Planner) -> Course:
    """Return the course further on; the planner steps where it is needed.

    :param steps: planned time to go on by, in periods.
    """
    phase = course.phase + steps
    while phase >= 1.0:
        phase -= 1.0
        beyond = planner.step(planner.expected, NO_INPUTS).position
        course = Course(course.here, course.there, course.beyond, beyond, phase)
    return msgspec.structs.replace(course, phase=phase)
