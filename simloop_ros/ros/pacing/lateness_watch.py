"""How late control states come, and what is to be done about it."""

from __future__ import annotations

from collections.abc import Callable
import time

from ...assembly.bearable_delay import LEAST_SHARE, BearableDelay
from ...safety.config import SafetyConfig
from ...safety.lateness import LatenessBudget, LatenessLevel
from ..messages.stamps import NANO, step_of
from .delay_meter import DelayMeter
from .realtime_planner import RATE_TIME

LONGEST_GAP = 1.0
"""Time between two control states after which they are no sequence any more [s]."""
MAX_LOST = 10
"""Control states without which a gap counts at most."""


class LatenessWatch:
    """Measures the lateness of control states, against the budget of a motion.

    A state that is lost is as old as the gap. One that comes is late by what its delay has beyond
    the least delay so far, and beyond a period. A torque that is answered with it again, because
    the next one is late, adds its own age: the hand feels the delay of both.

    :param bearable: what the motion bears.
    :param period: of the control states [s].
    :param clock: returns the time of a steady clock [ns].
    :ivar budget: what of it is used.
    """

    def __init__(
        self,
        bearable: BearableDelay,
        period: float,
        safety: SafetyConfig,
        clock: Callable[[], int] = time.monotonic_ns,
    ):
        self._bearable = bearable
        self.budget = LatenessBudget(bearable.delay, period)
        self._period = period
        self._safety = safety
        self._clock = clock
        self._delay = DelayMeter(period)
        self._last = -1
        self._rest_from: int | None = None

    @property
    def level(self) -> LatenessLevel:
        """Return what is to be done."""
        return self.budget.level

    def __str__(self) -> str:
        """Return lateness and budget in words."""
        late, bears = 1e3 * self.budget.lateness, 1e3 * self._bearable.delay
        factor = self._bearable.damping
        more = f' with {factor:.3g} times its damping' if factor > 1.0 else ''
        return (
            f'lateness: control states are {late:.3g} ms late in the mean, '
            f'{self._bearable.loop} bears {bears:.3g} ms{more}'
        )

    @property
    def refusal(self) -> str:
        """Return why a motion must not begin; empty if it may."""
        if self._safety.lateness != 'refuse':
            return ''
        if self._bearable.delay < LEAST_SHARE * self._period:
            half = 1e3 * LEAST_SHARE * self._period
            return f'not begun: {self}, of {half:.3g} ms that real time needs: damp it more'
        return f'not begun: {self}' if self.level.share else ''

    def take(self, stamp: int, held: int = 0) -> bool:
        """Take a control state with a stamp [ns]; return whether the level has changed.

        :param held: for how long its torque has been used already [ns].
        """
        last, self._last = self._last, stamp
        if last < 0 or not last < stamp < last + LONGEST_GAP * NANO:
            self._delay = DelayMeter(self._period)
            return False
        now = self._clock()
        lost = min(step_of(stamp - last, self._period) - 1, MAX_LOST)
        late = max(0.0, self._delay.excess(stamp, now) - 1.0)
        before = self.level
        for age in range(1, lost + 1):
            self.budget.add(age)
        self.budget.add(late, held / NANO / self._period)
        changed = self.level is not before
        if changed and not self.level.rate:
            rest = 2.0 * max(RATE_TIME, self._safety.stop_time)
            self._rest_from = now + round(rest * NANO)
        return changed

    def skip(self) -> None:
        """Begin a new sequence of control states: the time before the next one does not count."""
        self._last = -1

    def restart(self) -> None:
        """Begin again, for another motion: what was late before does not count."""
        self.budget = LatenessBudget(self._bearable.delay, self._period)
        self._rest_from = None
        self.skip()

    def rested(self, *, at_once: bool = False) -> bool:
        """Return once, when a motion that was too late has had time to come to rest.

        :param at_once: whether it needs no time: a robot that is led by hand has no path to come
            to rest along. It rests best by itself, without the setpoints that are late.
        """
        rested = self._rest_from is not None and (at_once or self._clock() >= self._rest_from)
        if rested:
            self._rest_from = None
        return rested
