"""How regular and how fresh the joint states of a driver are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..core.values import Array
from ..safety.config import RATE_TOLERANCE
from .config import DriverContract
from .finding import Finding
from .heard import HeardStates

GAP_PERIODS, GAP = 10, 0.1
"""Periods and time without a state that are a pause of the driver, and not lost states [s]."""
LOST, SOME_LOST = 0.05, 0.01
"""Shares of lost states that are wrong, and worth a hint."""
LATE_PERIODS, LATE = 1.5, 0.002
"""Periods and time by which a quarter of the states is later than the fastest one [s]."""
MOST = 95.0
"""Percentage of the states whose age counts as lag."""
CLOCKS = 0.1
"""Age of a state from which on clocks differ, or something holds it back [s]."""
FEWEST = 10
"""Number of states below which nothing is said about their timing."""


class Timing(NamedTuple):
    """Numbers of the joint states.

    :ivar rate: without lost states and pauses [Hz].
    :ivar lost: share of the states that did not come.
    :ivar longest: time between two states [s].
    :ivar late: how much later than the fastest one three quarters of the states are at most [s].
    :ivar age: of most of the states (95 %) at their arrival, at most [s]; zero without stamps.
    """

    rate: float
    lost: float
    longest: float
    late: float
    age: float


def measure(states: HeardStates) -> Timing:
    """Return the timing of joint states, of which there are two at least.

    The rate is that of whole periods between stamps, so that neither jitter nor lost states
    change it.
    """
    steady = states.stamped and (np.diff(states.stamps) > 0.0).all()
    times = states.stamps if steady else states.arrivals
    intervals = np.diff(times)
    usual = float(np.median(intervals))
    whole = intervals[intervals < max(GAP_PERIODS * usual, GAP)]
    periods = np.maximum(1.0, np.round(whole / usual)) if usual > 0.0 else np.ones_like(whole)
    rate = float(periods.sum() / whole.sum()) if whole.size and whole.sum() > 0.0 else 0.0
    delays = states.ages if steady else states.arrivals - rate_line(states.arrivals)
    return Timing(
        rate=rate,
        lost=float(1.0 - len(whole) / periods.sum()) if whole.size else 0.0,
        longest=float(np.diff(states.arrivals).max()),
        late=float(np.percentile(delays - delays.min(), 75)),
        age=max(0.0, float(np.percentile(states.ages, MOST))) if states.stamped else 0.0,
    )


def rate_line(arrivals: Array) -> Array:
    """Return when messages of an even rate would have come [s], shape ``(m,)``."""
    return np.linspace(arrivals[0], arrivals[-1], len(arrivals))


def check_timing(contract: DriverContract, states: HeardStates) -> Iterator[Finding]:
    """Yield what is found about rate, losses, delays and stamps."""
    yield from _stamps(states)
    if len(states.arrivals) < FEWEST:
        yield Finding('wrong', 'rate', f'only {len(states.arrivals)} states came', 'listen longer')
        return
    timing = measure(states)
    yield _rate(contract, timing)
    yield from _delivery(timing)
    if states.stamped and timing.age <= CLOCKS:
        yield _lag(contract, timing)


def _rate(contract: DriverContract, timing: Timing) -> Finding:
    measured = f'{timing.rate:.4g} Hz'
    if contract.rate is None:
        return Finding(
            'hint', 'rate', f'{measured}, and none is given', f'set rate={timing.rate:.4g}'
        )
    if abs(timing.rate / contract.rate - 1.0) > RATE_TOLERANCE:
        return Finding(
            'wrong',
            'rate',
            f'{measured} instead of {contract.rate:g} Hz',
            f"set the update_rate of the driver's controller manager, or rate={timing.rate:.4g}",
        )
    return Finding('fit', 'rate', measured)


def _delivery(timing: Timing) -> Iterator[Finding]:
    period = 1.0 / timing.rate
    if timing.longest > max(GAP_PERIODS * period, GAP):
        yield Finding(
            'wrong',
            'pauses',
            f'no state for {timing.longest:.2f} s',
            'the driver, or its machine, stands still at times: look at its log and load',
        )
    if timing.lost > SOME_LOST:
        yield Finding(
            'wrong' if timing.lost > LOST else 'hint',
            'losses',
            f'{100.0 * timing.lost:.0f} % of the states do not arrive',
            'use a cable, a machine with less load, or a lower rate',
        )
    if timing.late > max(LATE_PERIODS * period, LATE):
        yield Finding(
            'wrong',
            'jitter',
            f'a quarter of the states is {1e3 * timing.late:.1f} ms late, or more '
            f'({timing.late / period:.1f} periods): they come in bunches',
            'use a cable, and a driver that publishes each state at once',
        )
    else:
        yield Finding('fit', 'jitter', f'three quarters come within {1e3 * timing.late:.2f} ms')


def _lag(contract: DriverContract, timing: Timing) -> Finding:
    """Return what is known of the lag without a command: the way of the states is part of it."""
    part = f'{1e3 * timing.age:.1f} ms of it are the way of the states ({MOST:g} % of them)'
    if timing.age > contract.lag + 1.0 / timing.rate:
        return Finding(
            'hint',
            'lag',
            f'{part}, and {1e3 * contract.lag:g} ms are declared',
            f'set lag={timing.age:.3f} or more; the first motion measures the rest',
        )
    what = f'{part}, {1e3 * contract.lag:g} ms are declared; the first motion measures the rest'
    return Finding('fit', 'lag', what)


def _stamps(states: HeardStates) -> Iterator[Finding]:
    if not states.stamped:
        yield Finding(
            'wrong', 'stamps', 'the states have none', 'the driver has to stamp what it measured'
        )
        return
    back = int((np.diff(states.stamps) <= 0.0).sum())
    if back:
        yield Finding(
            'wrong',
            'stamps',
            f'{back} of {len(states.stamps)} are not after the one before',
            'only one driver may publish the states of a robot',
        )
    age = float(np.median(states.ages))
    if abs(age) > CLOCKS:
        yield Finding(
            'wrong',
            'stamps',
            f'the states are {age:.3f} s old when they arrive',
            'synchronise the clocks of the two machines (chrony, PTP)',
        )
    elif not back:
        yield Finding('fit', 'stamps', f'{1e3 * age:.1f} ms old at arrival')
