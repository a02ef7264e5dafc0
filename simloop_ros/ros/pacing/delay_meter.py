"""How late messages come, from their stamps and a clock that has nothing to do with them."""

from __future__ import annotations

import math

from ..messages.stamps import NANO

DRIFT = 1e-3
"""By how much the least delay may grow [periods a period]: the clocks drift."""

LONG_BACKLOG, SHORT_BACKLOG = 10.0, 1.5
"""Excess from which on messages are not answered, and below which they are again [periods]."""

LONGEST_CATCH_UP = 256
"""Messages in a row that may be left unanswered: twice as many as a queue has."""


class DelayMeter:
    """The delay of messages beyond the least delay so far; the period of the messages is in s."""

    def __init__(self, period: float):
        self._period = period * NANO
        self._least = math.inf

    def excess(self, stamp: int, now: int) -> float:
        """Take a message with a stamp [ns] that came now [ns]; return its excess [periods]."""
        delay = (now - stamp) / self._period
        self._least = min(self._least + DRIFT, delay)
        return delay - self._least


class Backlog:
    """Whether so many messages wait for a node that it leaves some unanswered, to catch up.

    A node that is slower than its messages would else answer each of them, and all too late. A
    delay that stays for ``LONGEST_CATCH_UP`` messages is none: a clock was set, or the sender
    stood still.

    :param period: of the messages [s].
    """

    def __init__(self, period: float):
        self._period = period
        self._delay = DelayMeter(period)
        self._unanswered = 0

    def grows(self, stamp: int, now: int) -> bool:
        """Return whether a message with a stamp [ns] that is read now [ns] is left unanswered."""
        limit = SHORT_BACKLOG if self._unanswered else LONG_BACKLOG
        if self._delay.excess(stamp, now) <= limit:
            self._unanswered = 0
        elif self._unanswered < LONGEST_CATCH_UP:
            self._unanswered += 1
        else:
            self._delay, self._unanswered = DelayMeter(self._period), 0
            self._delay.excess(stamp, now)
        return self._unanswered > 0
