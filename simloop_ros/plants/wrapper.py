"""A plant around a plant: how the simulated robot gets the faults of a real one."""

from __future__ import annotations

from typing import Any

from ..core.values import Array, Contact, HandReport, JointState, ObjectReport
from .plant import Plant


class PlantWrapper(Plant):
    """Hand everything on to the plant inside; a subclass changes one thing on the way."""

    def __init__(self, plant: Plant):
        self._plant = plant

    @property
    def state(self) -> Any:
        """Return the state of the plant inside."""
        return self._plant.state

    @property
    def truth(self) -> JointState:
        """Return the true joint state."""
        return self._plant.truth

    @property
    def external(self) -> Array:
        """Return the true torque from outside in the last step [N m], shape ``(n,)``."""
        return self._plant.external

    def reset(self, state: Any) -> None:
        """Go to a state."""
        self._plant.reset(state)

    def step(self, effort: Array, external: Array | None = None) -> None:
        """Apply efforts and torques from outside [N m], shape ``(n,)``, for one period."""
        self._plant.step(effort, external)

    def observe(self) -> Array:
        """Return the measured joint positions [rad], shape ``(n,)``."""
        return self._plant.observe()

    def contacts(self) -> tuple[Contact, ...]:
        """Return the present contacts with obstacles."""
        return self._plant.contacts()

    def hands(self) -> tuple[HandReport, ...]:
        """Return what each simulated hand did in the last physics step."""
        return self._plant.hands()

    def wrenches(self) -> Array | None:
        """Return what the wrist sensors read [N, N m], shape ``(tips, 6)``, if there are any."""
        return self._plant.wrenches()

    def true_wrenches(self) -> Array | None:
        """Return what perfect wrist sensors would read, shape ``(tips, 6)``, if there are any."""
        return self._plant.true_wrenches()

    def held_object(self) -> ObjectReport | None:
        """Return where the object for two hands is, if there is one."""
        return self._plant.held_object()

    def push_object(self, wrench: Array) -> None:
        """Let somebody push the object for two hands in the next step."""
        self._plant.push_object(wrench)

    def close(self) -> None:
        """Close the plant inside."""
        self._plant.close()
