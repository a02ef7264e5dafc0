"""Make the picture of workerbot: ``python docs/make_workerbot_picture.py``.

Draws the robot at home, before the beam, and with its arms stretched out, as
``docs/images/workerbot.png``.
"""

from __future__ import annotations

from pathlib import Path

from make_pictures import picture
from matplotlib.figure import Figure
import numpy as np

from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.robot_files import robot_config

IMAGES = Path(__file__).parent / 'images'
EYE, TARGET = (2.6, -1.3, 1.7), (0.2, 0.0, 0.85)
STRETCHED = np.array([0.9, 0.3, 0.15, -0.5, 0.15, -0.3, 2.03])
"""Of the left arm: 003 calls it the safe position [rad]."""
MIRRORED = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])


def main() -> None:
    """Draw the robot in both postures."""
    IMAGES.mkdir(exist_ok=True)
    model = load_fit_robot(robot_config('workerbot'))
    safe = np.concatenate((STRETCHED, MIRRORED * STRETCHED))
    figure = Figure(figsize=(9, 4), layout='constrained')
    poses = (('home, before a beam', model.home), ('arms stretched out', safe))
    for axes, (title, q) in zip(figure.subplots(1, 2), poses, strict=True):
        axes.imshow(picture(model.urdf, model.joint_names, q, EYE, TARGET))
        axes.set_title(title)
        axes.axis('off')
    figure.savefig(IMAGES / 'workerbot.png', dpi=90)


if __name__ == '__main__':
    main()
