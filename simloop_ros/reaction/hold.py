"""Hold: stop where the robot is, as soon as the motors can."""

from __future__ import annotations

import numpy as np

from ..values import Array, JointState
from .felt import UNTOUCHED, Felt
from .motors import Motors
from .reaction import Onset, Reaction
from .wanted import Wanted


class Hold(Reaction):
    """Brake all joints at once, from where the robot really is, and stay.

    ::

        braking  v+ = (1 - s) v,  q_d = q + h v+      s: the largest share that the limits allow
        held     q_d = q_held                         once s = 1

    Every braking step starts from the control state, so a robot that an obstacle holds back is
    not pushed on towards where it should have been. A held position that the motors cannot reach
    is let go, and the robot brakes anew: it yields at its limits and never swings back.

    :ivar memory: the held position [rad], shape ``(n,)``; none while braking.
    """

    memory: Array | None

    def __init__(self, motors: Motors, period: float):
        self._motors = motors
        self._h = period
        self.memory = None

    def begin(self, onset: Onset) -> None:  # noqa: ARG002 - the control state is all
        """Brake from the next step on."""
        self.memory = None

    def take(self, position: Array) -> None:
        """Hold a position [rad], shape ``(n,)``, at which the robot is wanted at rest already."""
        self.memory = position

    def step(self, control: JointState, felt: Felt = UNTOUCHED) -> Wanted:  # noqa: ARG002
        """Return the position to be at after the next step."""
        held = self.memory
        if held is not None and self._motors.can_reach(control, held):
            return Wanted(held, np.zeros_like(held))
        share = self._motors.stopping_share(control)
        velocity = (1.0 - share) * control.velocity
        position = control.position + self._h * velocity
        self.memory = position if share == 1.0 else None
        return Wanted(position, velocity, anew=True)

    @property
    def resting(self) -> bool:
        """Return whether a position is held."""
        return self.memory is not None
