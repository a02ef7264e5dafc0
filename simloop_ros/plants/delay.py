"""Measurements that arrive late."""

from __future__ import annotations

from typing import Any

import msgspec

from ..core.values import UNDISTURBED, Array, Disturbance, JointState
from .plant import Plant
from .wrapper import PlantWrapper


class DelaySnapshot(msgspec.Struct, frozen=True):
    """The plant's snapshot and the readings that have not arrived yet [rad], oldest first."""

    plant: Any
    readings: tuple[Array, ...]


class Delay(PlantWrapper):
    """Give each reading a whole number of periods later.

    ``observe`` after step ``k`` is what the plant inside showed after step ``k - delay``, or its
    first reading where there was no such step.

    :param delay: age of a reading, in whole periods.
    """

    def __init__(self, plant: Plant, delay: int):
        super().__init__(plant)
        self._delay = delay
        self._readings = self._first_readings()

    def start(self, state: JointState) -> None:
        """Begin at a joint state, with its first reading repeated."""
        self._plant.start(state)
        self._readings = self._first_readings()

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m] and a disturbance for one period, and take a reading."""
        self._plant.step(effort, disturbance)
        self._readings = (*self._readings[1:], self._plant.observe())

    def observe(self) -> Array:
        """Return the reading that arrives now [rad], shape ``(n,)``."""
        return self._readings[0]

    def snapshot(self) -> DelaySnapshot:
        """Return the plant's snapshot and the readings that have not arrived yet."""
        return DelaySnapshot(self._plant.snapshot(), self._readings)

    def restore(self, snapshot: DelaySnapshot) -> None:
        """Go back to an earlier snapshot."""
        self._plant.restore(snapshot.plant)
        self._readings = snapshot.readings

    def _first_readings(self) -> tuple[Array, ...]:
        return (self._plant.observe(),) * (self._delay + 1)
