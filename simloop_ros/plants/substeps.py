"""A control period in several physics steps."""

from __future__ import annotations

from typing import Any

import msgspec

from ..core.values import UNDISTURBED, Array, Disturbance, JointState, PlantReport
from .plant import Plant
from .wrapper import PlantWrapper


class SubstepsSnapshot(msgspec.Struct, frozen=True):
    """The plant's snapshot, and the mean external torque in the last period [N m]."""

    plant: Any
    external: Array


class Substeps(PlantWrapper):
    """Apply the same efforts in every physics step of a period.

    What is inside, a hand for instance, acts again in each of them.

    :param substeps: number of physics steps in one ``step``.
    """

    def __init__(self, plant: Plant, substeps: int):
        super().__init__(plant)
        self._substeps = substeps
        self._external = plant.report().external

    def start(self, state: JointState) -> None:
        """Begin at a joint state."""
        self._plant.start(state)
        self._external = self._plant.report().external

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

    def snapshot(self) -> SubstepsSnapshot:
        """Return the plant's snapshot and the mean external torque."""
        return SubstepsSnapshot(self._plant.snapshot(), self._external)

    def restore(self, snapshot: SubstepsSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self._plant.restore(snapshot.plant)
        self._external = snapshot.external
