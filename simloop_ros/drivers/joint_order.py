"""The joints of a driver and those of the model."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..core.errors import ConfigError
from ..core.values import Array
from ..robot.model import RobotModel
from .config import DriverContract


def command_joints(joints: tuple[str, ...], model: RobotModel) -> tuple[str, ...]:
    """Return the joints of the model in the order of a driver's commands.

    :param joints: of the driver; none if they are those of the model, in its order.
    :raises ConfigError: the two do not have the same joints.
    """
    if not joints:
        return model.joint_names
    missing = [name for name in joints if name not in model.joint_names]
    further = [name for name in model.joint_names if name not in joints]
    if missing:
        raise ConfigError(
            f'joints: the driver has {missing[0]}, the model {", ".join(further) or "has not"}; '
            "take the URDF of the driver's own description, or set prefix or joints of the driver"
        )
    if further:
        raise ConfigError(
            f'joints: the model also has {", ".join(further)}, of which the driver takes no '
            'command; hold them with robot.lock'
        )
    return joints


def command_order(joints: tuple[str, ...], model: RobotModel) -> list[int]:
    """Return the place in the model of each joint of a command; raises as ``command_joints``."""
    return [model.joint_names.index(name) for name in command_joints(joints, model)]


def by_joint(
    contract: DriverContract, model: RobotModel, given: Mapping[str, float], default: Array
) -> Array:
    """Return values that a contract gives by joint, or the default ones, shape ``(n,)``."""
    names = model.joint_names
    found = [given.get(contract.short_name(name), default[i]) for i, name in enumerate(names)]
    return np.array(found)
