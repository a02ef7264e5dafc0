"""Planning beforehand: a list of positions, handed out one by one."""

from __future__ import annotations

from ..values import Array, JointState
from .motion_planner import MotionPlanner


class OfflinePlanner(MotionPlanner):
    """000, figure 5: pop the next entry of the list; after the last one, stay there.

    :param positions: the list ``Q`` [rad], shape ``(steps, n)``.
    :param period: time between two of them [s].
    """

    memory: int
    open_loop = True

    def __init__(self, positions: Array, period: float):
        self._h = period
        self._positions = positions
        self._last = len(positions) - 1
        self.memory = 0

    def step(self, control: JointState) -> Array:  # noqa: ARG002
        """Return the next desired position, wherever the robot is."""
        index = self.memory
        self.memory = index + 1
        return self._entry(index)

    @property
    def expected(self) -> JointState:
        """Return the last position that was handed out, with its difference quotient."""
        position = self._entry(max(0, self.memory - 1))
        return JointState(position, (position - self._entry(max(0, self.memory - 2))) / self._h)

    def _entry(self, index: int) -> Array:
        return self._positions[index if index < self._last else self._last]
