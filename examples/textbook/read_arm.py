"""The textbook arm out of a robot model."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from simloop_ros.core.errors import ModelError
from simloop_ros.robot.model import RobotModel

from .two_link import TwoLinkArm

LAX = 1e-6
"""What a URDF may be off by [m or rad]: angles are often given to six digits."""


def read_arm(model: RobotModel) -> TwoLinkArm:
    """Return the numbers of a two-link arm in the vertical x-z plane, as Pinocchio has them.

    Both joints turn about ``-y``, so that positive lifts, and at zero both links lie along ``x``:
    ``robot=two_link``, or another URDF that is built like it.

    :raises ModelError: the robot is another one; says in what.
    """
    pin_model = model.pin_model
    if model.n != 2 or pin_model.parents[2] != 1:
        raise ModelError(
            f'{model.name}: a two-link arm has two joints, one behind the other; '
            f'this robot has {", ".join(model.joint_names)}'
        )
    data = pin_model.createData()
    for i in (1, 2):
        name, inertia = model.joint_names[i - 1], pin_model.inertias[i]
        place = pin_model.jointPlacements[i]
        axis = pin.computeJointJacobian(pin_model, data, np.zeros(2), i)[3:, i - 1]
        _demand(model, f'the axis of {name}', axis, np.array([0.0, -1.0, 0.0]))
        _demand(model, f'rpy of {name}', pin.log3(place.rotation), np.zeros(3))
        _demand(model, f'z of the link that {name} moves', inertia.lever[2:], np.zeros(1))
    elbow = pin_model.jointPlacements[2].translation
    _demand(model, f'z of {model.joint_names[1]}', elbow[2:], np.zeros(1))
    _demand(model, 'gravity along x', model.gravity[:1], np.zeros(1))
    first, second = pin_model.inertias[1], pin_model.inertias[2]
    return TwoLinkArm(
        m1=float(first.mass),
        m2=float(second.mass),
        l1=float(elbow[0]),
        c1=float(first.lever[0]),
        c2=float(second.lever[0]),
        I1=float(first.inertia[1, 1]),
        I2=float(second.inertia[1, 1]),
        g=-float(model.gravity[2]),
    )


def _demand(model: RobotModel, what: str, found: np.ndarray, needed: np.ndarray) -> None:
    if not np.allclose(found, needed, rtol=0.0, atol=LAX):
        raise ModelError(
            f'{model.name}: {what} is {np.array2string(found, precision=6)}, the closed forms '
            f'need {needed}: describe the arm as urdf/two_link.urdf does'
        )
