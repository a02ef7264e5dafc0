"""A control period in several physics steps."""

from __future__ import annotations

from typing import Any

import msgspec

from ..core.values import Array, JointState
from .plant import Plant
from .wrapper import PlantWrapper


class SubstepsState(msgspec.Struct, frozen=True):
    """The plant's state, and the mean torque from outside in the last period [N m]."""

    plant: Any
    external: Array


class Substeps(PlantWrapper):
    """Apply the same efforts in every physics step of a period.

    What is inside, a hand for instance, acts anew in each of them.

    :param plant: the plant whose ``step`` is a physics step.
    :param substeps: number of physics steps in one ``step``.
    """

    def __init__(self, plant: Plant, substeps: int):
        super().__init__(plant)
        self._substeps = substeps
        self._external = plant.external

    @property
    def state(self) -> SubstepsState:
        """Return the plant's state and the mean torque from outside."""
        return SubstepsState(self._plant.state, self._external)

    @property
    def external(self) -> Array:
        """Return the mean torque from outside in the last period [N m], shape ``(n,)``."""
        return self._external

    def reset(self, state: JointState | SubstepsState) -> None:
        """Go to a state."""
        if isinstance(state, SubstepsState):
            self._plant.reset(state.plant)
            self._external = state.external
        else:
            self._plant.reset(state)
            self._external = self._plant.external

    def step(self, effort: Array, external: Array | None = None) -> None:
        """Apply efforts and torques from outside [N m], shape ``(n,)``, for one period."""
        total = 0.0 * effort
        for _ in range(self._substeps):
            self._plant.step(effort, external)
            total += self._plant.external
        self._external = total / self._substeps
