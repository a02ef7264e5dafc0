"""The efforts of steps whose other messages got lost."""

from __future__ import annotations

from ...core.values import Array
from ..messages.effort_command import AppliedEffort
from ..messages.stamps import NANO, stamp_of

MAX_STEPS = 256
"""Steps that are kept: twice as many as a queue has."""


class EffortLog:
    """Efforts by the step that they are of, of a robot that tells what it applied.

    A step whose joint state got lost has the effort of its command, which was in time more often
    than not. Of a robot that never tells its efforts nothing is known: its driver may have held
    another command.

    :param period: length of a step [s].
    """

    def __init__(self, period: float):
        self._period = period
        self._tolerance = 0.5 * period * NANO
        self._told: dict[int, Array] = {}
        self._commanded: dict[int, Array] = {}

    def tell(self, stamp: int, applied: AppliedEffort) -> None:
        """Take what was applied up to a stamp [ns]."""
        for back in range(min(applied.steps, MAX_STEPS), 0, -1):
            _keep(self._told, stamp - stamp_of(back, self._period), applied.effort)

    def command(self, stamp: int, effort: Array) -> None:
        """Take the command [N m], shape ``(n,)``, of the step that begins at a stamp [ns]."""
        _keep(self._commanded, stamp, effort)

    def at(self, stamp: int) -> Array | None:
        """Return the effort of the step that begins at a stamp [ns] or near it, if it is known."""
        if not self._told:
            return None
        for efforts in (self._told, self._commanded):
            if stamp in efforts:
                return efforts[stamp]
            nearest = min(efforts, key=lambda each: abs(each - stamp), default=None)
            if nearest is not None and abs(nearest - stamp) <= self._tolerance:
                return efforts[nearest]
        return None


def _keep(efforts: dict[int, Array], stamp: int, effort: Array) -> None:
    """Add an effort; forget the one that was added first if there are too many."""
    efforts[stamp] = effort
    if len(efforts) > MAX_STEPS:
        del efforts[next(iter(efforts))]
