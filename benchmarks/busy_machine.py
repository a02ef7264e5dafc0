"""Scenarios in real time while endless loops keep the cores busy: the table of docs/realtime.md.

Each row is one scenario at one rate, composed in one process, several runs beside one endless
loop and beside two. It has, of ``summary.json``: the share of late periods, the longest gap, the
largest acceleration of a tip beside that in lockstep, and how the runs ended.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
import json
from pathlib import Path
import subprocess
import sys
import tempfile
from typing import Any

from simloop_bench.lateness_runs import TWO_HANDS, accelerations
from simloop_bench.virtual_graph import lockstep
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.loading import load_scenario

LONGEST = 180.0  # time of a run, with its start and its end on a busy machine [s]
HOG = 'while True: pass'


@dataclass(frozen=True)
class Row:
    """A scenario and its settings."""

    scenario: str
    settings: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return scenario and rate."""
        return f'{self.scenario}, {1.0 / load_scenario(*self.loaded).period:.0f} Hz'

    @property
    def loaded(self) -> tuple[str, list[str]]:
        """Return what the scenario is loaded by."""
        return self.scenario, list(self.settings)


ROWS = (
    Row('yumi_step', ('period=0.001',)),
    Row('yumi_step', ('period=0.0005',)),
    Row('lwr_tcp', ('period=0.002',)),
    Row('lwr_tcp', ('period=0.005',)),
    Row('workerbot_carry', TWO_HANDS),
    Row('workerbot_carry', ('period=0.002',)),
    Row('yumi_carry', TWO_HANDS),
)


@contextmanager
def endless_loops(number: int) -> Iterator[None]:
    """Keep as many cores busy."""
    hogs = [subprocess.Popen([sys.executable, '-c', HOG]) for _ in range(number)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def run(row: Row, folder: Path) -> dict[str, Any]:
    """Run once in real time; return the summary."""
    settings = [word for setting in row.settings for word in ('--set', setting)]
    options = ('--composed', '--realtime', '--no-figures', '--out', str(folder))
    command = (sys.executable, '-m', 'simloop_ros.cli.main', 'launch', row.scenario)
    subprocess.run(
        [*command, *options, *settings], capture_output=True, timeout=LONGEST, check=False
    )
    summary: dict[str, Any] = json.loads((folder / 'summary.json').read_text())
    return summary


def measure(row: Row, hogs: int, runs: int) -> dict[str, Any]:
    """Return the figures of some runs."""
    with tempfile.TemporaryDirectory() as folder, endless_loops(hogs):
        found = [run(row, Path(folder) / str(i)) for i in range(runs)]
    return {
        'row': row.name,
        'loops': hogs,
        'late': [100.0 * each['late_share'] for each in found],
        'gap_ms': 1e3 * max(each['longest_gap'] for each in found),
        'tip': [each['largest_acceleration']['tips'] for each in found],
        'status': Counter(each['status'] for each in found),
    }


def in_lockstep(row: Row) -> float:
    """Return the largest acceleration of a tip in lockstep [m/s^2]."""
    scenario = load_scenario(*row.loaded)
    model = load_fit_robot(scenario.robot)
    return accelerations(model, lockstep(scenario), scenario.period)[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, a line as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--runs', type=int, default=5, help='of each line [5]')
    parser.add_argument('--loops', type=int, nargs='*', default=[1, 2], help='beside it [1 2]')
    parser.add_argument('--only', default='', help='rows whose name has this word')
    options = parser.parse_args(arguments)
    print('| scenario, rate | lockstep [m/s^2] | loops | late [%] | longest gap [ms] ', end='')
    print('| tip acceleration [m/s^2] | status |\n|---|---|---|---|---|---|---|', flush=True)
    for row in ROWS:
        if options.only not in row.name:
            continue
        usual = in_lockstep(row)
        for hogs in options.loops:
            line = measure(row, hogs, options.runs)
            late = f'{min(line["late"]):.1f} to {max(line["late"]):.0f}'
            tips = ', '.join(f'{tip:.2g}' for tip in line['tip'])
            ends = ', '.join(f'{count} `{name}`' for name, count in line['status'].items())
            print(
                f'| {line["row"]} | {usual:.2g} | {hogs} | {late} | {line["gap_ms"]:.0f} '
                f'| {tips} | {ends} |',
                flush=True,
            )
    return 0


if __name__ == '__main__':
    sys.exit(main())
