"""Planning beforehand: a list of positions, one for each step."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.values import Array, ExternalInputs, JointState, Setpoint
from .planner import Planner


class OfflineSnapshot(msgspec.Struct, frozen=True, gc=False):
    """The list, its difference quotients, and the number of entries used.

    :ivar positions: [rad], shape ``(steps, n)``.
    :ivar velocities: [rad/s], shape ``(steps, n)``.
    """

    positions: Array
    velocities: Array
    index: int


class OfflinePlanner(Planner):
    """000, figure 5: pop the next entry of the list; after the last one, stay there.

    :param positions: the list ``Q`` [rad], shape ``(steps, n)``.
    :param period: time between two of them [s].
    """

    open_loop = True

    def __init__(self, positions: Array, period: float):
        # Once for all: a node sends the velocity with every position.
        velocities = np.diff(positions, axis=0, prepend=positions[:1]) / period
        self.duration = period * len(positions)
        self.restore(OfflineSnapshot(positions, velocities, 0))

    def snapshot(self) -> OfflineSnapshot:
        """Return the list and the number of entries used."""
        return OfflineSnapshot(self._positions, self._velocities, self._index)

    def restore(self, snapshot: OfflineSnapshot) -> None:
        """Continue along a list."""
        self._positions, self._velocities = snapshot.positions, snapshot.velocities
        self._last = len(snapshot.positions) - 1
        self._index = snapshot.index
        self._at_goal = Setpoint(self._positions[-1], np.zeros_like(self._positions[-1]))

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:  # noqa: ARG002
        """Return the next entry, wherever the robot is; after the last one the robot rests."""
        index = self._index
        self._index = index + 1
        if index <= self._last:
            return Setpoint(self._positions[index], self._velocities[index])
        return self._at_goal

    @property
    def expected(self) -> JointState:
        """Return the last entry used, with its difference quotient."""
        index = max(0, self._index - 1)
        if index <= self._last:
            return JointState(self._positions[index], self._velocities[index])
        return JointState(self._at_goal.position, self._at_goal.velocity)
