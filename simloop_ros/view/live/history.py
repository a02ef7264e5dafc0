"""Earlier moments of a run, to go back to."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

INTERVAL = 0.1
"""Time between two moments that are kept [s]."""
LONGEST = 120.0
"""Time that can be gone back [s]."""


class Moment(NamedTuple):
    """A snapshot, and the number of steps before it."""

    steps: int
    snapshot: Any


class History:
    """Keeps the snapshots of a run: one every ``INTERVAL``, and the first for ever."""

    def __init__(self, period: float):
        self._every = max(1, round(INTERVAL / period))
        self._moments: deque[Moment] = deque(maxlen=round(LONGEST / INTERVAL))
        self._first: Moment | None = None

    def wants(self, index: int) -> bool:
        """Return whether a snapshot is wanted after so many steps."""
        return index % self._every == 0 and not (
            self._moments and self._moments[-1].steps == index
        )

    def keep(self, index: int, snapshot: Any) -> None:
        """Keep a snapshot."""
        moment = Moment(index, snapshot)
        if self._first is None:
            self._first = moment
        self._moments.append(moment)

    def before(self, index: int) -> Moment:
        """Return the last moment with no more steps, else the first; later ones are forgotten."""
        while self._moments and self._moments[-1].steps > index:
            self._moments.pop()
        if not self._moments:
            assert self._first is not None
            self._moments.append(self._first)
        return self._moments[-1]
