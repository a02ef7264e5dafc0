"""How hard a hand has to pull that leads a tip: a job of the study of hand guiding."""

from __future__ import annotations

from itertools import product

import msgspec
import numpy as np

from simloop_ros.core.values import Array
from simloop_ros.plants.config import Hand, LinePath
from simloop_ros.scenario.loading import load_scenario

from .guiding_robots import TIPS, real, with_hand
from .guiding_run import lead

SPEED = 0.1
"""Of the hand [m/s]."""
STIFFNESS, DAMPING = 1000.0, 50.0
"""Of the hand [N/m], [N s/m]."""
STRONG = 200.0
"""Largest force of the hand [N]: it never lets the robot go."""
START, RISE, END = 0.1, 0.3, 2.0
"""Times of the grip, until it has its speed, and of the end [s]."""
STEADY = 1.0
"""Time from which the hand counts as steady [s]."""
DIRECTIONS = tuple(
    tuple(np.array(way) / np.linalg.norm(way))
    for way in product((-1.0, 0.0, 1.0), repeat=3)
    if np.abs(way).sum() in (1.0, 3.0)
)
"""Along the axes of the world and its diagonals."""


class Pull(msgspec.Struct, frozen=True):
    """A hand that leads a tip along a line.

    :ivar direction: unit vector in world axes, shape ``(3,)``.
    :ivar force: mean size of its force while it is steady [N].
    :ivar peak: the largest then [N].
    :ivar completed: whether the robot did not diverge.
    """

    direction: Array
    force: float
    peak: float
    completed: bool


def pull(robot: str, is_real: bool, direction: tuple[float, float, float]) -> Pull:
    """Return the force of a hand that leads the tip of a robot at constant speed.

    :param is_real: whether the robot is heavier than its model, with friction and encoders.
    """
    name, link = TIPS[robot]
    settings = [*(real(robot) if is_real else ()), f'duration={END}']
    x, y, z = (SPEED * float(part) for part in direction)
    hand = Hand(
        link=link,
        stiffness=STIFFNESS,
        damping=DAMPING,
        max_force=STRONG,
        start=START,
        path=LinePath((x, y, z), RISE),
    )
    run = lead(with_hand(load_scenario(name, settings), hand))
    sizes = np.linalg.norm(run.force[round(STEADY / run.period) :, 0], axis=1)
    if len(sizes) == 0:
        return Pull(np.array(direction), np.inf, np.inf, False)
    return Pull(np.array(direction), float(sizes.mean()), float(sizes.max()), run.completed)
