"""The time of a recorded run that is played."""

from __future__ import annotations

from collections import deque

FASTEST, SLOWEST = 100.0, 0.01
"""Speeds that can be chosen, beside 0 for as fast as it goes."""
LEAP = 0.5
"""Recorded time from one look to the next, as fast as it goes [s]."""
LONGEST_GAP = 0.25
"""Real time between two looks that counts [s]: what nobody looks at does not play."""
MEASURED_TIME = 1.0
"""Real time over which the speed is measured [s]."""


class Playback:
    """A position in a run of a duration [s], which moves on with real time while it plays.

    :ivar time: the position [s].
    :ivar speed: recorded time per real time; 0 for as fast as it goes.
    """

    def __init__(self, duration: float):
        self.duration = duration
        self.time = 0.0
        self.speed = 1.0
        self._playing = False
        self._looked: float | None = None
        self._looks: deque[tuple[float, float]] = deque()

    @property
    def playing(self) -> bool:
        """Return whether time goes on."""
        return self._playing

    def play(self) -> None:
        """Let time go on; at the end, from the start."""
        if self.time >= self.duration:
            self.time = 0.0
        self._playing, self._looked = True, None
        self._looks.clear()

    def pause(self) -> None:
        """Stop the time."""
        self._playing = False

    def seek(self, time: float) -> None:
        """Go to a time [s]."""
        self.time = min(max(time, 0.0), self.duration)
        self._looks.clear()

    def look(self, now: float) -> None:
        """Move on to a real time [s]."""
        gap = 0.0 if self._looked is None else min(max(now - self._looked, 0.0), LONGEST_GAP)
        self._looked = now
        if not self._playing:
            return
        way = gap * self.speed if self.speed else LEAP
        self.time = min(self.time + way, self.duration)
        self._looks.append((now, self.time))
        while self._looks[0][0] < now - MEASURED_TIME:
            self._looks.popleft()
        if self.time >= self.duration:
            self._playing = False

    @property
    def factor(self) -> float:
        """Return the recorded time per real time, measured over the last second."""
        if not self._playing or len(self._looks) < 2:
            return 0.0
        (begin, first), (end, last) = self._looks[0], self._looks[-1]
        return (last - first) / (end - begin) if end > begin else 0.0
