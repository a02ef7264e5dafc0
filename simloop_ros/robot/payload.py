"""A mass that is fixed to a link."""

from __future__ import annotations

from dataclasses import replace
import xml.etree.ElementTree as ET

from .model import RobotModel
from .urdf import kinematic_tree

PAYLOAD = 'payload'
"""Name of the link of a payload, and of its joint."""


def with_payload(model: RobotModel, mass: float, link: str) -> RobotModel:
    """Return the robot with a point mass [kg] at the origin of a link's frame."""
    if mass == 0.0:
        return model
    root = ET.fromstring(model.urdf)
    body = ET.SubElement(root, 'link', name=PAYLOAD)
    inertial = ET.SubElement(body, 'inertial')
    ET.SubElement(inertial, 'mass', value=repr(mass))
    zero = dict.fromkeys(('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'), '0')
    ET.SubElement(inertial, 'inertia', zero)
    joint = ET.SubElement(root, 'joint', name=f'{PAYLOAD}_joint', type='fixed')
    ET.SubElement(joint, 'parent', link=link)
    ET.SubElement(joint, 'child', link=PAYLOAD)
    urdf = ET.tostring(root, encoding='unicode')
    pin_model = kinematic_tree(urdf)
    pin_model.gravity.linear = model.pin_model.gravity.linear
    return replace(model, urdf=urdf, pin_model=pin_model, total_mass=model.total_mass + mass)
