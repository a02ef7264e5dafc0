"""A control period in several physics steps."""

from __future__ import annotations

import msgspec

from ..core.values import UNDISTURBED, Array, Disturbance, PlantReport
from .plant import Plant
from .wrapper import PlantWrapper


class Substeps(PlantWrapper):
    """Apply the same efforts in every physics step of a period.

    What is inside, a hand for instance, acts again in each of them.

    :param substeps: number of physics steps in one ``step``.
    """

    _remembered = ('_plant', '_external')

    def __init__(self, plant: Plant, substeps: int):
        super().__init__(plant)
        self._substeps = substeps
        self._begin()

    def _begin(self) -> None:
        self._external = self._plant.report().external  # mean of the last period [N m]

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m], shape ``(n,)``, and a disturbance for one period."""
        total = 0.0 * effort
        for _ in range(self._substeps):
            self._plant.step(effort, disturbance)
            total += self._plant.report().external
        self._external = total / self._substeps

    def report(self) -> PlantReport:
        """Return the report of the last physics step, with the mean external torque."""
        return msgspec.structs.replace(self._plant.report(), external=self._external)
