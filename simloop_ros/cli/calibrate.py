"""``simloop calibrate``: thresholds of the collision monitors from free motion."""

from __future__ import annotations

import argparse
from pathlib import Path
import time

import msgspec
import numpy as np
from rich.console import Console
from rich.table import Table

from ..calibration.calibrate import calibrate
from ..calibration.learnt import learnt_lines
from ..collision.calibration import Calibration
from ..collision.disturbance_observer import TORQUE_CHANNEL, DisturbanceObserver
from ..core.errors import ConfigError
from ..record.folder import make_folder, write_text
from ..report.progress import progress_bar
from ..robot.fit_robot import load_fit_robot
from ..scenario.loading import load_scenario
from .run import scenario_settings


def call(options: argparse.Namespace) -> int:
    """Calibrate, write the file and print its table."""
    scenario = load_scenario(options.scenario, scenario_settings(options))
    for name, value in (
        ('--false-alarms-per-hour', options.false_alarms_per_hour),
        ('--duration', options.duration),
    ):
        if not 0.0 < value < np.inf:
            raise ConfigError(f'{name}: {value:g} is not a positive number')
    path = options.out or Path('runs') / f'{scenario.name}_calibration.yaml'
    make_folder(path.parent)
    if path.is_dir():
        raise ConfigError(f'{path}: is a folder; name a file')
    console = Console(stderr=True)
    with progress_bar(console) as bar:
        task = bar.add_task(f'calibrating {scenario.name}', total=1.0, factor='')
        begin = time.perf_counter()

        def progress(share: float) -> bool:
            elapsed = max(time.perf_counter() - begin, 1e-9)
            factor = share * options.duration / elapsed
            bar.update(task, completed=share, factor=f'{factor:.1f} x real time')
            return True

        calibration = calibrate(
            scenario, options.false_alarms_per_hour, options.duration, progress
        )
    write_text(path, msgspec.yaml.encode(calibration).decode())
    _print(calibration, path)
    for line in learnt_lines(calibration, load_fit_robot(scenario.robot)):
        print(line)
    return 0


def _print(calibration: Calibration, path: Path) -> None:
    learnt, kind = calibration.explanation, DisturbanceObserver.kind
    sliding, turning = np.array(calibration.thresholds[kind])[:, TORQUE_CHANNEL]
    table = Table(
        'joint',
        'dry friction',
        'viscous',
        'noise',
        'threshold',
        'while turning',
        title=f'{calibration.robot}: {calibration.false_alarms_per_hour:g} false alarms per hour',
        title_justify='left',
        caption=f'[N m], viscous [N m s/rad]; thresholds of the slow channel of {kind}',
    )
    for i, name in enumerate(calibration.joint_names):
        values = (
            learnt.coulomb[i],
            learnt.viscous[i],
            calibration.noise[kind][0][i],
            sliding[i],
            turning[i],
        )
        table.add_row(name, *(f'{value:.3g}' for value in values))
    console = Console(markup=False)
    console.print(table)
    console.print(f'calibration: {path}', highlight=False)
