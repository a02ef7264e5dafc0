"""Whether the states of a robot come at the rate that it is controlled at."""

from __future__ import annotations

import numpy as np

from ..core.state import Remembering
from ..core.values import NANO, Array

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
        intervals, steps = np.array(self._intervals).T
        measured = _measure(intervals, steps, self._tolerance)
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


def _measure(intervals: Array, steps: Array, tolerance: float) -> float | None:
    """Return the period as a share of the expected one; none if it is not known yet.

    :param intervals: of the stamps [periods], shape ``(m,)``.
    :param steps: periods that they are said to have, shape ``(m,)``.
    """
    last = intervals.size >= DECISIONS[-1]
    single = intervals / steps
    median = float(np.median(single))
    if median < TOO_SHORT:
        return median
    share = float(np.mean(single < TOO_LONG))
    if share < LEAST_SHARE:
        return median if last or (share == 0.0 and intervals.size >= FEW) else None
    counts = np.round(single) * steps
    times, periods = np.cumsum(intervals), np.cumsum(counts)
    lag = intervals.size // 2
    measured = float(np.median((times[lag:] - times[:-lag]) / (periods[lag:] - periods[:-lag])))
    jitter = float(np.median(np.abs(single - measured * np.round(single))))
    if last:
        return median if jitter > MAX_JITTER else measured
    return measured if 3.0 * jitter / lag <= CERTAIN * tolerance else None
