"""Stay where the robot is: the motion of a robot that only a hand moves."""

from __future__ import annotations

import numpy as np

from ..values import Array, JointState
from .motion_planner import MotionPlanner


class Stay(MotionPlanner):
    """One desired position for ever.

    :ivar memory: that position [rad], shape ``(n,)``.
    """

    memory: Array
    open_loop = True

    def __init__(self, start: JointState):
        self.memory = start.position

    def step(self, control: JointState) -> Array:  # noqa: ARG002 - wherever the robot is
        """Return the position to stay at."""
        return self.memory

    @property
    def expected(self) -> JointState:
        """Return the position to stay at, at rest."""
        return JointState(self.memory, np.zeros_like(self.memory))

    def restart(self, start: JointState) -> bool:
        """Stay at another position."""
        self.memory = start.position
        return True
