"""The real-time graph on a virtual clock: same seed, same motion, and no jerk when it is late."""

from __future__ import annotations

from typing import Any

import pytest

from simloop_bench.lateness_runs import late_rows
from simloop_bench.lateness_traces import TRACES, LatenessTrace

CALM = [trace for trace in TRACES if trace.name in ('none', 'random 5 %', 'bursts of 50 ms')]


@pytest.fixture(scope='module')
def yumi() -> list[dict[str, Any]]:
    return late_rows('yumi_step', CALM, True)


def test_without_delays_the_robot_accelerates_as_in_lockstep(yumi: list[dict[str, Any]]) -> None:
    for row in yumi[:2]:
        assert row['trace'] == 'none'
        assert row['late_share'] == 0.0
        assert row['acceleration_ratio'] == pytest.approx(1.0, abs=0.05)


def test_late_processes_do_not_shake_the_robot(yumi: list[dict[str, Any]]) -> None:
    for row in yumi[2:]:
        assert row['late_share'] > 0.02
        assert row['acceleration_ratio'] < 4.0
        assert row['effort_limit_hits'] == 0
        assert row['end'] == 'ended'


def test_the_same_trace_gives_the_same_motion(yumi: list[dict[str, Any]]) -> None:
    again = late_rows('yumi_step', CALM[1:2], True)
    assert [row['digest'] for row in again] == [row['digest'] for row in yumi[2:4]]


def test_a_long_silence_is_a_soft_stop() -> None:
    silence = LatenessTrace(name='silence', burst=0.4)
    for row in late_rows('yumi_step', [silence], True):
        assert row['end'] == 'stopped'
        assert row['acceleration_ratio'] < 5.0


def test_a_hand_on_the_flange_feels_no_jerk() -> None:
    burst = [trace for trace in CALM if trace.burst]
    for row in late_rows('lwr_tcp', burst, True):
        assert row['late_share'] > 0.02
        assert row['tip_acceleration'] < 6.0  # it was 32 m/s^2 and more
        assert row['hand_force_rise_n'] < 5.0
        assert row['effort_limit_hits'] == 0
