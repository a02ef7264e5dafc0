"""When the robot got commands in a run in real time, from the stamps of messages."""

from __future__ import annotations

from array import array
from collections import deque

from ..core.values import NANO

NORMAL = 'normal'
"""Level of a motion that goes on as planned."""


class RunTiming:
    """Periods with and without a new command, counted while the run goes on.

    :param period: length of a step [s].
    :ivar row_steps: periods from the end of the row before to that of each row.
    :ivar command_steps: periods from the last setpoint to that of each row; 0: it has none.
    :ivar level_periods: periods at each level of lateness so far, by its name.
    """

    def __init__(self, period: float):
        self._period = period * NANO
        self._waiting: deque[int] = deque()
        self._newest = -1
        self._commands = self._periods = self._gap = 0
        self._end = self._given = self._counted = 0
        self.row_steps = array('Q')
        self.command_steps = array('Q')
        self._level = NORMAL
        self.level_periods: dict[str, int] = {}

    def command(self, stamp: int) -> None:
        """Note that a command came with the stamp of a state [ns]."""
        if stamp != self._newest:
            self._newest = stamp
            self._waiting.append(stamp)

    def level(self, name: str) -> None:
        """Note that the motion has come to a level of lateness."""
        self._level = name

    def row(self, command: int, end: int, *, leads: bool = True) -> None:
        """Note a row of the log: the stamp of its command, and that of its end [ns].

        :param leads: whether the command has a setpoint that was planned.
        """
        if not self.row_steps:
            self._end = self._counted = command
            self._given = command - round(self._period)
            while self._waiting and self._waiting[0] < command:
                self._waiting.popleft()
        steps = self._steps(end - self._end)
        self.row_steps.append(steps)
        new = leads and command != self._given
        self.command_steps.append(self._steps(command - self._given) if new else 0)
        self._given = command if new else self._given
        self._end = end
        self._periods += steps
        self.level_periods[self._level] = self.level_periods.get(self._level, 0) + steps
        while self._waiting and self._waiting[0] < end:
            stamp = self._waiting.popleft()
            self._commands += 1
            self._gap = max(self._gap, stamp - self._counted)
            self._counted = stamp

    def _steps(self, duration: int) -> int:
        """Return a duration [ns] in periods; at least one, also when the clock was put back."""
        return max(1, round(duration / self._period))

    @property
    def late_share(self) -> float:
        """Return the share of the periods in which the robot got no new command."""
        if not self._periods:
            return 0.0
        return max(0.0, 1.0 - self._commands / self._periods)

    @property
    def level_times(self) -> dict[str, float]:
        """Return the time at each level of lateness [s], by its name."""
        return {name: n * self._period / NANO for name, n in self.level_periods.items()}

    @property
    def longest_gap(self) -> float:
        """Return the longest time without a new command [s]."""
        return max(self._gap, self._end - self._counted) / NANO
