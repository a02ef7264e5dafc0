"""Poses at which a led robot rested."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.values import Array
from ..robot.model import RobotModel
from .nearness import marked


@dataclass(frozen=True)
class RestPose:
    """A pose at which the robot rested.

    :ivar begin: of the rest, and ``end`` [s].
    :ivar position: its mean [rad], shape ``(n,)``.
    """

    begin: float
    end: float
    position: Array


def rest_poses(
    model: RobotModel, time: Array, positions: Array, rest: float, radius: float
) -> tuple[RestPose, ...]:
    """Return the poses at which a robot rested for some time, in the order of time.

    :param time: of the rows, growing [s], shape ``(m,)``.
    :param positions: joints [rad], shape ``(m, n)``.
    :param rest: shortest rest [s].
    :param radius: distance within which it is at rest [m], see ``marked``.
    """
    places = marked(model, positions)
    found: list[RestPose] = []
    begin = 0
    while begin < len(time):
        away = np.linalg.norm(places[begin:] - places[begin], axis=1) > radius
        end = begin + (int(np.argmax(away)) if away.any() else len(away))
        if time[end - 1] - time[begin] >= rest:
            mean = positions[begin:end].mean(axis=0)
            found.append(RestPose(float(time[begin]), float(time[end - 1]), mean))
            begin = end
        else:
            begin += 1
    return tuple(found)
