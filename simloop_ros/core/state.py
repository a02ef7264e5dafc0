"""The one protocol of everything that has a state."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable


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
