"""Forces that are too short to be seen."""

from __future__ import annotations

from collections.abc import Sequence

from .frame import Force, ForceKind

SHORT: tuple[ForceKind, ...] = ('contact', 'ball')
"""What may last for less than a frame."""
FOLLOWS = 0.2
"""Longest simulated time between frames of one motion [s]: that of five times real time. After
more, or after a jump in time, a frame has only what acts at its moment."""


class ForcePeaks:
    """Keeps the largest short force on each link: an impact lasts for some milliseconds."""

    def __init__(self) -> None:
        self._peaks: dict[tuple[str, str], Force] = {}

    def take(self, force: Force) -> None:
        """Keep a force, if it is the largest of its kind on its link."""
        kept = self._peaks.get((force.kind, force.link))
        if kept is None or _square(force) > _square(kept):
            self._peaks[force.kind, force.link] = force

    def over(self, forces: Sequence[Force]) -> tuple[Force, ...]:
        """Return forces, short ones replaced by their peaks."""
        return (*(each for each in forces if each.kind not in SHORT), *self._peaks.values())

    def clear(self) -> None:
        """Forget all."""
        self._peaks.clear()


def _square(force: Force) -> float:
    return float(force.vector @ force.vector)
