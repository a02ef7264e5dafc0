"""Equal steps behind stamps that jitter, drift, leave some out, or begin anew."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.ros.messages.stamps import NANO, stamp_of
from simloop_ros.ros.pacing.step_clock import StepClock

EPOCH = 1_700_000_000 * NANO
H = 0.0005
STEP = round(H * NANO)
ROUNDING = 2  # ns


def test_exact_stamps_are_the_time_for_ever() -> None:
    period = 1 / 300  # no whole number of nanoseconds
    clock = StepClock(period)
    for step in range(10_000):
        stamp = EPOCH + stamp_of(step, period)
        assert clock.advance(stamp) == 1
        assert abs(clock.time - stamp) <= ROUNDING


def test_steps_that_were_left_out_are_counted() -> None:
    clock = StepClock(H)
    steps = [0, 1, 2, 5, 6, 106, 107]
    counted = [clock.advance(EPOCH + step * STEP) for step in steps]
    assert counted == [1, 1, 1, 3, 1, 100, 1]
    assert abs(clock.time - (EPOCH + 107 * STEP)) <= ROUNDING


def test_jitter_is_averaged() -> None:
    """Steps are equal to a fiftieth of what the stamps are not."""
    rng = np.random.default_rng(1)
    clock, times = StepClock(H), []
    for step in range(5000):
        stamp = EPOCH + step * STEP + round(rng.uniform(-0.2, 0.2) * STEP)
        assert clock.advance(stamp) == 1
        times.append(clock.time)
    deviations = np.diff(np.array(times) - EPOCH) - STEP
    assert np.abs(deviations).max() < 0.01 * STEP
    assert abs(times[-1] - EPOCH - 4999 * STEP) < 0.1 * STEP


@pytest.mark.parametrize('rate', [0.99, 1.01])
def test_another_rate_is_followed(rate: float) -> None:
    clock = StepClock(H)
    for step in range(5000):
        stamp = EPOCH + round(step * STEP * rate)
        clock.advance(stamp)
        assert abs(clock.time - stamp) < 0.51 * STEP


def test_states_that_come_too_often_do_not_hurry_the_time() -> None:
    clock = StepClock(H)
    counted = [clock.advance(EPOCH + round(0.4 * step * STEP)) for step in range(501)]
    assert sum(counted) - 1 == pytest.approx(200, abs=1)
    assert set(counted) == {0, 1}


def test_a_stamp_from_before_begins_anew() -> None:
    clock = StepClock(H)
    clock.advance(EPOCH)
    assert clock.advance(EPOCH - 10 * STEP) == 1
    assert clock.time == EPOCH - 10 * STEP


def test_a_restart_forgets_the_time() -> None:
    clock = StepClock(H)
    clock.advance(EPOCH)
    clock.restart()
    assert clock.advance(EPOCH + 1000 * STEP) == 1
    assert clock.time == EPOCH + 1000 * STEP


def test_a_stamp_is_the_nearest_nanosecond() -> None:
    """Of whole milliseconds it is exact, though a product of floats may lie just below it."""
    assert [stamp_of(step, 0.001) for step in range(5000)] == [
        step * 1_000_000 for step in range(5000)
    ]
    assert stamp_of(2, 1 / 3) == 666_666_667
