"""How late the commands of a run in real time were, from stamps alone."""

from __future__ import annotations

from itertools import pairwise

import pytest

from simloop_ros.record.realtime import timing_words
from simloop_ros.record.timing import RunTiming

H = 0.002
PERIOD = 2_000_000  # [ns]
BEGIN = 1_700_000_000_000_000_000


def stamp(step: float) -> int:
    return BEGIN + round(step * PERIOD)


def timing_of(commands: list[float], rows: list[tuple[float, float]]) -> RunTiming:
    timing = RunTiming(H)
    for step in commands:
        timing.command(stamp(step))
    for command, end in rows:
        timing.row(stamp(command), stamp(end))
    return timing


def test_a_command_in_each_period_is_in_time_whatever_the_jitter() -> None:
    steps = [k + 0.2 * (-1) ** k for k in range(100)]
    timing = timing_of(steps, list(pairwise(steps)))
    assert timing.late_share == 0.0
    assert timing.longest_gap == pytest.approx(1.4 * H)
    assert set(timing.row_steps) == set(timing.command_steps) == {1}


def test_a_command_counts_though_its_row_was_left_out() -> None:
    """The recorder lost something else of the step from 2 to 3."""
    timing = timing_of([0, 1, 2, 3], [(0, 1), (1, 2), (3, 4)])
    assert timing.late_share == 0.0
    assert list(timing.row_steps) == [1, 1, 2]
    assert list(timing.command_steps) == [1, 1, 2]


def test_a_row_with_an_old_command_is_late() -> None:
    timing = timing_of([0, 1, 4], [(0, 1), (1, 2), (1, 3), (1, 4), (4, 5)])
    assert timing.late_share == pytest.approx(2 / 5)
    assert timing.longest_gap == pytest.approx(3 * H)
    assert list(timing.command_steps) == [1, 1, 0, 0, 3]


def test_silence_until_the_end_is_a_gap() -> None:
    timing = timing_of([0], [(0, k + 1) for k in range(10)])
    assert timing.late_share == pytest.approx(0.9)
    assert timing.longest_gap == pytest.approx(10 * H)


def test_commands_before_the_first_row_and_after_the_last_do_not_count() -> None:
    timing = timing_of([-3, -2, 0, 1, 2, 3], [(0, 1), (1, 2)])
    assert timing.late_share == 0.0
    assert timing.longest_gap == pytest.approx(H)


def test_a_clock_that_was_put_back_is_no_gap() -> None:
    timing = timing_of([1000, 1001, 5, 6], [(1000, 1001), (1001, 1002), (5, 6), (6, 7)])
    assert set(timing.row_steps) == {1}
    assert timing.longest_gap == pytest.approx(H)


def test_nothing_recorded_is_not_late() -> None:
    timing = RunTiming(H)
    timing.command(stamp(0))
    assert (timing.late_share, timing.longest_gap) == (0.0, 0.0)


def test_the_time_at_each_level_of_lateness_is_counted() -> None:
    timing = RunTiming(H)
    for step in range(10):
        if step == 4:
            timing.level('slow')
        timing.row(step * PERIOD, (step + 1) * PERIOD)
    assert timing.level_times == pytest.approx({'normal': 4 * H, 'slow': 6 * H})
    assert 'slow for' in timing_words(timing)
