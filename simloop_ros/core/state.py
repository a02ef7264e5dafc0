"""Saving and restoring everything that has a state."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, runtime_checkable

import msgspec
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

    A snapshot is a frozen struct with a field for each of them, without leading underscores.

    :cvar _remembered: names of the attributes.
    """

    _remembered: ClassVar[tuple[str, ...]] = ()
    _snapshot_type: ClassVar[type[msgspec.Struct]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        fields = [name.lstrip('_') for name in cls._remembered]
        cls._snapshot_type = msgspec.defstruct(f'{cls.__name__}Snapshot', fields, frozen=True)

    def snapshot(self) -> Any:
        """Return all that the next step depends on."""
        return self._snapshot_type(*(_saved(getattr(self, name)) for name in self._remembered))

    def restore(self, snapshot: Any) -> None:
        """Go back to an earlier snapshot."""
        saved = msgspec.structs.astuple(snapshot)
        for name, value in zip(self._remembered, saved, strict=True):
            part = getattr(self, name)
            if hasattr(part, 'restore'):
                part.restore(value)
            elif isinstance(part, np.random.Generator):
                part.bit_generator.state = value
            else:
                setattr(self, name, value)


class StatefulParts(tuple[Stateful, ...]):
    """Parts that are saved and restored together."""

    def snapshot(self) -> tuple[Any, ...]:
        """Return the snapshots of all parts."""
        return tuple(part.snapshot() for part in self)

    def restore(self, snapshot: tuple[Any, ...]) -> None:
        """Go back to an earlier snapshot."""
        for part, saved in zip(self, snapshot, strict=True):
            part.restore(saved)


def _saved(part: Any) -> Any:
    if hasattr(part, 'snapshot'):
        return part.snapshot()
    return part.bit_generator.state if isinstance(part, np.random.Generator) else part
