"""How late the periods of a motion are, beside what it bears."""

from __future__ import annotations

import msgspec

from ..core.state import Remembering

MEMORY_TIME = 0.3
"""Time constant of the mean lateness [s]."""
LARGEST_AGE = 2.0
"""Age that a period counts at most [periods]: one long pause is a gap, in which the robot coasts;
the budget is for what is late again and again."""
RETURN_SHARE, RETURN_TIME = 0.6, 1.0
"""Share of a level's threshold below which it is left, after this time [s]."""


class LatenessLevel(msgspec.Struct, frozen=True):
    """What is done about lateness.

    :ivar share: of the bearable delay from which on the level holds.
    :ivar rate: of the time along the motion: 1 as planned, 0 at rest.
    :ivar damping: factor of the damping with which a robot gives way to a hand.
    """

    name: str
    share: float
    rate: float = 1.0
    damping: float = 1.0


LEVELS = (
    LatenessLevel('normal', 0.0),
    LatenessLevel('slow', 0.5, rate=0.5),
    LatenessLevel('soft', 0.75, rate=0.25, damping=2.0),
    LatenessLevel('stop', 2.0, rate=0.0, damping=2.0),
)
"""With twice the damping a guided robot bears twice the delay: beyond that it is stopped."""


class LatenessBudget(Remembering):
    """The mean delay of what a robot follows, as a share of what its motion bears.

    ::

        l+ = l + h/MEMORY_TIME (sum min(age, LARGEST_AGE) h - l)

    ``age`` is the number of periods since the state that the robot's setpoint was computed from,
    0 in time, and how many the torque is older than that. Below a threshold the level falls one
    by one, each after ``RETURN_TIME``; the last level stays.

    :param bearable: delay that the motion bears [s].
    :param period: h [s].
    :ivar lateness: mean [s].
    """

    _remembered = ('lateness', '_index', '_calm')

    def __init__(self, bearable: float, period: float):
        self.bearable = bearable
        self._period = period
        self._weight = min(1.0, period / MEMORY_TIME)
        self.lateness = 0.0
        self._index = 0
        self._calm = 0

    @property
    def level(self) -> LatenessLevel:
        """Return what is to be done now."""
        return LEVELS[self._index]

    def add(self, *ages: float) -> None:
        """Take the ages of what a period's setpoint was computed from [periods]; they add up."""
        delay = sum(min(age, LARGEST_AGE) for age in ages) * self._period
        self.lateness += self._weight * (delay - self.lateness)
        share, before = self.lateness / self.bearable, self._index
        reached = max(i for i, level in enumerate(LEVELS) if share >= level.share)
        self._index = max(self._index, reached)
        calm = before == self._index and share < RETURN_SHARE * LEVELS[before].share
        self._calm = self._calm + 1 if calm else 0
        if self._calm * self._period >= RETURN_TIME and 0 < self._index < len(LEVELS) - 1:
            self._index -= 1
            self._calm = 0
