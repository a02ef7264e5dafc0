"""Messages of several topics put together step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from ..messages.stamps import stamp_of

MAX_INCOMPLETE_ROWS = 64
"""Real time: number of later rows, or periods, after which an incomplete row is left out."""


class RowJoiner:
    """Put together what belongs to one step, in the order of the steps.

    Messages of ``early`` topics have the stamp of the step's start, those of ``late`` topics and
    of ``state`` that of its end. In lockstep the stamps are known beforehand and no row is left
    out: ``missing`` gives what to request. In real time the stamps of the states are the steps,
    and a row that stays incomplete is left out and counted; if it lacks only messages of
    ``lasting`` topics, their last ones take their place.

    :param lasting: those of ``early`` whose publisher may pause while the robot goes on.
    :param period: length of a step [s].
    :param window: largest number of messages of a topic that are kept waiting.
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
        lasting: Sequence[str] = (),
    ):
        self._state = state
        self._early = tuple(early)
        self._ending = (*late, state)
        self._period = period
        self._window = window
        self._reach = stamp_of(window, period)
        self._longest = stamp_of(MAX_INCOMPLETE_ROWS, period)
        self._realtime = realtime
        self._waiting: dict[str, dict[int, Any]] = {t: {} for t in (state, *early, *late)}
        self._starting_parts = [self._waiting[topic] for topic in self._early]
        self._ending_parts = [self._waiting[topic] for topic in self._ending]
        self._states = self._waiting[state]
        self._ends: deque[int] = deque()
        self._start: int | None = None if realtime else 0
        self._end = stamp_of(1, period)
        self._strays = 0
        self._lasting = [self._waiting[topic] for topic in lasting]
        self._last: list[Any] = [None] * len(lasting)
        self.rows = 0
        self.dropped = 0

    @property
    def end(self) -> int | None:
        """Return the stamp at which the next row ends [ns], once it is known."""
        if not self._realtime:
            return self._end
        return self._ends[0] if self._ends else None

    def add(self, topic: str, stamp: int, content: Any) -> None:
        """Take a message; one that is older than the next row, or far ahead, is ignored."""
        if self._realtime and topic == self._state:
            self._take_end(stamp)
        if self._start is None or not self._start <= stamp <= self._start + self._reach:
            return
        waiting = self._waiting[topic]
        if len(waiting) >= self._window:
            self._drop_before(self._start)
        if len(waiting) < self._window or stamp in (self._start, self.end):
            waiting[stamp] = content

    def _take_end(self, stamp: int) -> None:
        """Take the stamp of a state in real time.

        One that is far ahead or goes back is ignored, unless many in a row are: then the clock
        has changed, and the rows start again.
        """
        if self._start is None:
            self._start = stamp
            return
        last = self._ends[-1] if self._ends else self._start
        if last < stamp <= self._start + self._reach:
            self._ends.append(stamp)
            self._strays = 0
        elif self._strays < MAX_INCOMPLETE_ROWS:
            self._strays += 1
        else:
            self._strays = 0
            self._start = stamp
            self._ends.clear()
            for waiting in self._waiting.values():
                waiting.clear()

    def complete(self) -> Iterator[tuple[Any, ...]]:
        """Return each row that is complete: early topics, late ones, the state."""
        if not self._realtime and self._end not in self._states:  # mostly so: the last to come
            return iter(())
        return self._complete()

    def _complete(self) -> Iterator[tuple[Any, ...]]:
        while self._start is not None and (end := self.end) is not None:
            start = self._start
            row = self._row(start, end)
            if row is None:
                if not self._is_lost(start, end):
                    return
                row = self._row_with_last(start, end)
            self._advance(start, end)
            if row is None:
                self.dropped += 1
            else:
                self.rows += 1
                if not self._realtime:
                    self._end = stamp_of(self.rows + 1, self._period)
                yield row

    def _is_lost(self, start: int, end: int) -> bool:
        """Return whether, in real time, missing parts of a row will not come any more.

        That is so when a later message of each topic is there, or after many rows or periods: the
        states of a robot that is late itself are far apart.
        """
        if not self._realtime:
            return False
        if len(self._ends) >= MAX_INCOMPLETE_ROWS or self._ends[-1] - end >= self._longest:
            return True
        parts = [(self._waiting[topic], start) for topic in self._early]
        parts += [(self._waiting[topic], end) for topic in self._ending]
        return all(max(kept, default=-1) > stamp for kept, stamp in parts if stamp not in kept)

    def missing(self) -> Iterator[tuple[str, int]]:
        """Yield topic and stamp of what the next row lacks, in lockstep."""
        for topic, stamp in self._parts(self.rows):
            if stamp not in self._waiting[topic]:
                yield topic, stamp

    def gaps(self) -> Iterator[tuple[str, int]]:
        """Yield topic and stamp of what is missing though later ones of the topic are there."""
        newest = {topic: max(stamps, default=-1) for topic, stamps in self._waiting.items()}
        last = max(newest.values())
        row = self.rows
        while not self._realtime and stamp_of(row, self._period) < last:
            for topic, stamp in self._parts(row):
                if stamp < newest[topic] and stamp not in self._waiting[topic]:
                    yield topic, stamp
            row += 1

    def _row(self, start: int, end: int) -> tuple[Any, ...] | None:
        if end not in self._states:  # mostly the last to come
            return None
        try:
            row = [parts[start] for parts in self._starting_parts]
            row += [parts[end] for parts in self._ending_parts]
        except KeyError:
            return None
        return tuple(row)

    def _row_with_last(self, start: int, end: int) -> tuple[Any, ...] | None:
        """Return a row in which the last messages of lasting topics replace missing ones."""
        for parts, last in zip(self._lasting, self._last, strict=True):
            if last is not None:
                parts.setdefault(start, last)
        return self._row(start, end)

    def _parts(self, row: int) -> Iterator[tuple[str, int]]:
        """Yield topic and stamp of all that makes a row, in lockstep."""
        if self._realtime:
            return
        start, end = (stamp_of(step, self._period) for step in (row, row + 1))
        yield from ((topic, start) for topic in self._early)
        yield from ((topic, end) for topic in self._ending)

    def _advance(self, start: int, end: int) -> None:
        for i, parts in enumerate(self._lasting):
            self._last[i] = parts.get(start, self._last[i])
        for parts in self._starting_parts:
            parts.pop(start, None)
        for parts in self._ending_parts:
            parts.pop(end, None)
        if self._realtime:
            self._ends.popleft()
            self._drop_before(end)
        self._start = end

    def _drop_before(self, start: int) -> None:
        for waiting in self._waiting.values():
            for stamp in [stamp for stamp in waiting if stamp < start]:
                del waiting[stamp]
