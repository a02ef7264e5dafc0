"""The robot as a tree of joints; joints are counted from 0, in the order of joint arrays."""

from __future__ import annotations

import pinocchio as pin

from .model import RobotModel


def chain(model: RobotModel, joint: int) -> list[int]:
    """Return the joints from one to the base, the outermost first."""
    return [index - 1 for index in reversed(model.pin_model.supports[joint + 1][1:])]


def leaves(model: RobotModel) -> list[int]:
    """Return the last joint of each chain."""
    return [joint for joint in range(model.n) if len(model.pin_model.subtrees[joint + 1]) == 1]


def carried_link(model: RobotModel, joint: int) -> str:
    """Return the name of the first link that a joint carries."""
    return next(
        str(frame.name)
        for frame in model.pin_model.frames
        if frame.parentJoint == joint + 1 and frame.type == pin.FrameType.BODY
    )
