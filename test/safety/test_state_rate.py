"""The rate of a robot's states from stamps that jitter, are lost, bunched, or of another rate."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.values import NANO, Array
from simloop_ros.safety.config import RATE_TOLERANCE
from simloop_ros.safety.state_rate import DECISIONS, StateRate

EPOCH = 1_700_000_000 * NANO
H = 0.002
LONG = 20_000  # states
RATES = [0.34, 0.5, 0.667, 0.75, 0.9, 0.95, 0.98, 1.02, 1.05, 1.1, 1.2, 1.5, 1.9, 2.0, 2.5, 5.0]


def told(stamps: Array, steps: Array | None = None) -> tuple[int, int]:
    """Return after how many stamps [s] the rate was right, and wrong; -1 for never."""
    rate, right, wrong = StateRate(H, RATE_TOLERANCE), -1, -1
    for i, time in enumerate(stamps):
        rate.add(EPOCH + round(time * NANO), 1 if steps is None else int(steps[i]))
        right = i if right < 0 and rate.right else right
        wrong = i if wrong < 0 and rate.fault else wrong
    return right, wrong


def times(count: int = LONG, rate: float = 1.0) -> Array:
    return np.arange(count) * H / rate


def jittery(stamps: Array, share: float) -> Array:
    """Return stamps that are off by up to a share of a period, in their order."""
    rng = np.random.default_rng(2)
    return np.sort(stamps + share * H * rng.uniform(-1.0, 1.0, stamps.size))


def test_exact_stamps_are_right_at_once() -> None:
    assert told(times()) == (DECISIONS[0], -1)


@pytest.mark.parametrize('jitter', [0.01, 0.05, 0.1, 0.2, 0.25])
def test_jitter_is_no_other_rate(jitter: float) -> None:
    right, wrong = told(jittery(times(), jitter))
    assert 0 < right <= DECISIONS[-1]
    assert wrong == -1


@pytest.mark.parametrize('lost', [0.02, 0.2, 0.5])
def test_lost_states_are_no_other_rate(lost: float) -> None:
    stamps = jittery(times(), 0.05)
    right, wrong = told(stamps[np.random.default_rng(1).random(stamps.size) > lost])
    assert 0 < right <= 2 * DECISIONS[-1]
    assert wrong == -1


def test_states_that_a_busy_machine_sends_late_are_no_other_rate() -> None:
    """A plant that was left out sends the last of the states that are due, and tells how many."""
    rng = np.random.default_rng(4)
    steps = rng.geometric(0.2, LONG)  # a fifth of the states in time
    assert told(H * np.cumsum(steps), steps)[1] == -1
    steps = np.where(rng.random(LONG) < 0.4, rng.integers(2, 30, LONG), 1)
    assert told(H * np.cumsum(steps))[1] == -1  # and if it does not


def test_states_that_are_stamped_in_a_bunch_are_no_other_rate() -> None:
    """A driver that was left out for five periods stamps what it missed when it is back."""
    stamps = times()
    for first in range(0, LONG - 5, 40):
        stamps[first : first + 5] = stamps[first + 4] + 1e-5 * np.arange(5)
    assert told(np.sort(stamps))[1] == -1


def test_a_clock_that_is_set_is_no_other_rate() -> None:
    stamps = times()
    stamps[1000:] += 0.0507
    stamps[3000:] -= 0.02
    assert told(stamps)[1] == -1


@pytest.mark.parametrize('jitter', [0.0, 0.05, 0.1])
@pytest.mark.parametrize('rate', RATES)
def test_another_rate_is_noticed(rate: float, jitter: float) -> None:
    right, wrong = told(jittery(times(1000, rate), jitter / max(1.0, rate)))
    assert right == -1
    assert 0 < wrong <= 2 * DECISIONS[-1]


@pytest.mark.parametrize('rate', [0.995, 1.005])
def test_a_clock_that_is_not_quite_ours_is_right(rate: float) -> None:
    right, wrong = told(jittery(times(rate=rate), 0.05))
    assert right > 0
    assert wrong == -1


def test_a_rate_that_changes_is_noticed_soon_and_may_come_back() -> None:
    rate = StateRate(H, RATE_TOLERANCE)
    stamp = EPOCH
    for share, fault in ((1.0, False), (0.4, True), (1.0, False)):
        for _ in range(3 * DECISIONS[0]):
            stamp += round(share * H * NANO)
            rate.add(stamp)
        assert bool(rate.fault) is fault


def test_the_fault_says_what_was_measured_and_what_to_set() -> None:
    rate = StateRate(0.005, RATE_TOLERANCE)
    for step in range(2 * DECISIONS[0] + 1):
        rate.add(EPOCH + step * 2_000_000)
    assert rate.fault == (
        'joint_states: 500 Hz measured over 10 stamps, 200 Hz expected (period 0.005 s): set '
        'period=0.002, or the rate of the driver'
    )
    rate.reset()
    assert (rate.fault, rate.right) == ('', False)


def test_a_bunch_and_late_states_after_it_are_no_error() -> None:
    """In half of the window no period passes."""
    intervals = [0.1] * 5 + [2.0] * 5
    right, _ = told(H * np.cumsum([0.0, *intervals, *[1.0] * 200]))
    assert right > 0
