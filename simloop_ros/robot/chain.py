"""The joints that move a tip, and their tree; counted from 0, in the order of joint arrays."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError, UnknownNameError
from ..core.values import Array
from .model import RobotModel


class Chain(msgspec.Struct, frozen=True):
    """The joints between the base and a tip, with all joints of the robot at zero.

    :ivar joints: indices into the robot's joint arrays, from the base to the tip.
    :ivar axes: directions in the world, of length 1, shape ``(k, 3)``.
    :ivar points: a point of each axis in the world [m], shape ``(k, 3)``; of no meaning where the
        joint slides.
    :ivar slides: whether a joint is prismatic, shape ``(k,)``.
    """

    joints: tuple[int, ...]
    axes: Array
    points: Array
    slides: tuple[bool, ...]
    tip: pin.SE3


def chain_to(model: RobotModel, tip: str) -> Chain:
    """Return the chain from the base to a link.

    :raises ConfigError: the robot has no link of this name, or no joint moves it.
    """
    if tip not in model.links:
        raise UnknownNameError('tip', str(tip), model.links)
    pin_model = model.pin_model
    frame, data = model.frame(tip), pin_model.createData()
    pin.computeJointJacobians(pin_model, data, np.zeros(model.n))
    pin.updateFramePlacements(pin_model, data)
    joints = [joint - 1 for joint in pin_model.supports[pin_model.frames[frame].parentJoint]][1:]
    if not joints:
        raise ConfigError(f'no joint moves {tip!r}: choose a tip that moves')
    columns = data.J.reshape(6, -1)[:, joints]
    slides = tuple(bool(np.all(column[3:] == 0.0)) for column in columns.T)
    axes = [
        column[:3] if slide else column[3:]
        for column, slide in zip(columns.T, slides, strict=True)
    ]
    # The velocity at the world's origin of a turn about an axis through p is p x axis.
    points = [np.cross(column[3:], column[:3]) for column in columns.T]
    return Chain(
        joints=tuple(int(joint) for joint in joints),
        axes=np.array(axes).reshape(-1, 3),
        points=np.array(points).reshape(-1, 3),
        slides=slides,
        tip=data.oMf[frame].copy(),
    )


def own_joints(model: RobotModel, tip: str) -> list[int]:
    """Return the joints that move a tip and no other one, from the base to the tip.

    :raises ConfigError: the robot has no link of this name, or no joint moves a tip.
    """
    others = {
        joint for name in model.tips if name != tip for joint in chain_to(model, name).joints
    }
    return [joint for joint in chain_to(model, tip).joints if joint not in others]


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
