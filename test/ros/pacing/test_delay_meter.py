"""The delay of messages, against a clock of another origin and another rate."""

from __future__ import annotations

import pytest

from simloop_ros.ros.pacing.delay_meter import DRIFT, Backlog, DelayMeter

H = 0.002  # s
PERIOD = 2_000_000  # ns
EPOCH = 1_700_000_000 * 10**9


def test_only_what_is_beyond_the_least_delay_counts() -> None:
    meter = DelayMeter(H)
    delays = [0.3, 0.3, 2.8, 0.3, 0.1, 0.6]
    found = [
        meter.excess(EPOCH + i * PERIOD, round((i + delay) * PERIOD))
        for i, delay in enumerate(delays)
    ]
    assert found == pytest.approx([0.0, 0.0, 2.5, 0.0, 0.0, 0.5], abs=5 * DRIFT)


@pytest.mark.parametrize('rate', [1.0 - 1e-4, 1.0 + 1e-4])
def test_clocks_may_drift(rate: float) -> None:
    meter = DelayMeter(H)
    worst = max(meter.excess(EPOCH + i * PERIOD, round(rate * i * PERIOD)) for i in range(100_000))
    assert worst < 0.01


def test_a_long_backlog_is_worked_off_without_answers_a_short_one_with() -> None:
    backlog = Backlog(H)
    delays = [0.2, 3.0, 9.0, 12.0, 9.0, 3.0, 1.6, 1.0, 3.0]
    found = [
        backlog.grows(EPOCH + i * PERIOD, round((i + delay) * PERIOD))
        for i, delay in enumerate(delays)
    ]
    assert found == [False, False, False, True, True, True, False, False, False]
