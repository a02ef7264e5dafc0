"""Poses of the hands, and the axes of the object they hold."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel

Quaternion = tuple[float, float, float, float]


class HandPoses(msgspec.Struct, frozen=True, gc=False):
    """Poses of the tips in the world.

    :ivar position: [m], shape ``(hands, 3)``.
    :ivar rotation: from tip to world, shape ``(hands, 3, 3)``.
    """

    position: Array
    rotation: Array


class HandFinder:
    """Forward kinematics of the hands.

    :param model: each of its ``tips`` is a hand.
    """

    def __init__(self, model: RobotModel):
        self._model = model.pin_model
        self._data = self._model.createData()
        self._frames = model.tip_frames

    def __call__(self, q: Array) -> HandPoses:
        """Return the hands at joints ``q`` [rad], shape ``(n,)``."""
        pin.forwardKinematics(self._model, self._data, q)
        count = len(self._frames)
        position, rotation = np.empty((count, 3)), np.empty((count, 3, 3))
        for i, frame in enumerate(self._frames):
            pose = pin.updateFramePlacement(self._model, self._data, frame)
            position[i] = pose.translation
            rotation[i] = pose.rotation
        return HandPoses(position, rotation)


def mean_rotation(rotations: Array) -> Array:
    """Return the mean rotation, shape ``(3, 3)``; of two, half way from one to the other.

    The quaternions are added, each with the sign that is nearer to the first, so that the sum is
    never zero; where several rotations are close, this is their mean up to third order.

    :param rotations: shape ``(hands, 3, 3)``.
    """
    first, *others = map(_quaternion, rotations.tolist())
    a, b, c, d = w, x, y, z = first
    for e, f, g, h in others:
        sign = math.copysign(1.0, a * e + b * f + c * g + d * h)
        w, x, y, z = w + sign * e, x + sign * f, y + sign * g, z + sign * h
    k = 2.0 / (w * w + x * x + y * y + z * z)
    return np.array(
        [
            [1.0 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y)],
            [k * (x * y + w * z), 1.0 - k * (x * x + z * z), k * (y * z - w * x)],
            [k * (x * z - w * y), k * (y * z + w * x), 1.0 - k * (x * x + y * y)],
        ]
    )


def _quaternion(rows: list[list[float]]) -> Quaternion:
    """Return ``w, x, y, z`` of a rotation; the largest of them is found first, by a root."""
    (a, b, c), (d, e, f), (g, h, i) = rows
    trace = a + e + i
    if trace > 0.0:
        r = math.sqrt(1.0 + trace)
        k = 0.5 / r
        return 0.5 * r, k * (h - f), k * (c - g), k * (d - b)
    if a >= e and a >= i:
        r = math.sqrt(1.0 + a - e - i)
        k = 0.5 / r
        return k * (h - f), 0.5 * r, k * (b + d), k * (c + g)
    if e >= i:
        r = math.sqrt(1.0 - a + e - i)
        k = 0.5 / r
        return k * (c - g), k * (b + d), 0.5 * r, k * (f + h)
    r = math.sqrt(1.0 - a - e + i)
    k = 0.5 / r
    return k * (d - b), k * (c + g), k * (f + h), 0.5 * r
