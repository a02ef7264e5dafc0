"""What every plant can do: 000, algorithm 3."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ..values import Array, Contact, JointState


class Plant(ABC):
    """The robot at the other end of the loop, simulated or real.

    One ``step`` applies constant efforts for one control period. Everything that the next step
    depends on is in ``state``: ``reset`` with a saved state and the same efforts gives, bit for
    bit, the same motion.
    """

    @property
    @abstractmethod
    def state(self) -> Any:
        """Return all that the next step depends on, as a value for ``reset``."""

    @property
    @abstractmethod
    def truth(self) -> JointState:
        """Return the true joint state, which a real robot would not tell."""

    @abstractmethod
    def reset(self, state: Any) -> None:
        """Go to a state: a ``JointState`` to start from, or an earlier ``state``."""

    @abstractmethod
    def step(self, effort: Array) -> None:
        """Apply efforts [N m], shape ``(n,)``, for one period."""

    @abstractmethod
    def observe(self) -> Array:
        """Return the measured joint positions [rad], shape ``(n,)``."""

    def contacts(self) -> tuple[Contact, ...]:
        """Return the present contacts with obstacles."""
        return ()

    def close(self) -> None:  # noqa: B027 - most plants hold nothing
        """Give back what the plant holds outside Python."""
