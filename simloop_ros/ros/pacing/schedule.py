"""Periodic calls in the loop of a process."""

from __future__ import annotations

from collections.abc import Callable
import time

from ..messages.stamps import NANO


class Schedule:
    """Calls by a steady clock, made by the loop of the process that waits for messages, too.

    Timers of the events executor have a thread for each clock. Each tick goes from there to the
    executor and back: at 200 Hz that was some seventy system calls in a period, and a wait for
    another processor. A loop that waits no longer than until the next call needs no thread.

    :param clock: returns the time of a steady clock [ns].
    """

    def __init__(self, clock: Callable[[], int] = time.monotonic_ns):
        self._clock = clock
        self._calls: list[_Call] = []
        self._next: float = float('inf')

    def every(self, period: float, call: Callable[[], None]) -> Callable[[], None]:
        """Call something in this period [s], first in one period; return what ends that."""
        step = max(1, round(period * NANO))
        added = _Call(step, self._clock() + step, call)
        self._calls.append(added)
        self._next = min(self._next, added.due)

        def end() -> None:
            if added in self._calls:
                self._calls.remove(added)

        return end

    def wait(self, longest: float) -> float:
        """Return the time until the next call, at most ``longest`` [s]; 0 if one is due."""
        return min(longest, max(0.0, (self._next - self._clock()) / NANO))

    def run(self) -> None:
        """Make the calls that are due, each once: of those that were missed only the last."""
        now = self._clock()
        if now < self._next:
            return
        for each in sorted((call for call in self._calls if call.due <= now), key=_due):
            if each in self._calls:  # no earlier one has ended it
                each.due += each.period * ((now - each.due) // each.period + 1)
                each.call()
        self._next = min(map(_due, self._calls), default=float('inf'))


class _Call:
    def __init__(self, period: int, due: int, call: Callable[[], None]):
        self.period, self.due, self.call = period, due, call


def _due(call: _Call) -> int:
    return call.due
