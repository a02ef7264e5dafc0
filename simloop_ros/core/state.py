"""Saving and restoring everything that has a state."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np


@runtime_checkable
class Stateful(Protocol):
    """All that the next step depends on can be saved and restored.

    A snapshot is an immutable value, and so are its arrays. After ``restore`` the same inputs
    give, bit for bit, the same outputs as they did after ``snapshot``.
    """

    def snapshot(self) -> Any:
        """Return all that the next step depends on."""

    def restore(self, snapshot: Any) -> None:
        """Go back to an earlier snapshot of the same object."""


class StateValue:
    """Its whole state is one immutable value, ``_state``."""

    _state: Any

    def snapshot(self) -> Any:
        """Return all that the next step depends on."""
        return self._state

    def restore(self, snapshot: Any) -> None:
        """Go back to an earlier snapshot."""
        self._state = snapshot


class Remembering:
    """Its state is in attributes: immutable values, random generators, or ``Stateful`` parts.

    :cvar _remembered: their names; a snapshot is a tuple of the same order.
    """

    _remembered: ClassVar[tuple[str, ...]]

    def snapshot(self) -> Any:
        """Return all that the next step depends on."""
        return tuple(_saved(getattr(self, name)) for name in self._remembered)

    def restore(self, snapshot: Any) -> None:
        """Go back to an earlier snapshot."""
        for name, saved in zip(self._remembered, snapshot, strict=True):
            part = getattr(self, name)
            if hasattr(part, 'restore'):
                part.restore(saved)
            elif isinstance(part, np.random.Generator):
                part.bit_generator.state = saved
            else:
                setattr(self, name, saved)


def _saved(part: Any) -> Any:
    if hasattr(part, 'snapshot'):
        return part.snapshot()
    return part.bit_generator.state if isinstance(part, np.random.Generator) else part
