"""Make the picture of a led and a repeated path.

``PYTHONPATH=benchmarks:examples python docs/make_teach_picture.py``, or ``make pictures``.
"""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
import numpy as np
from teach_and_repeat import NOISE, lead, path_distance, path_task, play

from simloop_ros.report.tip_figures import ACTUAL_STYLE, DESIRED_STYLE
from simloop_ros.robot.model import link_positions

IMAGE = Path(__file__).parent / 'images' / 'teach.png'
PLANES = ((1, 2), (0, 2))
"""Pairs of world axes that are drawn."""


def main() -> None:
    """Let a hand lead the LWR, repeat it with 10 % more mass, and draw both."""
    led = lead(NOISE)
    path, task = path_task(led)
    played = play(task, led.model, NOISE, 'plant.mass_bias=0.1')
    shown, again, points = (
        link_positions(led.model.pin_model, led.model.tips[0], q)
        for q in (led.true, played.true, path.rows)
    )
    apart = 1e3 * path_distance(led, path, played)
    figure = Figure(figsize=(9, 4.4), layout='constrained')
    for axes, (across, up) in zip(figure.subplots(1, 2), PLANES, strict=True):
        axes.plot(shown[:, across], shown[:, up], **{**DESIRED_STYLE, 'label': 'led by hand'})
        axes.plot(again[:, across], again[:, up], **{**ACTUAL_STYLE, 'label': 'repeated'})
        axes.plot(points[:, across], points[:, up], 'k.', ms=4, label='way points of the task')
        axes.set_xlabel(f'{"xyz"[across]} [m]')
        axes.set_ylabel(f'{"xyz"[up]} [m]')
        axes.set_aspect('equal', adjustable='datalim')
        axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    figure.suptitle(
        f'Path of the flange, {np.ptp(led.time):.0f} s led: repeated by a robot that is 10 % '
        f'heavier, at most {apart:.2f} mm apart'
    )
    figure.savefig(IMAGE, dpi=90)


if __name__ == '__main__':
    main()
