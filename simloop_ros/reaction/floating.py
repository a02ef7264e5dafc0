"""Float: gravity compensation only."""

from __future__ import annotations

import numpy as np

from ..core.values import ExternalInputs, JointState, Setpoint
from ..robot.model import RobotModel
from .hold import Hold
from .motors import Motors
from .reaction import Onset, Reaction

REST_SPEED = 0.02
"""Speed below which a joint is not leaving its range [rad/s], as for the brakes."""
LOOK_AHEAD = 0.05
"""Time before the end of a joint's range at which the robot is stopped [s]."""


class Float(Reaction):
    """Gravity compensation only: ``tau = g(q)``.

    The robot keeps its momentum, but for friction and the obstacle, and yields to any push. With a
    time constant ``T`` its motion decays: ``tau = rnea(q, v, -v (1 - exp(-h/T))/h)``.

    A joint that would leave its range within ``LOOK_AHEAD``, or that exceeds its speed limit, ends
    the floating: the robot is stopped and held.
    """

    _remembered = ('_ended', '_hold')

    def __init__(self, motors: Motors, model: RobotModel, period: float, time: float | None):
        self._motors = motors
        self._model = model
        self._time = time
        self._hold = Hold(motors, period)
        self._ended = False  # whether a joint came near the end of its range

    def begin(self, onset: Onset) -> None:  # noqa: ARG002 - it starts from nothing
        """Float from the next step on."""
        self._ended = False
        self._hold.brake()

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the effort to send, or the held position."""
        self._ended = self._ended or self._ends(control)
        if self._ended:
            return self._hold.step(control, inputs)
        q, v = control.position, control.velocity
        effort = (
            self._motors.gravity(q)
            if self._time is None
            else self._motors.decaying(control, self._time)
        )
        return Setpoint(q, v, effort)

    @property
    def resting(self) -> bool:
        """Return whether the robot is held; floating, it never counts as resting."""
        return self._ended and self._hold.resting

    def _ends(self, control: JointState) -> bool:
        model, v = self._model, control.velocity
        ahead = control.position + LOOK_AHEAD * v
        above, below = ahead > model.upper, ahead < model.lower
        leaving = (above & (v > REST_SPEED)) | (below & (v < -REST_SPEED))
        # Not "faster than", so that a velocity that is no number ends it too.
        return bool(leaving.any()) or not bool((np.abs(v) <= model.velocity_limit).all())
