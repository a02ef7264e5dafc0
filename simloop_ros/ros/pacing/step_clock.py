"""Equal steps from stamps that jitter."""

from __future__ import annotations

from ..messages.stamps import NANO

CORRECTION_GAIN = 0.02
"""Share of a stamp's deviation that is corrected: the jitter of a driver's stamps is averaged over
50 states, while a rate that is not quite ``1/period`` is tracked. A plan that is read at the raw
stamps would turn a jitter of 0.1 ms at 1 rad/s and 500 Hz into 25 rad/s^2."""


class StepClock:
    """The time of each step [ns], from the stamps of the joint states; the period is in s."""

    def __init__(self, period: float):
        self._period = period * NANO
        self._time = 0.0
        self.time = 0
        self._running = False

    def restart(self) -> None:
        """Start again with the next stamp."""
        self._running = False

    def advance(self, stamp: int) -> int:
        """Take the stamp of the next state [ns]; return the number of steps since the last one.

        None if it comes less than half a period after it: the time does not go on. If it is a
        period or more before it, the clock starts again.
        """
        since = stamp - self.time
        if not self._running or since <= -self._period:
            self._running = True
            self.time, self._time = stamp, 0.0
            return 1
        steps = max(0, round((since - self._time) / self._period))
        if not steps:
            return 0
        expected = self._time + steps * self._period
        self._time = expected + CORRECTION_GAIN * (since - expected)
        # The fraction is kept apart: stamps have more digits than a float.
        whole = round(self._time)
        self.time += whole
        self._time -= whole
        return steps
