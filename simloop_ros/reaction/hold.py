"""Hold: stop where the robot is, as soon as the motors can."""

from __future__ import annotations

import numpy as np

from ..core.values import NO_INPUTS, Array, ExternalInputs, JointState, Setpoint
from .motors import Motors
from .reaction import Onset, Reaction


class Hold(Reaction):
    """Brake all joints at once, from the control state, and stay.

    ::

        braking  v+ = (1 - s) v,  q_d = q + h v+      s: the largest share that the limits allow
        held     q_d = q_held                         once s = 1

    Every braking step starts from the control state, so a robot that an obstacle holds back is
    not pushed on to the planned position. A held position that the motors cannot reach is given
    up, and the robot brakes again: it yields at its limits and never swings back.
    """

    _remembered = ('_held',)

    def __init__(self, motors: Motors, period: float):
        self._motors = motors
        self._h = period
        self._held: Array | None = None  # position [rad]; none while braking

    def begin(self, onset: Onset) -> None:  # noqa: ARG002 - the control state is all
        """Brake from the next step on."""
        self.brake()

    def brake(self) -> None:
        """Give up a held position and brake from the next step on."""
        self._held = None

    def take(self, position: Array) -> None:
        """Hold a position [rad], shape ``(n,)``, at which the robot rests."""
        self._held = position

    def step(self, control: JointState, inputs: ExternalInputs = NO_INPUTS) -> Setpoint:  # noqa: ARG002
        """Return the setpoint of the next step."""
        held = self._held
        if held is not None and self._motors.can_reach(control, held):
            return Setpoint(held, np.zeros_like(held))
        share = self._motors.stopping_share(control)
        velocity = (1.0 - share) * control.velocity
        position = control.position + self._h * velocity
        self._held = position if share == 1.0 else None
        return Setpoint(position, velocity, restart=True)

    @property
    def resting(self) -> bool:
        """Return whether a position is held."""
        return self._held is not None
