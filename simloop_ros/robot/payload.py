"""A body that is fixed to a link."""

from __future__ import annotations

from dataclasses import replace
import xml.etree.ElementTree as ET

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array
from .config import Payload
from .model import RobotModel
from .urdf import kinematic_tree

PAYLOAD = 'payload'
"""Name of the link of a payload; further ones have a number behind it."""
FARTHEST = 5.0
"""Distance from the tip that nothing of a payload exceeds [m]."""
ROUNDING = 1e-6
"""Error of an inertia that was written with few digits, as a share."""
AXES = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')


def carrying_tip(model: RobotModel, payload: Payload) -> str:
    """Return the link that holds a payload.

    :raises ConfigError: it names none, and the robot has no tip; or there is no such link.
    """
    if not payload.tip and not model.tips:
        raise ConfigError('robot.payloads: the robot has no tip; give the payload one')
    tip = payload.tip or model.tips[0]
    model.frame(tip)
    return tip


def inertia_tensor(payload: Payload) -> Array:
    """Return its inertia about its centre [kg m^2], shape ``(3, 3)``.

    :raises ConfigError: no body within ``FARTHEST`` of the tip has such a centre and inertia.
    """
    xx, xy, xz, yy, yz, zz = payload.inertia
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if not np.abs(payload.centre).max() <= FARTHEST:
        raise ConfigError(
            f'payload: its centre is {list(payload.centre)} m from the tip; {FARTHEST:g} m at '
            'most are possible'
        )
    largest = payload.mass * FARTHEST**2
    if not np.abs(tensor).max() <= largest:
        raise ConfigError(
            f'payload: its inertia is {list(payload.inertia)} kg m^2; of {payload.mass:g} kg '
            f'{largest:g} at most are possible'
        )
    moments = np.linalg.eigvalsh(tensor)  # in ascending order
    error = ROUNDING * moments[2]
    if moments[0] < -error or moments[0] + moments[1] < moments[2] - error:
        raise ConfigError(
            f'payload: its inertia is {list(payload.inertia)} kg m^2, which no body has: its '
            f'principal moments are {np.round(moments, 6).tolist()}; give xx, xy, xz, yy, yz, zz'
        )
    return tensor


def payload_parameters(model: RobotModel, payload: Payload) -> Array:
    """Return its ten inertial parameters at the joint that moves it, as Pinocchio has them."""
    body = pin.Inertia(payload.mass, np.array(payload.centre), inertia_tensor(payload))
    placement = model.pin_model.frames[model.frame(carrying_tip(model, payload))].placement
    parameters: Array = placement.act(body).toDynamicParameters()
    return parameters


def with_payload(model: RobotModel, payload: Payload) -> RobotModel:
    """Return the robot with a payload as a further link of its description."""
    if payload.mass == 0.0:
        return model
    tip, _ = carrying_tip(model, payload), inertia_tensor(payload)
    number = sum(link.startswith(PAYLOAD) for link in model.links)
    name = f'{PAYLOAD}_{number + 1}' if number else PAYLOAD
    root = ET.fromstring(model.urdf)
    inertial = ET.SubElement(ET.SubElement(root, 'link', name=name), 'inertial')
    ET.SubElement(inertial, 'origin', xyz=' '.join(map(repr, payload.centre)))
    ET.SubElement(inertial, 'mass', value=repr(payload.mass))
    ET.SubElement(inertial, 'inertia', dict(zip(AXES, map(repr, payload.inertia), strict=True)))
    joint = ET.SubElement(root, 'joint', name=f'{name}_joint', type='fixed')
    ET.SubElement(joint, 'parent', link=tip)
    ET.SubElement(joint, 'child', link=name)
    urdf = ET.tostring(root, encoding='unicode')
    pin_model = kinematic_tree(urdf)
    pin_model.gravity.linear = model.pin_model.gravity.linear
    pin_model.armature = model.pin_model.armature
    total_mass = model.total_mass + payload.mass
    return replace(model, urdf=urdf, pin_model=pin_model, total_mass=total_mass)
