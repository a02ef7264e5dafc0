"""A plant around a plant: how the simulated robot gets the faults of a real one."""

from __future__ import annotations

from typing import ClassVar

from ..core.state import Remembering
from ..core.values import UNDISTURBED, Array, Disturbance, JointState, PlantReport
from .plant import Plant


class PlantWrapper(Remembering, Plant):
    """Forward everything to the plant inside; a subclass changes one thing on the way."""

    _remembered: ClassVar[tuple[str, ...]] = ('_plant',)

    def __init__(self, plant: Plant):
        self._plant = plant

    @property
    def truth(self) -> JointState:
        """Return the true joint state."""
        return self._plant.truth

    def start(self, state: JointState) -> None:
        """Begin at a joint state, as new."""
        self._plant.start(state)
        self._begin()

    def _begin(self) -> None:
        """Be as new, around a plant that has just started."""

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m], shape ``(n,)``, and a disturbance for one period."""
        self._plant.step(effort, disturbance)

    def observe(self) -> Array:
        """Return the measured joint positions [rad], shape ``(n,)``."""
        return self._plant.observe()

    def report(self) -> PlantReport:
        """Return what else is known of the last step."""
        return self._plant.report()

    def close(self) -> None:
        """Close the plant inside."""
        self._plant.close()
