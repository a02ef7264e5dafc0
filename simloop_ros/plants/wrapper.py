"""A plant around a plant: how the simulated robot gets the faults of a real one."""

from __future__ import annotations

from typing import Any

from ..core.values import UNDISTURBED, Array, Disturbance, JointState, PlantReport
from .plant import Plant


class PlantWrapper(Plant):
    """Forward everything to the plant inside; a subclass changes one thing on the way."""

    def __init__(self, plant: Plant):
        self._plant = plant

    @property
    def truth(self) -> JointState:
        """Return the true joint state."""
        return self._plant.truth

    def start(self, state: JointState) -> None:
        """Begin at a joint state."""
        self._plant.start(state)

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m], shape ``(n,)``, and a disturbance for one period."""
        self._plant.step(effort, disturbance)

    def observe(self) -> Array:
        """Return the measured joint positions [rad], shape ``(n,)``."""
        return self._plant.observe()

    def report(self) -> PlantReport:
        """Return what else is known of the last step."""
        return self._plant.report()

    def snapshot(self) -> Any:
        """Return the snapshot of the plant inside."""
        return self._plant.snapshot()

    def restore(self, snapshot: Any) -> None:
        """Go back to an earlier snapshot."""
        self._plant.restore(snapshot)

    def close(self) -> None:
        """Close the plant inside."""
        self._plant.close()
