"""The benchmarks of the ROS graph measure what they say; no test asserts a time."""

from __future__ import annotations

import json
from pathlib import Path
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from simloop_bench import bare_loop, graph, realtime
from simloop_bench.cold_step import step_costs
from simloop_bench.command import heading
from simloop_bench.guiding_realtime import push_delays
from simloop_ros.cli.main import main
from simloop_ros.record.columns import GUIDED_COLUMNS
from simloop_ros.record.mcap import McapLog
from simloop_ros.scenario.loading import load_scenario

pytest.importorskip('rclpy')

FIGURES = {
    'distributed_over_ping_pong',
    'composed_over_ping_pong',
    'distributed_steps_per_s',
    'composed_steps_per_s',
}
"""The fixed names of design section 6."""
PERCENTILES = [f'reaction_{name}_ms' for name in ('p50', 'p99', 'p999', 'max')]


def bench(name: str, folder: Path) -> dict[str, Any]:
    """Return what a short benchmark writes."""
    path = folder / f'{name}.json'
    assert main(['bench', name, '--quick', '--json', str(path)]) in (0, 1)
    content: dict[str, Any] = json.loads(path.read_text())
    assert set(content) == {'bench', 'quick', 'figures', 'rows'}
    assert (content['bench'], content['quick']) == (name, True)
    return content


