"""What is told while a robot is not controlled yet."""

from __future__ import annotations

from collections.abc import Callable

from ..messages.stamps import NANO

WAITING = 4.0
"""Time without any joint state after which that is told, and again after twice the time [s]."""


class StartReport:
    """Says each reason once, and less and less often that it waits.

    :param clock: returns the time of a steady clock [ns].
    """

    def __init__(self, clock: Callable[[], int]):
        self._clock = clock
        self._begin = clock()
        self._told = WAITING
        self._refusal = ''

    def waited(self) -> float:
        """Return the time since the begin [s], if it is time to tell; else 0."""
        waited = (self._clock() - self._begin) / NANO
        if waited < self._told:
            return 0.0
        self._told = 2.0 * waited
        return waited

    def new_refusal(self, reason: str) -> str:
        """Return the reason why a robot is not controlled, if there was none before."""
        before, self._refusal = self._refusal, reason
        return '' if before else reason
