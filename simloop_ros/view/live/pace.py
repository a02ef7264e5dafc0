"""When each step of a run is due in real time."""

from __future__ import annotations

from collections import deque
from math import inf

LONGEST_LAG = 0.25
"""Delay beyond which lost time is not caught up [s]."""
MEASURED_TIME = 1.0
"""Real time over which the speed is measured [s]."""
MARK_TIME = 0.05
"""Real time between two marks from which the speed is measured [s]."""


class RealTimePace:
    """Steps of a period ``h``, at a number of times real time.

    A step that begins at ``t`` shall have ended at ``t + h/speed``; it is late if it ends more
    than one period after that.

    :ivar speed: simulated time per real time, from the next ``start`` on; 0 for as fast as it
        goes.
    """

    def __init__(self, period: float, speed: float = 1.0):
        self._period = period
        self.speed = speed
        self._marks: deque[tuple[float, int]] = deque()
        self.start(0.0, 0)

    def start(self, now: float, index: int) -> None:
        """Go on at a real time [s] after a number of steps, and count anew."""
        self._real_period = self._period / self.speed if self.speed else 0.0
        self._begin = now - index * self._real_period  # when step 0 would have begun [s]
        self._steps = self._late = 0
        self._last = (now, index)
        self._marks.clear()
        self._marks.append(self._last)
        self._next_mark = now + MARK_TIME

    def due(self, index: int) -> float:
        """Return when the next step shall begin, after a number of steps [s]."""
        return self._begin + index * self._real_period if self._real_period else -inf

    def ended(self, now: float, index: int) -> None:
        """Note that a step has ended: the number of steps is ``index``."""
        self._steps += 1
        self._last = (now, index)
        if now >= self._next_mark:
            self._mark(now)
        if now - self._begin - index * self._real_period > self._real_period > 0.0:
            self._lag(now, index)

    @property
    def factor(self) -> float:
        """Return the simulated time per real time, measured over the last second."""
        (begin, first), (end, last) = self._marks[0], self._last
        return (last - first) * self._period / (end - begin) if end > begin else 0.0

    @property
    def late_share(self) -> float:
        """Return the share of the periods that were late since the start."""
        return self._late / self._steps if self._steps else 0.0

    def _mark(self, now: float) -> None:
        self._marks.append(self._last)
        self._next_mark = now + MARK_TIME
        while self._marks[1][0] < now - MEASURED_TIME:
            self._marks.popleft()

    def _lag(self, now: float, index: int) -> None:
        """Count a step that ended late, and give up time that cannot be caught up."""
        self._late += 1
        lag = now - self.due(index)
        if lag > LONGEST_LAG:
            lost = int(lag / self._real_period)
            self._late += lost
            self._steps += lost
            self._begin = now - index * self._real_period
