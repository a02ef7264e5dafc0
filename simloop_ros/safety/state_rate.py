"""Whether the states of a robot come at the rate that it is controlled at."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import inf
from statistics import median

from ..core.state import Remembering
from ..core.values import NANO

DECISIONS = (10, 20, 50, 100)
"""Numbers of intervals after which a rate may be known; the last one is always enough."""
CERTAIN = 0.5
"""Uncertainty up to which it is known, as a share of the tolerance."""
MAX_JITTER = 0.25
"""Median deviation of an interval beyond which its periods cannot be counted [periods]."""
TOO_SHORT, TOO_LONG = 0.75, 1.5
"""Intervals that are none of one period [periods]. If the median is shorter, states come too
often. If they are longer, states were lost, or left out by a busy machine, or come too rarely."""
LEAST_SHARE = 0.25
"""Share of the intervals that have to be of one period."""
FEW = 20
"""Intervals after which states come too rarely if none of them is of one period."""
CONFIRMED = 2
"""Decisions in a row after which a rate is wrong: a clock that is set is none."""


class StateRate(Remembering):
    """Measures the rate from stamps that jitter, of states some of which were lost.

    An interval of two stamps is a whole number of periods ``k``, 0 if they were sent in a bunch.
    Over half of the window each, so that jitter is averaged::

        d_i = (t_{i+L} - t_i) / (k_{i+1} + ... + k_{i+L}),      period = median of d_i

    The next window begins when this one is decided: as soon as ``3 jitter/L`` is small beside the
    tolerance, with the median deviation of an interval as jitter.

    :param period: that is expected [s].
    :param tolerance: largest deviation from it, as a share.
    :ivar fault: what is wrong with the rate; empty while it is right, or not known.
    :ivar right: whether it was right at the last decision.
    """

    _remembered = ('fault', 'right', '_last', '_intervals', '_wrong')

    def __init__(self, period: float, tolerance: float):
        self._period = period
        self._tolerance = tolerance
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.fault = ''
        self.right = False
        self._last: int | None = None
        self._intervals: tuple[tuple[float, int], ...] = ()
        self._wrong = 0

    def add(self, stamp: int, steps: int = 1) -> None:
        """Take the stamp of a state [ns]; one that is not after the last one begins anew.

        :param steps: periods since the last state was sent, where the robot tells them.
        """
        last, self._last = self._last, stamp
        if last is None or stamp <= last:
            self._intervals = ()
            return
        interval = (stamp - last) / NANO / self._period
        self._intervals = (*self._intervals, (interval, max(1, steps)))
        if len(self._intervals) in DECISIONS:
            self._decide()

    def _decide(self) -> None:
        measured = _measure(self._intervals, self._tolerance)
        if measured is None:
            return
        count, self._intervals = len(self._intervals), ()
        self.right = abs(measured - 1.0) <= self._tolerance
        self._wrong = 0 if self.right else self._wrong + 1
        if self.right:
            self.fault = ''
        elif self._wrong >= CONFIRMED:
            self.fault = self._text(measured * self._period, count)

    def _text(self, period: float, count: int) -> str:
        rate, expected = 1.0 / period, 1.0 / self._period
        return (
            f'joint_states: {rate:.4g} Hz measured over {count} stamps, {expected:.4g} Hz '
            f'expected (period {self._period:g} s): set period={period:.4g}, or the '
            'rate of the driver'
        )


def _measure(intervals: Sequence[tuple[float, int]], tolerance: float) -> float | None:
    """Return the period as a share of the expected one; none if it is not known yet.

    Plain numbers: for so few the functions of numpy take several times as long, and this is
    computed while the robot waits for its command.

    :param intervals: of the stamps [periods], and the periods that they are said to have.
    """
    count = len(intervals)
    single = [interval / steps for interval, steps in intervals]
    middle = median(single)
    if middle < TOO_SHORT:
        return middle
    last = count >= DECISIONS[-1]
    share = sum(each < TOO_LONG for each in single) / count
    if share < LEAST_SHARE:
        return middle if last or (share == 0.0 and count >= FEW) else None
    rounded = [round(each) for each in single]
    times = list(accumulate(interval for interval, _ in intervals))
    periods = list(accumulate(n * steps for n, (_, steps) in zip(rounded, intervals, strict=True)))
    lag = count // 2
    ways = ((times[i + lag] - times[i], periods[i + lag] - periods[i]) for i in range(count - lag))
    measured = median(time / passed if passed else inf for time, passed in ways)
    jitter = median(abs(x - measured * n) for x, n in zip(single, rounded, strict=True))
    if last:
        return middle if jitter > MAX_JITTER else measured
    return measured if 3.0 * jitter / lag <= CERTAIN * tolerance else None
