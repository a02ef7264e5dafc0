"""``simloop bench guiding_realtime``: how timely a robot is guided by hand, at 500 Hz."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
import tempfile
import time
from typing import Any

import msgspec
import numpy as np

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.core.values import Array
from simloop_ros.guiding.compliance import compliance
from simloop_ros.guiding.touch import reaches
from simloop_ros.record.mcap import McapLog, read_mcap
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.ros.launch.graph import require_ros
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.scenario.scenario import Scenario

from .realtime import PERIOD, REACTION, TIMEOUT, measure
from .result import BenchResult

SCENARIO = 'lwr_tcp'
CYCLE, LED = 3.0, 2.0
"""Time from one push to the next, and the part of it in which the hand leads [s]."""
WAY = 0.15
"""How far the hand leads the flange, and back again [m]."""
DURATION, QUICK = 60.0, 9.0
"""Of a run [s]."""
MOTION = 1e-4
"""Commanded way beyond what was going on anyway that counts as motion [rad]."""
QUIET = 0.2
"""Time without a touch before one that counts as a new push [s]."""
CONTROL = ('control.law=computed_torque', 'control.rollback=observer')
"""What real time uses, so that lockstep differs in nothing but time."""


def bench_guiding_realtime(quick: bool, progress: Callable[[str, float], None]) -> BenchResult:
    """Return the figures and rows of the benchmark.

    A hand leads the flange of the LWR aside and back, lets go, and takes hold again. Reaction and
    missed periods are those of ``bench realtime``. The delay goes from the first step in which the
    true torque from outside is beyond the dead zone to the first one whose desired position has
    left the course before the push by ``MOTION``. In lockstep, where no message is late, it is
    the time that the admittance itself takes; what is more is due to the graph.

    :param quick: for a few seconds.
    :param progress: told what is being done and the share that is done.
    :raises MissingDependencyError: there is no ROS.
    """
    require_ros()
    duration = QUICK if quick else DURATION
    settings = (*_settings(duration), *CONTROL)
    scenario = load_scenario(SCENARIO, settings)
    measured: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        progress('lockstep', 0.0)
        run(assemble(scenario), folder / 'lockstep', time.perf_counter)
        delays = {'lockstep': push_delays(read_mcap(folder / 'lockstep' / 'log.mcap'), scenario)}
        for i, way in enumerate(('distributed', 'composed')):
            progress(f'{way}, {duration:g} s', (1 + i) / 3)
            measured[way] = measure(SCENARIO, settings, folder / way, composed=way == 'composed')
            delays[way] = push_delays(read_mcap(folder / way / 'run' / 'log.mcap'), scenario)
    for way, values in measured.items():
        values |= _delay_figures(delays[way])
    figures = {
        prefix + figure: measured[way][figure]
        for way, prefix in (('distributed', ''), ('composed', 'composed_'))
        for figure in (
            *(f'reaction_{name}_ms' for name in REACTION),
            'missed_share',
            *_delay_figures(()),
        )
    }
    lockstep = _delay_figures(delays['lockstep'])
    figures |= {f'lockstep_{figure}': value for figure, value in lockstep.items()}
    rows: list[dict[str, Any]] = [
        {
            'what': what,
            'distributed': value,
            'composed': measured['composed'][what],
            'lockstep': lockstep.get(what),
        }
        for what, value in measured['distributed'].items()
    ]
    return BenchResult(figures=figures, rows=rows)


def _settings(duration: float) -> tuple[str, ...]:
    """Return the scenario's settings: hands one after the other, each leads there and back."""
    path = {
        'kind': 'waypoints',
        'waypoints': [
            {'time': LED / 2, 'offset': [0, WAY, 0]},
            {'time': LED, 'offset': [0, 0, 0]},
        ],
    }
    hands = [
        {
            'link': 'flange',
            'stiffness': 800,
            'damping': 40,
            'max_force': 40,
            'start': start,
            'end': start + LED,
            'path': path,
        }
        for start in np.arange(0.5, duration - LED, CYCLE).tolist()
    ]
    return (
        f'period={PERIOD}',
        f'duration={duration}',
        f'plant.hands={msgspec.json.encode(hands).decode()}',
        f'safety.timeout={TIMEOUT}',
    )


def push_delays(log: McapLog, scenario: Scenario) -> list[float]:
    """Return the time from each push to the motion that it commands [s]."""
    model = load_fit_robot(scenario.robot)
    dead_zone = compliance(scenario.admittance, model.joint_names, reaches(model)).dead_zone
    beyond = np.abs(log.column('true_external_torque')) > dead_zone
    touched: list[bool] = np.any(beyond, axis=1).tolist()
    desired = log.column('desired_position')
    return [
        steps * log.period
        for begin in _beginnings(touched, round(QUIET / log.period))
        if (steps := _steps_to_motion(desired, begin)) is not None
    ]


def _beginnings(touched: Sequence[bool], quiet: int) -> list[int]:
    """Return the rows in which a touch begins, after ``quiet`` rows without one."""
    found, since = [], quiet
    for row, now in enumerate(touched):
        if now and since >= quiet and row > 1:
            found.append(row)
        since = 0 if now else since + 1
    return found


def _steps_to_motion(desired: Array, begin: int) -> int | None:
    """Return after how many rows the desired position has left the course before the push."""
    before, start = desired[begin - 1], desired[begin]
    steps = np.arange(len(desired) - begin)[:, None]
    course = start + steps * (start - before)
    left = (np.abs(desired[begin:] - course) > MOTION).any(axis=1)
    return int(np.argmax(left)) if left.any() else None


def _delay_figures(delays: Sequence[float]) -> dict[str, float]:
    times = 1e3 * np.array(delays) if delays else np.full(1, np.nan)
    return {
        'push_to_motion_p50_ms': float(np.median(times)),
        'push_to_motion_max_ms': float(times.max()),
        'pushes': float(len(delays)),
    }
