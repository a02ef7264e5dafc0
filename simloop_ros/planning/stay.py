"""Stay where the robot is: the motion of a robot that only a hand moves."""

from __future__ import annotations

import numpy as np

from ..core.values import Array, JointState
from .planner import Planner


class Stay(Planner):
    """One desired position for ever."""

    open_loop = True

    def __init__(self, start: JointState):
        self._state = start.position

    def snapshot(self) -> Array:
        """Return all that the next step depends on."""
        return self._state

    def restore(self, snapshot: Array) -> None:
        """Go back to an earlier snapshot."""
        self._state = snapshot

    def step(self, control: JointState) -> Array:  # noqa: ARG002 - wherever the robot is
        """Return the position to stay at."""
        return self._state

    @property
    def expected(self) -> JointState:
        """Return the position to stay at, at rest."""
        return JointState(self._state, np.zeros_like(self._state))

    def restart(self, start: JointState) -> bool:
        """Stay at another position."""
        self._state = start.position
        return True
