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


def payload_parameters(model: RobotModel, payload: Payload) -> Array:
    """Return its ten inertial parameters at the joint that moves it, as Pinocchio has them."""
    xx, xy, xz, yy, yz, zz = payload.inertia
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    body = pin.Inertia(payload.mass, np.array(payload.centre), tensor)
    placement = model.pin_model.frames[model.frame(carrying_tip(model, payload))].placement
    parameters: Array = placement.act(body).toDynamicParameters()
    return parameters


def with_payload(model: RobotModel, payload: Payload) -> RobotModel:
    """Return the robot with a payload as a further link of its description."""
    if payload.mass == 0.0:
        return model
    tip = carrying_tip(model, payload)
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
    total_mass = model.total_mass + payload.mass
    return replace(model, urdf=urdf, pin_model=pin_model, total_mass=total_mass)
