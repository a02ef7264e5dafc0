"""The real-time graph on a virtual clock: same seed, same motion, and no jerk when it is late."""

from __future__ import annotations

import json
import os
from pathlib import Path
import subprocess
import sys
from typing import Any

import pytest

from simloop_bench.lateness_runs import late_rows
from simloop_bench.lateness_traces import TRACES, LatenessTrace, recorded_trace
from simloop_bench.processes import environment
from simloop_bench.virtual_graph import NODES
from simloop_ros.cli.main import main
from simloop_ros.core.errors import USER_ERROR, ConfigError

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


def test_a_recorded_trace_is_replayed(tmp_path: Path) -> None:
    trace = tmp_path / 'hiccup.json'
    trace.write_text('{"control_simulation": [[0.8, 0.83], [0.9, 0.95]], "recorder": [[0, 9]]}')
    recorded = recorded_trace(trace)
    assert recorded.name == 'hiccup'
    composed, apart = late_rows('yumi_step', [recorded], True)
    assert composed['late_share'] == 0.0  # there the pauses of the plant count
    assert apart['late_share'] == pytest.approx(0.08 / 2.0, rel=0.2)


def test_a_plan_that_was_away_is_returned_to_softly(tmp_path: Path) -> None:
    """Longer than what is sent ahead: the reference coasts, and must not jump to the plan."""
    trace = tmp_path / 'planner.json'
    trace.write_text('{"planner": [[0.6, 0.69], [1.0, 1.08]]}')
    _, apart = late_rows('yumi_step', [recorded_trace(trace)], True)
    assert apart['end'] == 'ended'
    assert apart['acceleration_ratio'] < 2.0  # with a jump it is 40


@pytest.mark.parametrize('text', ['', '{}', '{"plant": [[1]]}', '[]', '{"plant": ["a", "b"]}'])
def test_a_file_that_is_no_trace_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / 'trace.json'
    path.write_text(text)
    with pytest.raises(ConfigError, match='not a trace of simloop launch'):
        recorded_trace(path)
    assert main(['bench', 'lateness', '--trace', str(path)]) == USER_ERROR
    assert main(['bench', 'loop', '--trace', str(path)]) == USER_ERROR


@pytest.mark.long  # in real time, beside a loop that keeps the machine busy
@pytest.mark.parametrize('composed', [False, True])
def test_a_run_is_recorded_and_replayed(tmp_path: Path, composed: bool) -> None:
    trace = tmp_path / 'made' / 'busy.json'
    hogs = [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(2)]
    try:
        status = subprocess.run(
            [
                *(sys.executable, '-m', 'simloop_ros.cli.main', 'launch', 'yumi_step'),
                *('--realtime', '--priority', '0', '--trace', str(trace), '--no-figures'),
                *('--set', 'duration=2', '--set', 'period=0.002', '--out', str(tmp_path / 'out')),
                *('--set', 'safety.timeout=500', *(['--composed'] if composed else [])),
            ],
            env={**os.environ, **environment()},
            timeout=120,
            check=False,
        ).returncode
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    assert status in (0, 1)
    recorded: dict[str, list[list[float]]] = json.loads(trace.read_text())
    assert {*NODES, 'recorder'} <= set(recorded)
    assert any(recorded.values())
    for pauses in recorded.values():
        assert all(0.0 <= begin < end < 60.0 for begin, end in pauses)
    first, second = (late_rows('yumi_step', [recorded_trace(trace)], True) for _ in range(2))
    assert [row['digest'] for row in first] == [row['digest'] for row in second]
