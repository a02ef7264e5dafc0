"""Make the pictures of docs/collision.md.

``PYTHONPATH=benchmarks:examples python docs/make_collision_pictures.py``, or ``make pictures``.

Calibrates the robot of the collision study, lets it run into something, and draws the output of
each of the four monitors; then draws a part of the study. All are PNG files in ``docs/images``.
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
import msgspec
import numpy as np

from simloop_bench.collision import QUICK, pictures, run_studies
from simloop_bench.collision_detection import HURTS, NOTICED, calibrated, collide
from simloop_bench.collision_robot import StudyRobot
from simloop_bench.collision_trials import Trial, TrialMaker
from simloop_bench.workers import Workers
from simloop_ros.collision.build import KINDS, build_monitor
from simloop_ros.collision.calibration import Calibration
from simloop_ros.collision.observation import Observation
from simloop_ros.core.values import Array
from simloop_ros.robot.model import RobotModel

IMAGES = Path(__file__).parent / 'images'
PERIOD = 1.0 / 2000.0
CALIBRATION = 120.0
"""Free motion to learn from [s]."""
BEFORE, AFTER = 0.1, 0.1
"""Time that is shown around the contact [s]."""
DEPTH = 5
"""Joints between base and hit link, at least: an arm's forearm or hand."""
PART = msgspec.structs.replace(QUICK, free=300.0, piece=50.0, collisions=100)
"""Of the study: minutes, where ``simloop bench collision`` takes half an hour."""
TITLES = {
    'position_difference': 'q − q_d',
    'force_difference': "τ − τ'",
    'momentum_observer': 'momentum residual',
    'disturbance_observer': 'disturbance observer',
}


def main() -> None:
    """Draw everything."""
    IMAGES.mkdir(exist_ok=True)
    draw_monitors()
    draw_study()


def draw_study() -> None:
    """Draw a part of the study, at its lower rate."""
    robots = [StudyRobot(period) for period in PART.periods]
    with Workers() as workers:
        (study,) = run_studies(robots, PART, workers, _tell)
    for name, draw_picture in pictures(study).items():
        draw_picture(IMAGES / f'{name}.png')


def _tell(what: str, share: float) -> None:
    print(f'{what}: {100.0 * share:.0f} %', end='\r', flush=True)


def draw_monitors() -> None:
    """Draw the first collision of the study that hurts a forearm or hand."""
    robot = StudyRobot(PERIOD)
    model = robot.model
    calibration = calibrated(robot, CALIBRATION, seed=1)
    maker = TrialMaker(model)
    seed = 20_000
    while True:
        trial = maker.draw(PERIOD, seed)
        rows, force = collide(robot, model, trial, seed)
        if trial.depth >= DEPTH and force.max() >= HURTS:
            break
        seed += 1
    for kind in KINDS:
        draw(kind, model, calibration, trial, rows, force)


def draw(
    kind: str,
    model: RobotModel,
    calibration: Calibration,
    trial: Trial,
    rows: list[Observation],
    force: Array,
) -> None:
    """Draw the contact force and the residual that alarms, with its threshold."""
    monitor = build_monitor(kind, model, PERIOD, calibration)
    thresholds = np.array(calibration.thresholds[kind])
    residuals, shares, limits = [], [], []
    joints = np.arange(model.n)
    for row in rows:
        reading = monitor.step(row)
        limit = thresholds[monitor.regime, :, joints].T
        residuals.append(monitor.residuals)
        limits.append(limit)
        shares.append(0.0 if reading.verdict == 'unknown' else 1.0 - reading.margin)
    first = int(np.argmax(force > 0.0))
    alarms = np.flatnonzero((np.array(shares) >= 1.0) & (np.arange(len(rows)) >= first))
    look = alarms[0] if len(alarms) else int(np.argmax(shares))
    part = np.abs(residuals[look]) / limits[look]
    channel, joint = np.unravel_index(np.argmax(part), part.shape)
    time = 1e3 * PERIOD * (np.arange(len(rows)) - first)
    residual = np.array(residuals)[:, channel, joint]
    limit = np.array(limits)[:, channel, joint]
    figure = Figure(figsize=(6.5, 4.2), dpi=90, layout='constrained')
    upper, lower = figure.subplots(2, 1, sharex=True)
    upper.plot(time, force, color='#666666')
    upper.axhline(NOTICED, color='#BBBBBB', lw=0.8, ls=':')
    upper.set_ylabel('contact force [N]')
    speed, stiffness = trial.closing_speed, trial.spring.stiffness
    upper.set_title(
        f'{trial.spring.link}: {speed:.2f} m/s into {stiffness:.0f} N/m', fontsize=9, loc='left'
    )
    lower.plot(
        time, residual, color='#B81D13', label=f'{TITLES[kind]}, {model.joint_names[joint]}'
    )
    for side, label in ((1.0, 'threshold'), (-1.0, None)):
        lower.plot(time, side * limit, color='#56A8E8', ls='--', lw=1.0, label=label)
    if len(alarms):
        for ax in (upper, lower):
            ax.axvline(time[look], color='#AA3377', lw=1.0)
        lower.set_title(f'alarm after {time[look]:.1f} ms', fontsize=9, loc='right')
    else:
        lower.set_title('no alarm', fontsize=9, loc='right')
    shown = (time >= -1e3 * BEFORE) & (time <= 1e3 * AFTER)
    top = 1.5 * max(np.abs(residual[shown]).max(), limit[shown].min())
    lower.set_ylim(-top, top)
    upper.set_ylim(0.0, 1.05 * force[shown].max())
    lower.set_xlim(-1e3 * BEFORE, 1e3 * AFTER)
    lower.set_ylabel(f'residual [{"rad" if kind == "position_difference" else "N m"}]')
    lower.set_xlabel('time since the first contact [ms]')
    lower.legend(fontsize=8, loc='upper left', ncols=2)
    for ax in (upper, lower):
        ax.grid(alpha=0.3, lw=0.5)
    figure.savefig(IMAGES / f'collision_{kind}.png')


if __name__ == '__main__':
    main()
