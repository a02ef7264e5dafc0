"""The interface of every plant: 000, algorithm 3."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ..core.values import UNDISTURBED, Array, Disturbance, JointState, PlantReport


class Plant(ABC):
    """The robot at the other end of the loop, simulated or real.

    One ``step`` applies constant efforts of the drives for one control period and, apart from
    them, a disturbance. A snapshot holds everything that the next step depends on: after
    ``restore`` the same efforts give, bit for bit, the same motion.
    """

    @property
    @abstractmethod
    def truth(self) -> JointState:
        """Return the true joint state, which is unknown of a real robot."""

    @abstractmethod
    def start(self, state: JointState) -> None:
        """Begin at a joint state, at time zero and without any disturbance yet."""

    @abstractmethod
    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts and a disturbance for one period.

        :param effort: of the drives [N m], shape ``(n,)``.
        """

    @abstractmethod
    def observe(self) -> Array:
        """Return the measured joint positions [rad], shape ``(n,)``."""

    @abstractmethod
    def report(self) -> PlantReport:
        """Return what else is known of the last step."""

    @abstractmethod
    def snapshot(self) -> Any:
        """Return all that the next step depends on, and what was reported of the last one."""

    @abstractmethod
    def restore(self, snapshot: Any) -> None:
        """Go back to an earlier snapshot of this plant."""

    def close(self) -> None:  # noqa: B027 - most plants hold nothing
        """Release what the plant holds outside Python."""


def joint_disturbance(disturbance: Disturbance) -> Array | None:
    """Return the external torque [N m], shape ``(n,)``, on a plant without an object.

    :raises ValueError: the disturbance acts on an object.
    """
    if disturbance.object_wrench is not None:
        raise ValueError('this plant has no object that a wrench could act on')
    return disturbance.torque


def total_torque(effort: Array, external: Array | None) -> Array:
    """Return the torque on rigid joints [N m], shape ``(n,)``: effort plus external torque."""
    return effort if external is None else effort + external
