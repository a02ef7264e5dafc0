"""``simloop bench realtime``: how timely the ROS graph is, beside a bare loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
import json
from pathlib import Path
import tempfile
from typing import Any

import msgspec

from simloop_ros.core.errors import SimloopError
from simloop_ros.ros.launch.graph import require_ros
from simloop_ros.ros.launch.options import PRIORITY
from simloop_ros.ros.launch.supervisor import Program

from .bare_loop import read_bare
from .cold_step import step_costs
from .processes import module, run_scenario
from .result import BenchResult, Limit

SCENARIO = 'yumi_step'
PERIOD = 0.002
DURATION, QUICK = 60.0, 2.5
"""Of a run [s]."""
TIMEOUT = 1000
"""Periods without a message after which the robot is stopped, the most that may be given: more
than a hiccup of the machine takes, which shall be measured and not end the measurement."""
REACTION = {'p50': 'p50', 'p99': 'p99', 'p999': 'p99.9', 'max': 'max'}
"""Percentiles: in the figures, in the diagnostics."""


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """How the graph runs.

    :ivar prefix: of its old figures; ``None`` for none.
    :ivar compared: whether its lateness is compared with that of a bare loop.
    """

    period: float
    composed: bool
    prefix: str | None = None
    compared: bool = True


WAYS = {
    'distributed': Way(period=PERIOD, composed=False, prefix=''),
    'composed': Way(period=PERIOD, composed=True, prefix='composed_', compared=False),
    'composed_1000_hz': Way(period=0.001, composed=True),
    'composed_2000_hz': Way(period=0.0005, composed=True),
}
OLD_FIGURES = (*(f'reaction_{name}_ms' for name in REACTION), 'missed_share')
OVER_BARE = 'late_over_bare'
OVER_STEADY = 'paused_over_steady'
LIMITS = {OVER_BARE: Limit(at_most=1.5)}


def bench_realtime(quick: bool, progress: Callable[[str, float], None]) -> BenchResult:
    """Return the figures and rows of the benchmark.

    The reaction time goes from ``joint_states`` in to ``effort_command`` out. A period is missed
    if the plant got no new command in it, whoever was late.

    Beside each graph, at the same time, runs a bare loop at the same rate and priority that only
    sleeps and wakes: what the machine does to it, it does to the graph, too. It takes less than
    1 % of a core; in another minute the machine would be another one. ``late_over_bare`` is the
    worst ratio of their missed periods, with one added to both: a bare loop may have missed none.
    A graph whose robot was stopped has missed all of them.

    What a step costs is measured before, in process: one after the other, and after a pause, when
    others have used the caches meanwhile. ``paused_over_steady`` is the worst ratio: by so much a
    machine is slower in real time than in lockstep.

    :param quick: for a few seconds.
    :param progress: told what is being done and the share that is done.
    :raises MissingDependencyError: there is no ROS.
    """
    require_ros()
    duration = QUICK if quick else DURATION
    measured: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for i, (name, way) in enumerate(WAYS.items()):
            progress(f'{name}, {duration:g} s', i / len(WAYS))
            measured[name] = _beside_bare(way, duration, Path(folder) / name)
    figures = {
        way.prefix + figure: measured[name][figure]
        for name, way in WAYS.items()
        if way.prefix is not None
        for figure in OLD_FIGURES
    }
    figures[OVER_BARE] = max(measured[name][OVER_BARE] for name in WAYS if WAYS[name].compared)
    figures[OVER_STEADY] = max(values[OVER_STEADY] for values in measured.values())
    rows: list[dict[str, Any]] = [
        {'what': what, **{name: values[what] for name, values in measured.items()}}
        for what in measured['distributed']
    ]
    return BenchResult(figures=figures, rows=rows, limits=LIMITS)


def _beside_bare(way: Way, duration: float, folder: Path) -> dict[str, Any]:
    """Return what a graph says of its timing, and how it compares with a bare loop beside it."""
    h = way.period
    settings = [f'period={h}', f'duration={duration}', f'safety.timeout={TIMEOUT}']
    file, output = folder.with_suffix('.json'), folder.with_suffix('.txt')
    bare = module('simloop_bench.bare_loop', str(h), str(PRIORITY), str(file), output=output)
    steady, paused = step_costs(SCENARIO, h)
    found = measure(SCENARIO, settings, folder, composed=way.composed, beside=[bare])
    periods = found['periods']
    bare_missed = read_bare(file).missed(periods * h)  # not while the nodes were starting
    return {
        **found,
        'bare loop: missed periods': bare_missed,
        'bare loop: missed_share': bare_missed / periods,
        OVER_BARE: over_bare(found, bare_missed),
        'step in process, one after the other [us]': steady,
        'step in process, after a pause [us]': paused,
        OVER_STEADY: paused / steady,
    }


def over_bare(found: Mapping[str, Any], bare_missed: int) -> float:
    """Return the missed periods of a graph over those of a bare loop, one added to both.

    :param found: what the nodes say; a robot that was stopped has missed all periods.
    """
    missed = found['periods' if found['stops'] else 'periods without a new command']
    return float((missed + 1) / (bare_missed + 1))


def measure(
    name: str,
    settings: Sequence[str],
    folder: Path,
    *,
    composed: bool,
    beside: Sequence[Program] = (),
) -> dict[str, Any]:
    """Return what the nodes of a scenario say of their timing, in real time.

    :param folder: for the results.
    :param beside: programs that run as long as the graph.
    :raises SimloopError: the graph failed.
    """
    folder.mkdir()
    said = folder / 'diagnostics.json'
    log = module('simloop_bench.diagnostics_log', str(said), output=folder / 'output.txt')
    run_scenario(
        name,
        settings,
        folder / 'run',
        composed=composed,
        realtime=True,
        beside=[log, *beside],
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
