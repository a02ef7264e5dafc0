"""Poses at which a led robot rested."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..core.values import Array
from ..robot.model import RobotModel
from .nearness import marked

SAME_POSE = 0.01
"""Distance below which two rests, one after the other, are one [m]: the robot only settled."""


@dataclass(frozen=True)
class RestPose:
    """A pose at which the robot rested.

    :ivar begin: of the rest, and ``end`` [s].
    :ivar position: at its end [rad], shape ``(n,)``.
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
    :param rest: shortest rest [s]; the mean over its last such time is the pose.
    :param radius: distance within which it is at rest [m], see ``marked``.
    """
    places = marked(model, positions)
    found: list[RestPose] = []
    begin = 0
    while begin < len(time):
        away = np.linalg.norm(places[begin:] - places[begin], axis=1) > radius
        end = begin + (int(np.argmax(away)) if away.any() else len(away))
        if time[end - 1] - time[begin] < rest:
            begin += 1
            continue
        last = slice(int(np.searchsorted(time, time[end - 1] - rest)), end)
        pose = RestPose(float(time[begin]), float(time[end - 1]), positions[last].mean(axis=0))
        if found and _apart(model, found[-1], pose) < SAME_POSE:
            pose = replace(pose, begin=found.pop().begin)
        found.append(pose)
        begin = end
    return tuple(found)


def _apart(model: RobotModel, one: RestPose, other: RestPose) -> float:
    places = marked(model, np.stack((one.position, other.position)))
    return float(np.linalg.norm(places[1] - places[0]))
