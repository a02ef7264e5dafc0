"""Stay where the robot is: the motion of a robot that only a hand moves."""

from __future__ import annotations

import numpy as np

from ..core.values import Array, ExternalInputs, JointState, Setpoint
from .planner import Planner


class Stay(Planner):
    """One setpoint, at rest, for ever."""

    open_loop = True

    def __init__(self, start: JointState):
        self.restore(start.position)

    def snapshot(self) -> Array:
        """Return the position [rad], shape ``(n,)``."""
        return self._setpoint.position

    def restore(self, snapshot: Array) -> None:
        """Stay at a position [rad], shape ``(n,)``."""
        self._setpoint = Setpoint(snapshot, np.zeros_like(snapshot))

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:  # noqa: ARG002
        """Return the setpoint, wherever the robot is."""
        return self._setpoint

    @property
    def expected(self) -> JointState:
        """Return the position to stay at, at rest."""
        return JointState(self._setpoint.position, self._setpoint.velocity)

    def restart(self, start: JointState) -> bool:
        """Stay at another position."""
        self.restore(start.position)
        return True
