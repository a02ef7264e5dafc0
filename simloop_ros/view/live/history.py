"""Earlier moments of a run, to go back to."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

INTERVAL = 0.2
"""Time between two moments that are kept [s]."""
LONGEST = 120.0
"""Time that can be gone back [s], beside to the start."""


class Moment(NamedTuple):
    """A snapshot, and the number of steps before it."""

    steps: int
    snapshot: Any


class History:
    """Keeps the snapshots of a run: one every ``INTERVAL``, and that of the start for ever.

    :param period: of a step [s].
    :param first: snapshot of the start.
    :ivar due: number of steps after which the next is wanted.
    """

    def __init__(self, period: float, first: Any):
        self._every = max(1, round(INTERVAL / period))
        self.due = self._every
        self._first = Moment(0, first)
        self._moments: deque[Moment] = deque(
            [self._first], maxlen=max(1, round(LONGEST / (self._every * period)))
        )

    @property
    def earliest(self) -> int:
        """Return the number of steps of the first moment since which any can be gone back to."""
        return self._moments[0].steps

    def keep(self, steps: int, snapshot: Any) -> None:
        """Keep a snapshot."""
        self._moments.append(Moment(steps, snapshot))
        self.due = steps + self._every

    def before(self, steps: int) -> Moment:
        """Return the last moment with no more steps, else the start; later ones are forgotten."""
        while self._moments and self._moments[-1].steps > steps:
            self._moments.pop()
        if not self._moments:
            self._moments.append(self._first)
        self.due = self._moments[-1].steps + self._every
        return self._moments[-1]
