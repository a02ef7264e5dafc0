"""Joints with a spring between motor and link: 001, section 3.2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..core.errors import ConfigError, UnknownNameError
from ..core.values import Array
from .config import FlexibleJointsConfig


@dataclass(frozen=True)
class FlexibleJoints:
    """Motor and spring of each joint, at the link side; every array has shape ``(n,)``.

    :ivar motor_inertia: ``J_m`` [kg m^2].
    :ivar stiffness: ``K_m`` [N m/rad].
    :ivar damping: ``D`` [N m s/rad].
    """

    motor_inertia: Array
    stiffness: Array
    damping: Array


def flexible_joints(
    config: FlexibleJointsConfig, names: Sequence[str], lock: Sequence[str] = ()
) -> FlexibleJoints | None:
    """Return the values in the order of the joints, or none if none are given.

    The damping of a joint is ``D = 2 ratio sqrt(K_m J_m)``.

    :param lock: joints that may be named and are not part of the robot.
    :raises ConfigError: a value is missing, or of a joint that the robot has not.
    """
    if config == FlexibleJointsConfig():
        return None
    if config.damping_ratio is None:
        raise ConfigError('robot.flexible_joints.damping_ratio: not given')
    inertia, stiffness = (
        _by_joint(key, given, names, lock)
        for key, given in (
            ('motor_inertia', config.motor_inertia),
            ('stiffness', config.stiffness),
        )
    )
    damping = 2.0 * config.damping_ratio * np.sqrt(stiffness * inertia)
    return FlexibleJoints(inertia, stiffness, damping)


def _by_joint(
    key: str, given: dict[str, float], names: Sequence[str], lock: Sequence[str]
) -> Array:
    for name in given:
        if name not in names and name not in lock:
            raise UnknownNameError(f'joint in robot.flexible_joints.{key}', name, names)
    missing = [name for name in names if name not in given]
    if missing:
        raise ConfigError(f'robot.flexible_joints.{key}: not given for {", ".join(missing)}')
    return np.array([given[name] for name in names])
