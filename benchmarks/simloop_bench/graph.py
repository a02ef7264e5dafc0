"""``simloop bench graph``: lockstep steps per second of the ROS graph, against a ping-pong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import tempfile
from typing import Any

from simloop_ros.assembly.assemble import assemble
from simloop_ros.core.errors import SimloopError
from simloop_ros.ros.launch.graph import require_ros
from simloop_ros.scenario.loading import load_scenario

from .loop import PERIOD, whole_loop
from .processes import module, run_programs, run_scenario
from .result import BenchResult, Limit
from .timing import best_of

SCENARIO = 'yumi_offline'
LIMITS = {
    'distributed_over_ping_pong': Limit(at_least=0.6),
    'composed_over_ping_pong': Limit(at_least=0.6),
}
"""What each ratio shall reach; the aim is 0.8."""


def bench_graph(quick: bool, progress: Callable[[str, float], None]) -> BenchResult:
    """Return the figures and rows of the benchmark.

    In every round each candidate runs once, so all of them meet the same machine; the best round
    of each counts. A ping-pong's round trip is what a step cannot do without: a message to the
    plant and one back. Steps per second are those of the recorder, from the first row to the last.

    :param quick: fewer and shorter rounds.
    :param progress: told what is being done and the share that is done.
    :raises MissingDependencyError: there is no ROS.
    """
    require_ros()
    rounds, windows, seconds = (1, 1, 0.5) if quick else (5, 2, 2.0)
    settings = [f'period={PERIOD}', *(['duration=2'] if quick else [])]
    names = assemble(load_scenario(SCENARIO, settings)).facts.model.joint_names
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)

        def ping_pong(processes: int, form: str) -> float:
            return _ping_pong(processes, form, names, seconds, windows, folder)

        def steps(*, composed: bool) -> float:
            summary = run_scenario(SCENARIO, settings, folder / 'run', composed=composed)
            return float(summary['real_time_factor'] / summary['period'])

        candidates: dict[str, Callable[[], float]] = {
            'ping-pong, two processes': lambda: ping_pong(2, 'typed'),
            'graph, distributed': lambda: steps(composed=False),
            'ping-pong of bytes, two processes': lambda: ping_pong(2, 'serialized'),
            'ping-pong, one process': lambda: ping_pong(1, 'typed'),
            'graph, composed': lambda: steps(composed=True),
            'ping-pong of bytes, one process': lambda: ping_pong(1, 'serialized'),
        }
        rates = dict.fromkeys(candidates, 0.0)
        for i in range(rounds):
            for j, (what, measure) in enumerate(candidates.items()):
                progress(what, (i + j / len(candidates)) / rounds)
                rates[what] = max(rates[what], measure())
        progress('without ROS', 1.0)
        loop = _without_ros(settings, folder / 'log.raw', quick)
    distributed, composed = rates['graph, distributed'], rates['graph, composed']
    figures = {
        'distributed_over_ping_pong': distributed / rates['ping-pong, two processes'],
        'composed_over_ping_pong': composed / rates['ping-pong, one process'],
        'distributed_steps_per_s': distributed,
        'composed_steps_per_s': composed,
    }
    costs = {what: 1.0 / rate for what, rate in rates.items()}
    costs['all blocks and the log, without ROS'] = loop
    costs['distributed: what is neither blocks nor a round trip of bytes'] = (
        1.0 / distributed - loop - costs['ping-pong of bytes, two processes']
    )
    costs['composed: what is not blocks'] = 1.0 / composed - loop
    rows = [_row(what, len(names), cost) for what, cost in costs.items()]
    return BenchResult(figures=figures, limits=LIMITS, rows=rows)


def _row(what: str, joints: int, cost: float) -> dict[str, Any]:
    return {
        'what': what,
        'joints': joints,
        'us_per_step': 1e6 * cost,
        'steps_per_s': 1.0 / cost if cost > 0.0 else None,
    }


def _ping_pong(
    processes: int,
    form: str,
    joint_names: tuple[str, ...],
    seconds: float,
    windows: int,
    folder: Path,
) -> float:
    """Return round trips per second.

    :param processes: 2, or 1 for both players in one.
    :param form: ``typed`` or ``serialized``.
    """
    result, output = folder / 'rate.txt', folder / 'output.txt'
    result.unlink(missing_ok=True)
    names = ','.join(joint_names)
    measuring = (str(seconds), str(windows), str(result))
    name = 'simloop_bench.ping_pong'
    programs = [module(name, 'pong', form, names, output=output)] if processes == 2 else []
    role = 'ping' if processes == 2 else 'both'
    programs.append(module(name, role, form, names, *measuring, output=output, ends_all=True))
    run_programs(programs, output)
    if not result.exists():
        raise SimloopError('the ping-pong was interrupted')
    return float(result.read_text())


def _without_ros(settings: list[str], log: Path, quick: bool) -> float:
    """Return what the same step costs in ``simloop run`` [s]."""
    prepared = assemble(load_scenario(SCENARIO, settings))
    run = whole_loop(prepared.loop, prepared.facts.steps, log)
    return best_of({'loop': run}, 1 if quick else 5)['loop']
