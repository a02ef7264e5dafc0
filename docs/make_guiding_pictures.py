"""Make the pictures of ``docs/guiding.md``.

``PYTHONPATH=benchmarks:examples python docs/make_guiding_pictures.py [NAME ...]``;
``make pictures`` makes those of all pages.

Without names all are made, as PNG files in ``docs/images``. The map takes minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import sys

from matplotlib.figure import Figure
import numpy as np

from simloop_bench.guiding import (
    EXPERIMENTS,
    courses,
    force_bars,
    map_cells,
    pull_all,
    stability_panels,
)
from simloop_bench.guiding_experiment import experiment
from simloop_bench.guiding_figures import draw_experiment, draw_forces, draw_stability
from simloop_bench.guiding_robots import real
from simloop_bench.guiding_run import GuidedRun, lead
from simloop_bench.guiding_stability import stable
from simloop_bench.workers import Workers
from simloop_ros.scenario.loading import load_scenario

IMAGES = Path(__file__).parent / 'images'
SHOWN = {'lwr_a2_joint': 1, 'lwr_a3_joint': 3}
"""Joints that gravity is felt by: name and index."""
QUIET = 20.0
"""Time for which nobody touches the robot [s]."""


def main() -> None:
    """Draw what is asked for, or everything."""
    IMAGES.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name](IMAGES / f'guiding_{name}.png')
        print(name, flush=True)


def identify(path: Path) -> None:
    """Draw the estimated torque of a real robot before and after it was calibrated.

    It is led by the true torque, so that both move in the same way.
    """
    settings = [*real('lwr'), 'admittance.source=truth', 'duration=4']
    settings.append('admittance.dead_zone=0.5')
    plain = [line for line in settings if not line.startswith('monitor.')]
    runs = {
        'before: the model as it is': _led(plain),
        'after simloop calibrate': _led(settings),
    }
    figure = Figure(figsize=(10.0, 5.0), layout='constrained')
    grid = figure.subplots(len(SHOWN), 2, sharex=True, sharey='row')
    for column, (title, run) in zip(grid.T, runs.items(), strict=True):
        for axes, (joint, i) in zip(column, SHOWN.items(), strict=True):
            axes.plot(run.time, run.estimate[:, i], color='#D98E04', lw=0.9, label='estimated')
            axes.plot(run.time, run.torque[:, i], color='#33658A', label='true')
            axes.grid(alpha=0.3, lw=0.5)
            axes.set_title(f'{joint}, {title}', fontsize=10)
            axes.set_ylabel('torque [N m]')
        column[-1].set_xlabel('time [s]')
    grid[0, 0].legend(fontsize=9)
    figure.suptitle('LWR, 10 % heavier than its model, with friction, led from 0.5 s on')
    figure.savefig(path, dpi=90)


def dead_zone(path: Path) -> None:
    """Draw how far a robot goes that nobody touches, by its dead zone."""
    zones = {'none': '0', '0.5 N at the tip': '0.5', 'from the calibration': 'null'}
    figure = Figure(figsize=(9.0, 3.8), layout='constrained')
    axes = figure.subplots()
    for label, zone in zones.items():
        settings = [*real('lwr'), f'admittance.dead_zone={zone}', 'plant.hands=[]']
        run = _led([*settings, f'duration={QUIET}'])
        away = np.rad2deg(np.abs(run.position - run.position[0]).max(axis=1))
        axes.semilogy(run.time, np.maximum(away, 1e-5), lw=1.0, label=f'dead zone: {label}')
    axes.axhline(0.01, color='#B81D13', ls='--', lw=1.0, label='goal: 0.01°')
    axes.set_xlabel('time [s]')
    axes.set_ylabel('joint farthest from its start [°]')
    axes.set_title('LWR, 10 % heavier than its model, with friction; nobody touches it')
    axes.grid(alpha=0.3, lw=0.5)
    figure.legend(loc='outside lower center', ncols=4, fontsize=9)
    figure.savefig(path, dpi=90)


def stability(path: Path) -> None:
    """Draw the maps for hands with the damping of an arm, by the observer."""
    cells = [c for c in map_cells(False) if c.damped and c.source == 'observer']
    with Workers() as workers:
        verdicts = workers.run(stable, [(cell,) for cell in cells], _tell)
    draw_stability(stability_panels(cells, verdicts), path)


def feel(path: Path) -> None:
    """Draw experiment 1, constant beside adapted."""
    draw_experiment(
        courses({case: experiment(*EXPERIMENTS[case]) for case in ('adapted', 'constant')}), path
    )


def force(path: Path) -> None:
    """Draw how hard a hand has to pull in each direction."""
    with Workers() as workers:
        draw_forces(force_bars(pull_all(False, workers, _tell)), path)


def _led(settings: list[str]) -> GuidedRun:
    return lead(load_scenario('lwr_tcp', settings))


def _tell(share: float) -> None:
    print(f'{100.0 * share:.0f} %', end='\r', flush=True)


PICTURES: dict[str, Callable[[Path], None]] = {
    'identify': identify,
    'dead_zone': dead_zone,
    'stability': stability,
    'feel': feel,
    'force': force,
}

if __name__ == '__main__':
    main()
