"""Where a hand touches the robot, how far its joints reach, and the torque of the touch."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.values import Array
from ..robot.model import RobotModel

LEAST_REACH = 0.3
"""Least reach of a revolute joint [m]: that of a hand on a tool."""
PRISMATIC_REACH = 1.0
"""Reach of a prismatic joint [m]: it moves what it carries as far as itself."""


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


def reaches(model: RobotModel) -> Array:
    """Return the reach of each joint [m], shape ``(n,)``: its lever with everything stretched out.

    The length of the chain from the joint to the farthest tip or joint that it carries. The lever
    of a hand about the joint is no longer than that, whatever the posture.
    """
    pin_model = model.pin_model
    beyond = np.zeros(pin_model.njoints)
    for index in model.tip_frames:
        frame = pin_model.frames[index]
        joint = frame.parentJoint
        beyond[joint] = max(beyond[joint], float(np.linalg.norm(frame.placement.translation)))
    for joint in range(pin_model.njoints - 1, 0, -1):
        parent = pin_model.parents[joint]
        step = float(np.linalg.norm(pin_model.jointPlacements[joint].translation))
        beyond[parent] = max(beyond[parent], step + beyond[joint])
    slides = [unit == 'm' for unit in model.joint_units]
    return np.where(slides, PRISMATIC_REACH, np.maximum(beyond[1:], LEAST_REACH))
