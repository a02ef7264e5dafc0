"""How far two postures are from each other, as a hand sees it."""

from __future__ import annotations

import numpy as np

from ..core.values import Array
from ..robot.model import RobotModel, link_positions

LEVER = 0.1
"""Weight of a joint beside the tips [m/rad]: it keeps the attitude of the tip and the elbow."""
TINY = 1e-300
"""Stands for the square of the length of a span without length."""


def marked(model: RobotModel, positions: Array) -> Array:
    """Return coordinates whose distances are those of postures [m], shape ``(m, 3 tips + n)``.

    ::

        |x(a) - x(b)|^2 = sum over the tips |p_a - p_b|^2 + (LEVER |q_a - q_b|)^2

    :param positions: joints [rad], shape ``(m, n)``.
    """
    tips = [link_positions(model.pin_model, tip, positions) for tip in model.tips]
    return np.hstack([*tips, LEVER * positions])


def tip_distance(model: RobotModel, points: Array, path: Array) -> float:
    """Return the largest distance of the tips at some postures from their paths [m].

    Of each tip and posture to the nearest place on the path, wherever in time that is.

    :param points: joints [rad], shape ``(m, n)``.
    :param path: joints along the path [rad], close together, shape ``(k, n)``.
    """
    apart = [
        distances(*(link_positions(model.pin_model, tip, q) for q in (points, path))).max()
        for tip in model.tips
    ]
    return float(max(apart, default=0.0))


def distances(points: Array, path: Array) -> Array:
    """Return the distance of each point from the nearest place on a path, shape ``(m,)``.

    :param points: shape ``(m, d)``.
    :param path: corners of a polygon, shape ``(k, d)``, ``k`` at least 2.
    """
    from scipy.spatial import cKDTree  # here, as it takes a while to import

    _, nearest = cKDTree(path).query(points)
    apart = []
    for side in (-1, 0):  # of the two spans at the nearest corner
        span = np.clip(nearest + side, 0, len(path) - 2)
        begin, along = path[span], path[span + 1] - path[span]
        length = np.maximum(np.sum(along**2, axis=1), TINY)
        share = np.clip(np.sum((points - begin) * along, axis=1) / length, 0.0, 1.0)
        apart.append(np.linalg.norm(points - begin - share[:, None] * along, axis=1))
    return np.asarray(np.minimum(*apart))
