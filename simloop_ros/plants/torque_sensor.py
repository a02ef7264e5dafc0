"""Torque sensors in the joints."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.values import UNDISTURBED, Array, Disturbance, PlantReport
from .plant import Plant
from .wrapper import PlantWrapper


class TorqueSensor(PlantWrapper):
    """Measure the torque that the drives give to the plant inside, with noise.

    Around the links alone it is a sensor behind the gear: friction is not in what it measures.
    Around the plant with friction it is one of the motors, or their current.

    :param noise: standard deviation [N m].
    :param rng: generator for it alone: ``start`` rewinds it.
    """

    _remembered = ('_plant', '_torque', '_rng')

    def __init__(self, plant: Plant, noise: float, rng: np.random.Generator):
        super().__init__(plant)
        self._noise = noise
        self._rng = rng
        self._first_draw = rng.bit_generator.state
        self._begin()

    def _begin(self) -> None:
        self._rng.bit_generator.state = self._first_draw
        self._torque: Array = np.zeros_like(self._plant.truth.position)

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m] and a disturbance for one period, and measure the efforts."""
        self._plant.step(effort, disturbance)
        self._torque = effort + self._noise * self._rng.standard_normal(effort.shape)

    def report(self) -> PlantReport:
        """Return the plant's report, with the torque of the last step."""
        return msgspec.structs.replace(self._plant.report(), torque=self._torque)
