"""Planning beforehand: a list of positions, handed out one by one."""

from __future__ import annotations

import numpy as np

from ..core.values import Array, JointState
from .planner import Planner


class OfflinePlanner(Planner):
    """000, figure 5: pop the next entry of the list; after the last one, stay there.

    :param positions: the list ``Q`` [rad], shape ``(steps, n)``.
    :param period: time between two of them [s].
    """

    open_loop = True

    def __init__(self, positions: Array, period: float):
        self._positions = positions
        # Once for all: a node tells the velocity with every position.
        self._velocities = np.diff(positions, axis=0, prepend=positions[:1]) / period
        self._last = len(positions) - 1
        self._state = 0

    def snapshot(self) -> int:
        """Return all that the next step depends on."""
        return self._state

    def restore(self, snapshot: int) -> None:
        """Go back to an earlier snapshot."""
        self._state = snapshot

    def step(self, control: JointState) -> Array:  # noqa: ARG002
        """Return the next desired position, wherever the robot is."""
        index = self._state
        self._state = index + 1
        return self._positions[index if index < self._last else self._last]

    @property
    def expected(self) -> JointState:
        """Return the last position that was handed out, with its difference quotient.

        After the end of the list the robot rests.
        """
        index = max(0, self._state - 1)
        if index <= self._last:
            return JointState(self._positions[index], self._velocities[index])
        return JointState(self._positions[-1], np.zeros_like(self._positions[-1]))
