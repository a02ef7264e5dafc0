"""Stay where the robot is: the motion of a robot that only a hand moves."""

from __future__ import annotations

import numpy as np

from ..core.state import StateValue
from ..core.values import ExternalInputs, JointState, Setpoint
from .planner import Planner


class Stay(StateValue, Planner):
    """One setpoint, at rest, for ever."""

    open_loop = True
    _state: Setpoint

    def __init__(self, start: JointState):
        self._state = Setpoint(start.position, np.zeros_like(start.position))

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:  # noqa: ARG002
        """Return the setpoint, wherever the robot is."""
        return self._state

    @property
    def expected(self) -> JointState:
        """Return the position to stay at, at rest."""
        return JointState(self._state.position, self._state.velocity)

    def restart(self, start: JointState) -> bool:
        """Stay at another position."""
        self._state = Setpoint(start.position, np.zeros_like(start.position))
        return True
