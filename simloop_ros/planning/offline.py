"""Planning beforehand: a list of positions, one for each step; or one position for ever."""

from __future__ import annotations

from math import inf
from typing import ClassVar

import numpy as np

from ..core.state import Remembering, StateValue
from ..core.values import Array, ExternalInputs, JointState, Setpoint
from .planner import Planner


class OfflinePlanner(Remembering, Planner):
    """000, figure 5: pop the next entry of the list; after the last one, stay there.

    :param positions: the list ``Q`` [rad], shape ``(steps, n)``.
    :param period: time between two of them [s].
    """

    _remembered: ClassVar[tuple[str, ...]] = (
        '_positions',
        '_velocities',
        '_index',
        '_last',
        '_at_goal',
    )
    leash = inf

    def __init__(self, positions: Array, period: float):
        # Once for all: a node sends the velocity with every position.
        self._velocities = np.diff(positions, axis=0, prepend=positions[:1]) / period  # [rad/s]
        self._positions = positions
        self.duration = period * len(positions)
        self._index = 0  # number of entries used
        self._last = len(positions) - 1
        self._at_goal = Setpoint(positions[-1], np.zeros_like(positions[-1]))

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


class Stay(StateValue, Planner):
    """One setpoint, at rest, for ever."""

    leash = inf
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
