"""Measurements that arrive late."""

from __future__ import annotations

from ..core.values import UNDISTURBED, Array, Disturbance
from .plant import Plant
from .wrapper import PlantWrapper


class Delay(PlantWrapper):
    """Give each reading a whole number of periods later.

    ``observe`` after step ``k`` is what the plant inside showed after step ``k - delay``, or its
    first reading where there was no such step. Readings are positions [rad], shape ``(n,)``.

    :param delay: age of a reading, in whole periods.
    """

    _remembered = ('_plant', '_readings')

    def __init__(self, plant: Plant, delay: int):
        super().__init__(plant)
        self._delay = delay
        self._begin()

    def _begin(self) -> None:
        self._readings = (self._plant.observe(),) * (self._delay + 1)

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m] and a disturbance for one period, and take a reading."""
        self._plant.step(effort, disturbance)
        self._readings = (*self._readings[1:], self._plant.observe())

    def observe(self) -> Array:
        """Return the reading that arrives now [rad], shape ``(n,)``."""
        return self._readings[0]
