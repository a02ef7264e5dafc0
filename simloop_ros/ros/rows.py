"""Messages of several topics put together step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from .stamps import stamp_of

PATIENCE_ROWS = 64
"""Real time: later rows after which one that is still incomplete is left out."""


class RowJoiner:
    """Put together what belongs to one step, in the order of the steps.

    The state ``topic`` has a message at the start and at the end of each step. Messages of
    ``early`` topics have the stamp of the step's start, those of ``late`` topics that of its end.
    In lockstep the stamps are known beforehand and no row is left out: ``missing`` tells what to
    ask for. In real time the stamps of the states tell the steps, and a row that stays incomplete
    is left out and counted.

    :param period: length of a step [s].
    :param window: largest number of messages of a topic that are kept waiting.
    :ivar rows: number of complete rows so far.
    :ivar dropped: number of rows that were left out.
    """

    def __init__(
        self,
        state: str,
        early: Sequence[str],
        late: Sequence[str],
        period: float,
        *,
        window: int,
        realtime: bool,
    ):
        self._state = state
        self._early = tuple(early)
        self._late = tuple(late)
        self._period = period
        self._window = window
        self._realtime = realtime
        self._waiting: dict[str, dict[int, Any]] = {t: {} for t in (state, *early, *late)}
        self._ends: deque[int] = deque()
        self._start: int | None = None if realtime else 0
        self.rows = 0
        self.dropped = 0

    @property
    def end(self) -> int | None:
        """Return the stamp at which the next row ends [ns], once it is known."""
        if not self._realtime:
            return stamp_of(self.rows + 1, self._period)
        return self._ends[0] if self._ends else None

    def add(self, topic: str, stamp: int, content: Any) -> None:
        """Take a message; one that is older than the next row, or far ahead, is ignored."""
        if self._realtime and topic == self._state:
            if self._start is None:
                self._start = stamp
            elif stamp > (self._ends[-1] if self._ends else self._start):
                self._ends.append(stamp)
        if self._start is None or stamp < self._start:
            return
        waiting = self._waiting[topic]
        if len(waiting) < self._window or stamp in (self._start, self.end):
            waiting[stamp] = content

    def complete(self) -> Iterator[tuple[Any, ...]]:
        """Yield each row that is complete: state before, early topics, late ones, state after."""
        while self._start is not None and (end := self.end) is not None:
            start, waiting = self._start, self._waiting
            states = waiting[self._state]
            row = (
                states.get(start),
                *(waiting[topic].get(start) for topic in self._early),
                *(waiting[topic].get(end) for topic in self._late),
                states.get(end),
            )
            whole = all(part is not None for part in row)
            if not whole and (not self._realtime or len(self._ends) < PATIENCE_ROWS):
                return
            self._advance(start, end)
            if whole:
                self.rows += 1
                yield row
            else:
                self.dropped += 1

    def missing(self) -> Iterator[tuple[str, int]]:
        """Yield topic and stamp of what the next row lacks."""
        start, end = self._start, self.end
        if start is None or end is None:
            return
        for topics, stamp in (
            ((self._state, *self._early), start),
            ((*self._late, self._state), end),
        ):
            for topic in topics:
                if stamp not in self._waiting[topic]:
                    yield topic, stamp

    def _advance(self, start: int, end: int) -> None:
        for topic in (self._state, *self._early):
            self._waiting[topic].pop(start, None)
        for topic in self._late:
            self._waiting[topic].pop(end, None)
        if self._realtime:
            self._ends.popleft()
            for waiting in self._waiting.values():
                for stamp in [stamp for stamp in waiting if stamp < end]:
                    del waiting[stamp]
        self._start = end
