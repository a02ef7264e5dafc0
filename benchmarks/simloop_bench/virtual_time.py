"""Processes on a clock of its own: when each is scheduled, and when its messages arrive."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
import heapq
from itertools import count
from typing import Any

NANO = 1_000_000_000
WAKE_UP = 30_000
"""Time after which a timer fires [ns]."""


class VirtualProcess:
    """Handles one call at a time, and only while it is scheduled.

    :param pauses: begin and end of each time in which it is not scheduled [ns]; in order, without
        overlap.
    """

    def __init__(self, pauses: Sequence[tuple[int, int]] = ()):
        self._begins = [begin for begin, _ in pauses]
        self._pauses = list(pauses)
        self.busy_until = 0
        self.alive = True

    def free_at(self, time: int) -> int:
        """Return when it can begin with what comes at a time [ns]."""
        time = max(time, self.busy_until)
        i = bisect_right(self._begins, time) - 1
        return max(time, self._pauses[i][1]) if i >= 0 else time

    def finish(self, begin: int, cost: int) -> int:
        """Return when a call that begins now and takes some CPU time [ns] is over."""
        end = begin + cost
        i = bisect_right(self._begins, begin)
        while i < len(self._pauses) and self._pauses[i][0] < end:
            end += self._pauses[i][1] - self._pauses[i][0]
            i += 1
        return end


class VirtualTime:
    """Runs calls of processes in the order of a clock that nobody waits for.

    :ivar now: [ns].
    :ivar middleware: takes messages for processes that are busy; it is never late by itself.
    """

    def __init__(self) -> None:
        self.now = 0
        self.middleware = VirtualProcess()
        self._sent = 0
        self._numbers = count()
        self._calls: list[tuple[int, int, VirtualProcess, Callable[[], None], int]] = []

    def clock(self) -> int:
        """Return the time [ns]."""
        return self.now

    def at(
        self, time: int, process: VirtualProcess, call: Callable[[], None], cost: int = 0
    ) -> None:
        """Let a process do something that takes some CPU time [ns] at a time [ns], or later."""
        heapq.heappush(self._calls, (time, next(self._numbers), process, call, cost))

    def every(
        self, period: int, process: VirtualProcess, call: Callable[[], None], cost: int = 0
    ) -> None:
        """Call at multiples of a period [ns]; what was missed is left out, as a ROS timer does."""

        def tick() -> None:
            call()
            self.at(self._next(period), process, tick, cost)

        self.at(self._next(period), process, tick, cost)

    def _next(self, period: int) -> int:
        return ((self.now - WAKE_UP) // period + 1) * period + WAKE_UP

    def run(self, until: int, stop: Callable[[], bool] = lambda: False) -> None:
        """Go on until a time [ns], or until ``stop`` says so."""
        calls = self._calls
        while calls and calls[0][0] <= until and not stop():
            time, number, process, call, cost = heapq.heappop(calls)
            if not process.alive:
                continue
            free = process.free_at(time)
            if free > time:
                heapq.heappush(calls, (free, number, process, call, cost))
                continue
            self.now = time
            self._sent = process.busy_until = process.finish(time, cost)
            call()

    @property
    def sent(self) -> int:
        """Return when a message leaves that is sent by the present call [ns]."""
        return max(self.now, self._sent)


class VirtualTopic:
    """A topic: each reader gets its messages after a delay, the last one only if it is late.

    :param delay: returns how long a message takes [ns], or ``None`` if it is lost.
    """

    def __init__(self, time: VirtualTime, delay: Callable[[], int | None]):
        self._time = time
        self._delay = delay
        self._readers: list[tuple[VirtualProcess, Callable[..., None], int, bool, list[Any]]] = []

    def subscribe(
        self,
        process: VirtualProcess,
        call: Callable[..., None],
        cost: int = 0,
        *,
        last_only: bool = False,
    ) -> None:
        """Add a reader, whose call takes some CPU time [ns]."""
        self._readers.append((process, call, cost, last_only, []))

    def send(self, *content: Any) -> None:
        """Send a message to every reader."""
        for process, call, cost, last_only, waiting in self._readers:
            delay = self._delay()
            if delay is None:
                continue
            if last_only:
                self._replace(process, call, cost, waiting, content, delay)
            else:
                self._deliver(process, call, cost, content, delay)

    def _deliver(
        self,
        process: VirtualProcess,
        call: Callable[..., None],
        cost: int,
        content: tuple[Any, ...],
        delay: int,
    ) -> None:
        self._time.at(self._time.sent + delay, process, lambda: call(*content), cost)

    def _replace(
        self,
        process: VirtualProcess,
        call: Callable[..., None],
        cost: int,
        waiting: list[Any],
        content: tuple[Any, ...],
        delay: int,
    ) -> None:
        """Deliver a message, or a later one that has come until the process gets to it."""

        def arrive() -> None:
            if not waiting:
                self._time.at(self._time.now, process, take, cost)
            waiting[:] = [content]

        def take() -> None:
            (last,) = waiting
            waiting.clear()
            call(*last)

        self._time.at(self._time.sent + delay, self._time.middleware, arrive)
