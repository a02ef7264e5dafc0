"""Make the pictures of ``docs/cartesian.md``: ``python docs/make_cartesian_pictures.py``.

Runs ``irb120_rectangle`` in a temporary folder, draws the robot, its figures and its profiles
as PNG files in ``docs/images``; prints the tip errors of the page.
"""

from __future__ import annotations

from pathlib import Path
import shutil
import tempfile
import time
from typing import Any

from make_pictures import picture
from matplotlib.figure import Figure
import numpy as np

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.record.mcap import read_mcap
from simloop_ros.report.page import draw_run
from simloop_ros.robot.model import RobotModel, link_positions
from simloop_ros.scenario.loading import load_scenario

IMAGES = Path(__file__).parent / 'images'
NAME = 'irb120_rectangle'
EYE, TARGET = (0.95, -0.85, 0.8), (0.12, -0.02, 0.36)
PROFILES = {
    'quintic, 5 s per side': (),
    'trapezoidal, 5 s per side': ('planner.profile=trapezoidal',),
    'time optimal, 20 rad/s²': ('planner.profile=time_optimal',),
}
ERRORS = {
    'the model is right': (),
    'computed torque': ('control.law=computed_torque',),
    'mass +10 %': ('plant.mass_bias=0.1',),
    'mass +10 %, noise 1e-5 rad': ('plant.mass_bias=0.1', 'plant.noise=1e-5'),
}
PERIODS = (1 / 200, 1 / 2000)


def main() -> None:
    """Run everything and draw it."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / 'run'
        summary = run_rectangle(folder)
        for path in draw_run(folder):
            shutil.copy(path, IMAGES / f'{NAME}_{path.name}')
        model = assemble(load_scenario(NAME)).facts.model
        draw_robot(model, folder, summary)
        draw_profiles(model, folder)
        for title, settings in ERRORS.items():
            for period in PERIODS:
                found = run_rectangle(folder, *settings, f'period={period}')
                print(
                    f'{title}, h = {period:g} s: tip error rms {found["tip_error_rms"]:.2g} m, '
                    f'max {found["tip_error_max"]:.2g} m'
                )


def run_rectangle(folder: Path, *settings: str) -> dict[str, Any]:
    """Run the rectangle and return its summary."""
    return run(assemble(load_scenario(NAME, settings)), folder, time.perf_counter)


def draw_robot(model: RobotModel, folder: Path, summary: dict[str, Any]) -> None:
    """Draw the robot at every corner."""
    position = read_mcap(folder / 'log.mcap').column('measured_position')
    figure = Figure(figsize=(13, 3.2), layout='constrained')
    for axes, corner in zip(figure.subplots(1, 4), summary['corners'], strict=True):
        q = position[round(corner['time'] / summary['period']) - 1]
        axes.imshow(picture(model.urdf, model.joint_names, q, EYE, TARGET))
        axes.set_title(f'{corner["name"]}, t = {corner["time"]:g} s')
        axes.axis('off')
    figure.savefig(IMAGES / f'{NAME}.png', dpi=80)


def draw_profiles(model: RobotModel, folder: Path) -> None:
    """Draw the speed of the tip, and how much of the limits the joints use, for each profile."""
    figure = Figure(figsize=(13, 5.2), layout='constrained')
    for (title, settings), (speed, share) in zip(
        PROFILES.items(), figure.subplots(2, len(PROFILES), sharex='col').T, strict=True
    ):
        run_rectangle(folder, *settings, 'period=0.001')
        log = read_mcap(folder / 'log.mcap')
        tips = link_positions(model.pin_model, model.tips[0], log.column('true_position'))
        speeds = np.linalg.norm(np.diff(tips, axis=0), axis=1) / log.period
        speed.plot(log.time[1:], speeds, color='#0077BB')
        speed.set_title(f'{title}: {log.time[-1]:.3g} s')
        speed.set_ylabel('speed of the tip [m/s]')
        for name, values, limit, colour in (
            ('velocity', log.column('velocity'), model.velocity_limit, '#009988'),
            ('effort', log.column('effort'), model.effort_limit, '#CC3311'),
        ):
            used = 100.0 * (np.abs(values) / limit).max(axis=1)
            share.plot(log.time, used, color=colour, label=name)
        share.set_ylabel('of the limit, largest joint [%]')
        share.set_xlabel('time [s]')
        share.set_ylim(0.0, 120.0)
        share.legend(loc='upper right', ncols=2, fontsize=8)
        for axes in (speed, share):
            axes.grid(alpha=0.3)
    figure.savefig(IMAGES / 'cartesian_profiles.png', dpi=80)


if __name__ == '__main__':
    main()
