"""What the two ways to step the plant need of its node."""

from __future__ import annotations

from typing import Protocol

from ...core.values import Array
from .braked_plant import BrakedPlant


class PlantPort(Protocol):
    """The plant, its commands and its outputs.

    :ivar plant: the plant behind gate and brakes.
    """

    plant: BrakedPlant

    def accepts(self, effort: Array, age: float) -> bool:
        """Return whether a command may be applied; if not, the brakes are engaged.

        :param effort: [N m], shape ``(n,)``.
        :param age: of the state that it was computed from [s].
        """

    def publish(self, stamp: int) -> None:
        """Publish the present state with a stamp [ns]."""

    def engage(self, reason: str) -> None:
        """Engage the brakes and announce it."""
