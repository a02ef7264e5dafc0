"""Where a hand touches the robot, and with which torque."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.values import Array
from ..robot.model import RobotModel


class HandTouch(msgspec.Struct, frozen=True, gc=False):
    """What is left of an external torque beyond the dead zone.

    :ivar torque: shrunk by the dead zone [N m], shape ``(n,)``.
    :ivar joints: which joints count as touched, shape ``(n,)``; none if no joint does.
    """

    torque: Array
    joints: np.ndarray | None


class DeadZone:
    """Torques that are no touch, and the joints that a touch concerns.

    ::

        torque = tau - min(max(tau, -w), w)        w: dead zone

    continuous, so that nothing jumps at the edge; 0 inside. Joints that are ``together`` are
    touched together. A hand on link 6 has no lever about some of the joints below it, and that
    changes while it guides the robot. If each joint softened by itself, the arm would give way in
    some directions only, and a joint would stiffen in mid-motion where its lever passes zero.
    Together all joints keep the ratio of their parameters, so that the arm gets softer but gives
    way in the same direction; a joint without torque gets soft as well, but nothing moves it.

    :param width: the dead zone [N m], shape ``(n,)``.
    :param together: which joints (columns) concern which (rows), shape ``(n, n)``.
    """

    def __init__(self, width: Array, together: np.ndarray):
        self._width = width
        self._negative = -width
        self._together = together

    def __call__(self, torque: Array) -> HandTouch:
        """Return the touch of a torque [N m], shape ``(n,)``."""
        beyond = torque - np.minimum(np.maximum(torque, self._negative), self._width)
        outside = beyond != 0.0
        if not outside.any():
            return HandTouch(beyond, None)
        return HandTouch(beyond, self._together.dot(outside))


def arms(model: RobotModel) -> np.ndarray:
    """Return which joints are of the same arm, shape ``(n, n)``.

    Two joints are, if they hang on the same joint of those that are fixed to the base.
    """
    roots = np.array([support[1] for support in model.pin_model.supports[1:]])
    return roots[:, None] == roots[None, :]
