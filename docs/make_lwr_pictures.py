"""Make the pictures of the LWR 4+ and its joints.

``PYTHONPATH=benchmarks:examples python docs/make_lwr_pictures.py``, or ``make pictures``.

Draws the robot, and the torque error of its flexible joints against 001 (3), as PNG files in
``docs/images``; prints the numbers of ``docs/plants.md``.
"""

from __future__ import annotations

import math
from pathlib import Path

from make_pictures import picture
from matplotlib.figure import Figure
import numpy as np

from simloop_bench.torque_error import JUMP, STEP, of_3, torque_errors
from simloop_ros.plants.config import TorqueControl
from simloop_ros.plants.flexible_plant import known_motors
from simloop_ros.plants.motor_driven_plant import (
    ELASTIC_PHASE,
    MotorDrivenPlant,
    elastic_frequency,
)
from simloop_ros.plants.torque_driven_plant import TorqueDrivenPlant
from simloop_ros.plants.torque_stage import TorqueStage
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.robot_files import robot_config

IMAGES = Path(__file__).parent / 'images'
EYE, TARGET = (1.5, -1.6, 1.1), (0.25, 0.0, 0.45)
SHOWN = ('lwr_a1_joint', 'lwr_e1_joint', 'lwr_a4_joint')


def main() -> None:
    """Draw everything."""
    IMAGES.mkdir(exist_ok=True)
    model = load_fit_robot(robot_config('lwr'))
    draw_robot(model)
    draw_torque_error(model)


def draw_robot(model: RobotModel) -> None:
    """Draw the robot at its home, and stretched out as in 001, experiment 1."""
    stretched = np.zeros(model.n)
    stretched[1] = -0.5 * math.pi
    figure = Figure(figsize=(9, 4), layout='constrained')
    poses = (('home', model.home), ('stretched out, lwr_a2_joint at −90°', stretched))
    for axes, (title, q) in zip(figure.subplots(1, 2), poses, strict=True):
        axes.imshow(picture(model.urdf, model.joint_names, q, EYE, TARGET))
        axes.set_title(title)
        axes.axis('off')
    figure.savefig(IMAGES / 'lwr.png', dpi=90)


def draw_torque_error(model: RobotModel) -> None:
    """Draw the torque error after a jump, in a pushed arm, and how far it is from 001 (3)."""
    config = TorqueControl()
    stage = TorqueStage(known_motors(model), config)
    fastest = elastic_frequency(model, model.home)
    short = ELASTIC_PHASE / fastest
    closed, times = torque_errors(model, lambda h: TorqueDrivenPlant(model, h, stage, 1), STEP)
    motors, fine = torque_errors(
        model, lambda h: MotorDrivenPlant(model, h, stage, substeps=1), short
    )
    figure = Figure(figsize=(11, 4), layout='constrained')
    left, right = figure.subplots(1, 2)
    for name in SHOWN:
        i = model.joint_names.index(name)
        law = of_3(config, times) * -JUMP[i]
        (line,) = left.plot(1e3 * times, law, label=f'{name}: 001 (3)')
        left.plot(1e3 * times[::8], closed[::8, i], 'o', ms=4, color=line.get_color())
    left.plot([], [], 'ko', ms=4, label='plant')
    left.set_title('Torque error after a jump of τ_d, arm pushed with 39 N')
    left.set_ylabel('e = τ − τ_d [N m]')
    for label, found, at in (
        ('drives in closed form', closed, times),
        (f'motors simulated in steps of {1e6 * short:.0f} µs', motors, fine),
    ):
        away = 100.0 * np.abs(found / -JUMP - of_3(config, at)[:, None]).max(axis=1)
        right.semilogy(1e3 * at, np.maximum(away, 1e-14), label=label)
        print(f'{label}: {away.max():.3g} % of the amplitude')
    right.axhline(1.0, color='k', ls=':', label='1 %')
    right.set_title('Distance from 001 (3), the largest of all joints')
    right.set_ylabel('distance [% of amplitude]')
    left.legend(fontsize=8)
    right.legend(fontsize=8, loc='center right')
    for axes in (left, right):
        axes.set_xlabel('time [ms]')
        axes.grid(alpha=0.3)
    figure.savefig(IMAGES / 'torque_error.png', dpi=90)
    print(f'fastest elastic mode at home: {fastest / 2.0 / math.pi:.4g} Hz')


if __name__ == '__main__':
    main()
