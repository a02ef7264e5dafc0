"""``simloop bench realtime``: how timely the ROS graph is at 500 Hz."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import json
from pathlib import Path
import tempfile
from typing import Any

from simloop_ros.core.errors import SimloopError
from simloop_ros.ros.launch.graph import require_ros

from .processes import module, run_scenario
from .result import BenchResult

SCENARIO = 'yumi_step'
PERIOD = 0.002
DURATION, QUICK = 60.0, 2.5
"""Of a run [s]."""
TIMEOUT = 100
"""Periods without a message after which the robot is stopped: more than a hiccup of the machine
takes, which shall be measured and not end the measurement."""
REACTION = {'p50': 'p50', 'p99': 'p99', 'p999': 'p99.9', 'max': 'max'}
"""Percentiles: in the figures, in the diagnostics."""


def bench_realtime(quick: bool, progress: Callable[[str, float], None]) -> BenchResult:
    """Return the figures and rows of the benchmark.

    The reaction time goes from ``joint_states`` in to ``effort_command`` out. A period is missed
    if the plant got no new command in it, whoever was late.

    :param quick: for a few seconds.
    :param progress: told what is being done and the share that is done.
    :raises MissingDependencyError: there is no ROS.
    """
    require_ros()
    duration = QUICK if quick else DURATION
    measured: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for i, way in enumerate(('distributed', 'composed')):
            progress(f'{way}, {duration:g} s', i / 2)
            settings = [f'period={PERIOD}', f'duration={duration}', f'safety.timeout={TIMEOUT}']
            measured[way] = measure(
                SCENARIO, settings, Path(folder) / way, composed=way == 'composed'
            )
    figures = {
        prefix + figure: measured[way][figure]
        for way, prefix in (('distributed', ''), ('composed', 'composed_'))
        for figure in (*(f'reaction_{name}_ms' for name in REACTION), 'missed_share')
    }
    rows: list[dict[str, Any]] = [
        {'what': what, 'distributed': value, 'composed': measured['composed'][what]}
        for what, value in measured['distributed'].items()
    ]
    return BenchResult(figures=figures, rows=rows)


def measure(name: str, settings: Sequence[str], folder: Path, *, composed: bool) -> dict[str, Any]:
    """Return what the nodes of a scenario say of their timing, in real time.

    :param folder: for the results.
    :raises SimloopError: the graph failed.
    """
    folder.mkdir()
    said = folder / 'diagnostics.json'
    run_scenario(
        name,
        settings,
        folder / 'run',
        composed=composed,
        realtime=True,
        beside=[module('simloop_bench.diagnostics_log', str(said), output=folder / 'output.txt')],
    )
    last = json.loads(said.read_text())
    try:
        return _figures(last['control_simulation'], last['plant'], last['recorder'])
    except KeyError as error:
        raise SimloopError(f'the nodes did not tell {error}: too short a run?') from error


def _figures(
    control: dict[str, str], plant: dict[str, str], recorder: dict[str, str]
) -> dict[str, Any]:
    """Return what the diagnostics of the nodes say."""
    missed = int(plant['late commands'])
    periods = int(control['reaction count']) + missed
    return {
        **{
            f'reaction_{name}_ms': float(control[f'reaction {p} [ms]'])
            for name, p in REACTION.items()
        },
        'missed_share': missed / periods,
        'periods': periods,
        'periods without a new command': missed,
        'periods that the plant itself was late': int(plant['missed periods']),
        'periods without a new state': int(control['missed states']),
        'steps beyond the plan': int(control['steps beyond the plan']),
        'rows that the recorder lacks': int(recorder['incomplete rows']),
        'longest time between two steps of the plant [ms]': float(plant['period max [ms]']),
        'longest time between two states [ms]': float(control['interval of states max [ms]']),
        'stops': int(control['stops']),
    }
