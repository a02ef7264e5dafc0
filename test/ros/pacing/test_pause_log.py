"""Pauses of a process, from the ticks of its timer to a trace of all processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from simloop_ros.ros.pacing.pause_log import MOST, PauseLog, join_pauses

H = 0.01  # s


class Clock:
    """A steady clock that the test moves [s]."""

    def __init__(self, now: float):
        self.now = now

    def __call__(self) -> int:
        return round(1e9 * self.now)


def ticked(log: PauseLog, clock: Clock, *intervals: float) -> None:
    for interval in intervals:
        clock.now += interval
        log.tick()


def test_a_pause_lasts_from_when_a_tick_was_due_until_it_came(tmp_path: Path) -> None:
    clock = Clock(100.0)
    log = PauseLog(H, clock)
    clock.now = 101.0
    log.begin()
    ticked(log, clock, 0.01, 0.0149, 0.0051, 0.05, 0.002)  # some jitter, and one pause
    log.write(tmp_path, 'plant')
    [(begin, end)] = join_pauses(tmp_path)['plant']
    assert begin == pytest.approx(0.04)
    assert end == pytest.approx(0.08)


def test_a_trace_begins_when_all_nodes_are_active(tmp_path: Path) -> None:
    for node, start in (('control_simulation', 5.0), ('admittance', 6.0)):
        clock = Clock(start)
        log = PauseLog(H, clock)
        ticked(log, clock, *[0.6, 0.6, 0.6][: 1 if node == 'admittance' else 3])
        log.write(tmp_path, node)
    trace = join_pauses(tmp_path)
    assert set(trace) == {'control_simulation', 'planner'}
    assert trace['planner'] == [pytest.approx((0.01, 0.6))]
    # The first of control was over; in the second the planner started.
    assert trace['control_simulation'] == [
        pytest.approx((0.0, 0.2)),
        pytest.approx((0.21, 0.8)),
    ]
    assert join_pauses(tmp_path / 'nothing') == {}


def test_memory_is_bounded(tmp_path: Path) -> None:
    clock = Clock(0.0)
    log = PauseLog(H, clock)
    ticked(log, clock, *[0.02] * (MOST + 10))
    log.write(tmp_path, 'plant')
    trace = join_pauses(tmp_path)['plant']
    assert len(trace) == MOST
    assert trace[-1][1] == pytest.approx(clock.now)
