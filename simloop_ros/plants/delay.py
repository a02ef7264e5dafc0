"""Measurements that arrive late."""

from __future__ import annotations

from typing import Any

import msgspec

from ..core.values import Array, JointState
from .plant import Plant
from .wrapper import PlantWrapper


class DelayState(msgspec.Struct, frozen=True):
    """The plant's state and the readings under way [rad], oldest first."""

    plant: Any
    readings: tuple[Array, ...]


class Delay(PlantWrapper):
    """Give each reading a whole number of periods later.

    ``observe`` after step ``k`` is what the plant inside showed after step ``k - delay``, or its
    first reading where there was no such step.

    :param plant: the plant that is measured.
    :param delay: age of a reading, in whole periods.
    """

    def __init__(self, plant: Plant, delay: int):
        super().__init__(plant)
        self._delay = delay
        self._readings = self._first_readings()

    @property
    def state(self) -> DelayState:
        """Return the plant's state and the readings under way."""
        return DelayState(self._plant.state, self._readings)

    def reset(self, state: JointState | DelayState) -> None:
        """Go to a state; a ``JointState`` begins with its first reading repeated."""
        if isinstance(state, DelayState):
            self._plant.reset(state.plant)
            self._readings = state.readings
        else:
            self._plant.reset(state)
            self._readings = self._first_readings()

    def step(self, effort: Array, external: Array | None = None) -> None:
        """Apply efforts and torques [N m] for one period, and send a reading on its way."""
        self._plant.step(effort, external)
        self._readings = (*self._readings[1:], self._plant.observe())

    def observe(self) -> Array:
        """Return the reading that arrives now [rad], shape ``(n,)``."""
        return self._readings[0]

    def _first_readings(self) -> tuple[Array, ...]:
        return (self._plant.observe(),) * (self._delay + 1)
