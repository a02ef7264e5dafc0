"""When each step of a run is due in real time."""

from __future__ import annotations

from collections import deque
from math import inf

LONGEST_LAG = 0.25
"""Delay beyond which lost time is not caught up [s]."""
MEASURED_TIME = 1.0
"""Real time over which the speed is measured [s]."""


class RealTimePace:
    """Steps of a period ``h``, at a number of times real time.

    A step that begins at ``t`` shall have ended at ``t + h/speed``; it is late if it ends more
    than one period after that.

    :ivar speed: simulated time per real time; 0 for as fast as it goes.
    """

    def __init__(self, period: float, speed: float = 1.0):
        self._period = period
        self.speed = speed
        self._begin = 0.0  # real time at which step 0 would have begun [s]
        self._steps = self._late = 0
        self._ends: deque[tuple[float, int]] = deque()

    def start(self, now: float, index: int) -> None:
        """Go on at a real time [s] after a number of steps, and count anew."""
        self._begin = now - index * self._real_period
        self._steps = self._late = 0
        self._ends.clear()
        self._ends.append((now, index))

    @property
    def _real_period(self) -> float:
        return self._period / self.speed if self.speed else 0.0

    def due(self, index: int) -> float:
        """Return when the next step shall begin, after a number of steps [s]."""
        return self._begin + index * self._real_period if self.speed else -inf

    def ended(self, now: float, index: int) -> None:
        """Note that a step has ended: the number of steps is ``index``."""
        self._steps += 1
        self._ends.append((now, index))
        while self._ends[1][0] < now - MEASURED_TIME:
            self._ends.popleft()
        if not self.speed:
            return
        lag = now - self.due(index)
        if lag > self._real_period:
            self._late += 1
        if lag > LONGEST_LAG:
            lost = int(lag / self._real_period)
            self._late += lost
            self._steps += lost
            self._begin = now - index * self._real_period

    @property
    def factor(self) -> float:
        """Return the simulated time per real time, measured over the last second."""
        (begin, first), (end, last) = self._ends[0], self._ends[-1]
        return (last - first) * self._period / (end - begin) if end > begin else 0.0

    @property
    def late_share(self) -> float:
        """Return the share of the periods that were late since the start."""
        return self._late / self._steps if self._steps else 0.0
