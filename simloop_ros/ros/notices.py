"""What the collision monitor has said, for those who act upon it."""

from __future__ import annotations

from .notice import NOTHING, Notice

MOST = 64
"""Notices that are kept at most."""


class Notices:
    """The notices that are still to come to their turn; in real time, the last one.

    :param realtime: whether the last one counts, instead of that of a step.
    """

    def __init__(self, *, realtime: bool):
        self._realtime = realtime
        self._last = NOTHING
        self._waiting: dict[int, Notice] = {}

    def add(self, notice: Notice) -> None:
        """Take a notice; where there are too many, the latest ones go: their turn comes last."""
        if self._realtime:
            self._last = notice
            return
        self._waiting[notice.stamp] = notice
        if len(self._waiting) > MOST:
            del self._waiting[max(self._waiting)]

    def at(self, stamp: int) -> Notice | None:
        """Return what was said of the step that ends at a stamp [ns]; none if nothing yet.

        Before the first step there is nothing to say.
        """
        if self._realtime:
            return self._last
        return NOTHING if stamp == 0 else self._waiting.get(stamp)

    def forget_until(self, stamp: int) -> None:
        """Forget what was said up to a stamp [ns]."""
        for old in [each for each in self._waiting if each <= stamp]:
            del self._waiting[old]
