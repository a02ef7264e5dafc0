"""``simloop bench lateness``: the real-time graph on a virtual clock, against traces of delays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from simloop_ros.ros.launch.graph import require_ros
from simloop_ros.scenario.shipped import scenario_names

from .result import BenchResult, Limit
from .workers import Workers

LEFT_OUT = ('step',)
"""Scenarios without a robot of their own."""
QUICK = ('yumi_step', 'lwr_tcp')
QUICK_TRACES = ('none', 'random 5 %', 'bursts of 50 ms')
LIMITS = {
    'diverged': Limit(at_most=0),
    'effort_limit_hits': Limit(at_most=0),
    'acceleration_ratio_5_percent': Limit(at_most=3.0),
    'acceleration_ratio_worst': Limit(at_most=5.0),
    'beam_lost': Limit(at_most=0),
    'hand_force_rise_n': Limit(at_most=5.0),
}


def bench_lateness(
    quick: bool, progress: Callable[[str, float], None], recorded: Sequence[Path] = ()
) -> BenchResult:
    """Return the figures and rows of the benchmark: every scenario with every trace.

    Accelerations are compared with those of lockstep, joints and tips, the larger ratio counts;
    ``acceleration_ratio_5_percent`` is the largest with at most 5 % random lateness and bursts up
    to 50 ms, ``acceleration_ratio_worst`` that with the other traces.

    :param quick: two scenarios and three traces.
    :param progress: told what is being done and the share that is done.
    :param recorded: traces of ``simloop launch --trace`` that are replayed, too.
    :raises MissingDependencyError: there is no ROS.
    """
    require_ros()  # the messages of its nodes
    from .lateness_runs import late_rows
    from .lateness_traces import TRACES, recorded_trace

    names = QUICK if quick else [n for n in scenario_names() if n not in LEFT_OUT]
    traces = [t for t in TRACES if not quick or t.name in QUICK_TRACES]
    traces += [recorded_trace(path) for path in recorded]
    jobs = [(name, traces, quick) for name in names]
    with Workers() as workers:
        found = workers.run(late_rows, jobs, lambda share: progress('scenarios', share))
    rows = [row for rows in found for row in rows]
    return BenchResult(figures=_figures(rows), rows=rows, limits=LIMITS, details=('digest',))


def _figures(rows: list[dict[str, Any]]) -> dict[str, float]:
    calm = [row for row in rows if row['calm']]
    wild = [row for row in rows if not row['calm']]
    return {
        'diverged': sum(row['end'] == 'diverged' for row in rows),
        'effort_limit_hits': sum(row['effort_limit_hits'] for row in rows),
        'acceleration_ratio_5_percent': max(row['acceleration_ratio'] for row in calm),
        'acceleration_ratio_worst': max((row['acceleration_ratio'] for row in wild), default=0.0),
        'beam_lost': sum(row['squeeze'] == 'lost' for row in rows),
        'hand_force_rise_n': max(row['hand_force_rise_n'] for row in rows),
    }
