"""What the configuration of an admittance means for the joints of a robot."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ..core.errors import ConfigError, UnknownNameError
from ..core.values import Array
from ..maths.discretisation import Parameters
from .config import AdmittanceConfig


class Compliance(msgspec.Struct, frozen=True):
    """A configuration as arrays in the order of the robot's joints, shape ``(n,)`` each.

    :ivar free: mass, damping and stiffness while nobody touches the robot.
    :ivar touched: the same while somebody does.
    :ivar dead_zone: external torque that counts as none [N m].
    """

    free: Parameters
    touched: Parameters
    dead_zone: Array


def compliance(
    config: AdmittanceConfig,
    joint_names: Sequence[str],
    reach: Array | None = None,
    torque_error: Array | None = None,
) -> Compliance:
    """Return what a configuration means for the joints of a robot.

    :param reach: of each joint [m], shape ``(n,)``; 1 m where none is given.
    :param torque_error: error of the estimated torque [N m], shape ``(n,)``.
    :raises UnknownNameError: an exception is given for a joint that the robot does not have.
    :raises ConfigError: the dead zone is left to a calibration that is not there.
    """
    for name in config.joints:
        if name not in joint_names:
            raise UnknownNameError('joint in admittance.joints', name, joint_names)
    size = np.ones(len(joint_names)) if reach is None or not config.by_reach else reach

    def column(field: str, usual: Array) -> Array:
        own = (getattr(config.joints.get(name), field, None) for name in joint_names)
        return np.array([x if y is None else y for x, y in zip(usual, own, strict=True)])

    if config.dead_zone is not None:
        dead_zone = config.dead_zone * size
    elif torque_error is not None:
        dead_zone = torque_error
    else:
        raise ConfigError(
            'admittance.dead_zone: none is given, and no calibration to take it from; give '
            'monitor.calibration a file of simloop calibrate, or a number'
        )
    dead_zone = column('dead_zone', dead_zone)
    free = Parameters(
        column('mass', config.mass * size**2),
        column('damping', config.damping * size**2),
        column('stiffness', config.stiffness * size**2),
    )
    if not config.adapt:
        return Compliance(free, free, dead_zone)
    touched = Parameters(
        free.mass, config.touched_damping * free.damping, config.touched_stiffness * free.stiffness
    )
    return Compliance(free, touched, dead_zone)