@pytest.mark.long
def test_the_graph_is_compared_with_a_ping_pong(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    content = bench('graph', tmp_path)
    figures = content['figures']
    assert set(figures) == FIGURES
    assert set(graph.LIMITS) <= FIGURES
    assert all(value > 0.0 for value in figures.values())
    rates = {row['what']: row['steps_per_s'] for row in content['rows']}
    costs = {row['what']: row['us_per_step'] for row in content['rows']}
    for way, ping_pong in (
        ('distributed', 'ping-pong, two processes'),
        ('composed', 'ping-pong, one process'),
    ):
        steps = figures[f'{way}_steps_per_s']
        assert steps == pytest.approx(rates[f'graph, {way}'])
        assert figures[f'{way}_over_ping_pong'] == pytest.approx(steps / rates[ping_pong])
    assert all(row['joints'] == 14 for row in content['rows'])
    parts = [cost for what, cost in costs.items() if what.startswith('composed: ')]
    parts.append(costs['all blocks and the log, without ROS'])
    assert sum(parts) == pytest.approx(costs['graph, composed'])
    shown = capsys.readouterr().out
    assert all(heading(name) in shown for name in FIGURES)
    assert 'at least 0.6' in shown


@pytest.mark.long  # in real time: a busy machine may be too late for the short version
def test_real_time_has_its_figures(tmp_path: Path) -> None:
    content = bench('realtime', tmp_path)
    figures = content['figures']
    assert set(figures) == {'late_over_bare', 'paused_over_steady'} | {
        prefix + name for prefix in ('', 'composed_') for name in (*PERCENTILES, 'missed_share')
    }
    rows = {row['what']: row for row in content['rows']}
    for way, prefix in (('distributed', ''), ('composed', 'composed_')):
        times = [figures[prefix + name] for name in PERCENTILES]
        assert times[0] > 0.0
        assert times == sorted(times)
        assert 0.0 <= figures[f'{prefix}missed_share'] <= 1.0
        assert rows['periods'][way] > 0.5 * realtime.QUICK / realtime.PERIOD
        assert figures[f'{prefix}missed_share'] == pytest.approx(
            rows['periods without a new command'][way] / rows['periods'][way]
        )
    compared = [way for way, given in realtime.WAYS.items() if given.compared]
    assert {(w.period, w.composed) for w in map(realtime.WAYS.get, compared) if w} == {
        *((0.002, False), (0.001, True), (0.0005, True))
    }
    assert figures['late_over_bare'] == max(rows['late_over_bare'][way] for way in compared)
    assert all(0.0 <= rows['bare loop: missed_share'][way] <= 1.0 for way in compared)


def test_a_robot_that_was_stopped_has_missed_all_periods() -> None:
    found = {'periods': 1000, 'periods without a new command': 9, 'stops': 0}
    assert realtime.over_bare(found, 4) == 2.0
    assert realtime.over_bare(found | {'stops': 1}, 4) == pytest.approx(1001 / 5)


def test_a_step_has_its_cost_without_and_with_a_pause() -> None:
    steady, paused = step_costs('sphere_step', 0.0005)
    assert 1.0 < steady < 1e4
    assert 1.0 < paused < 1e4


def test_a_bare_loop_knows_when_it_was_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its clock is that of the test: the second sleep takes 3.5 periods too long."""
    period, ends, sleeps = 0.01, list[int](), list[float]()
    now = [123 * 10**9 + 4_000_000]

    def sleep(seconds: float) -> None:
        sleeps.append(seconds)
        now[0] += round(1e9 * seconds) + (35_000_000 if len(sleeps) == 2 else 100_000)
        if len(sleeps) == 5:
            ends.append(1)

    monkeypatch.setattr(bare_loop.time, 'monotonic_ns', lambda: now[0])
    monkeypatch.setattr(bare_loop.time, 'sleep', sleep)
    found = bare_loop.sleep_and_wake(period, ends)
    assert [count for _, count in found.late] == [3]
    assert found.late[0][0] == pytest.approx(123.055)
    assert sleeps[2] == pytest.approx(0.005)  # to the next multiple, not a period later
    assert found.missed(1.0) == 3
    assert found.missed(found.end - 123.056) == 0


@pytest.mark.long
def test_guiding_in_real_time_has_its_figures(tmp_path: Path) -> None:
    content = bench('guiding_realtime', tmp_path)
    figures = content['figures']
    delays = ('push_to_motion_p50_ms', 'push_to_motion_max_ms')
    for prefix in ('', 'composed_'):
        times = [figures[prefix + name] for name in PERCENTILES]
        assert 0.0 < times[0] <= times[-1]
        assert 0.0 <= figures[f'{prefix}missed_share'] <= 1.0
        assert figures[f'{prefix}pushes'] == figures['lockstep_pushes'] == 3
        for name in delays:
            assert figures[prefix + name] >= figures[f'lockstep_{name}'] > 0.0


def test_the_delay_of_a_push_is_counted_from_its_torque_to_the_motion() -> None:
    """Torques and desired positions of which the delays are known: 7 and 12 steps."""
    scenario = load_scenario('lwr_tcp')
    h, n, rows = 0.002, 7, 1000
    columns = np.zeros((rows, len(GUIDED_COLUMNS), n))
    torque = columns[:, GUIDED_COLUMNS.index('true_external_torque')]
    desired = columns[:, GUIDED_COLUMNS.index('desired_position')]
    torque[200:300, 3] = 2.0
    torque[250, 3] = 0.0  # the same push
    torque[600:650, 5] = -2.0
    torque[800:820, 0] = 0.4  # within the dead zone
    desired += 0.1 * h * np.arange(rows)[:, None]  # what is going on anyway
    desired[207:, 3] += 2e-4
    desired[612:, 5] -= 2e-4
    log = McapLog(tuple('abcdefg'), h, np.arange(rows) * h, columns, GUIDED_COLUMNS, {})
    assert push_delays(log, scenario) == pytest.approx([7 * h, 12 * h])


def script(name: str, *arguments: str) -> str:
    """Return what a script of ``benchmarks`` prints."""
    path = Path(bare_loop.__file__).parents[1] / name
    done = subprocess.run(
        [sys.executable, str(path), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_a_robot_whose_control_is_killed_rests(tmp_path: Path) -> None:
    """How softly depends on the machine, and is asserted in virtual time.

    A machine that is too busy stops the robot before the kill: then it is tried again.
    """
    file = tmp_path / 'rows.json'
    for _ in range(3):
        assert 'sphere_step' in script('kill_control.py', 'sphere_step', '--json', str(file))
        (row,) = json.loads(file.read_text())
        assert row['speed_left'] < 0.02
        if row['speed'] > 0.02:
            break
    else:
        pytest.skip('the machine is too busy: the robot stood at each kill')
    assert row['largest'] == pytest.approx(row['ratio'] * row['planned'])


@pytest.mark.long
def test_a_busy_machine_has_a_table() -> None:
    table = script('busy_machine.py', '--runs', '1', '--loops', '1', '--only', 'yumi_step, 1000')
    *_, row = table.splitlines()
    assert row.startswith('| yumi_step, 1000 Hz | 0.5')
    assert row.count('|') == 8
