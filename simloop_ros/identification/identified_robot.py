"""An identified robot as files: a description with other inertias, and its friction."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import msgspec
import numpy as np
import pinocchio as pin

from ..collision.explanation import Explanation
from ..core.values import Array
from ..robot.chain import carried_link
from ..robot.config import JointFrictionConfig, RobotConfig
from ..robot.model import RobotModel
from ..robot.payload import AXES
from ..robot.urdf import parse_description, resolve_meshes
from .pseudo_inertia import is_consistent


def identified_urdf(model: RobotModel, config: RobotConfig, explanation: Explanation) -> str:
    """Return the robot's description with the identified inertias, and its meshes' full paths.

    What a joint carries is often several links with fixed joints between them. The first link
    gets what was found less the others; where no body could have that, it gets all of it and the
    others nothing. The torque of a body is the same either way.
    """
    assert model.description is not None
    root = parse_description(model.description)
    resolve_meshes(root, model.description, config.packages)
    links = {link.get('name', ''): link for link in root.findall('link')}
    joints = {joint.get('name', ''): joint for joint in root.findall('joint')}
    for joint, parameters in enumerate(explanation.inertias):
        first = carried_link(model, joint)
        others = [name for name in _links_on(model, joint) if name != first and name in links]
        rest = np.array(parameters) - sum(
            (_parameters(model, name, links[name]) for name in others), np.zeros(10)
        )
        if not is_consistent(rest):
            rest = np.array(parameters)
            for name in others:
                _remove(links[name], 'inertial')
        _set_inertial(links[first], rest)
        _remove(joints[model.joint_names[joint]], 'dynamics')
        ET.SubElement(
            joints[model.joint_names[joint]],
            'dynamics',
            damping=repr(explanation.viscous[joint]),
            friction=repr(explanation.coulomb[joint]),
        )
    ET.indent(root)
    return ET.tostring(root, encoding='unicode')


def identified_config(
    model: RobotModel, config: RobotConfig, explanation: Explanation, urdf: str
) -> RobotConfig:
    """Return the robot of a scenario with a new description and the identified friction."""
    named = {
        name: JointFrictionConfig(
            coulomb=explanation.coulomb[i],
            smoothing=explanation.smoothing[i],
            viscous=explanation.viscous[i],
            offset=explanation.offset[i],
            asymmetry=explanation.asymmetry[i] if explanation.asymmetry else 0.0,
            stribeck=explanation.stribeck[i] if explanation.stribeck else 0.0,
            fading=explanation.fading[i] if explanation.fading else 1.0,
            armature=explanation.armature[i],
        )
        for i, name in enumerate(model.joint_names)
    }
    return msgspec.structs.replace(config, urdf=urdf, friction=named, packages=())


def _links_on(model: RobotModel, joint: int) -> list[str]:
    return [
        str(frame.name)
        for frame in model.pin_model.frames
        if frame.parentJoint == joint + 1 and frame.type == pin.FrameType.BODY
    ]


def _parameters(model: RobotModel, name: str, link: ET.Element) -> Array:
    """Return the inertial parameters of a link at the joint that carries it, shape ``(10,)``."""
    inertial = link.find('inertial')
    mass = None if inertial is None else inertial.find('mass')
    if inertial is None or mass is None or float(mass.get('value', 0.0)) == 0.0:
        return np.zeros(10)
    tensor, origin = inertial.find('inertia'), inertial.find('origin')
    given = {} if tensor is None else tensor.attrib
    xx, xy, xz, yy, yz, zz = (float(given.get(key, 0.0)) for key in AXES)
    pose = {} if origin is None else origin.attrib
    place, turn = (
        np.array([float(number) for number in pose.get(key, '0 0 0').split()])
        for key in ('xyz', 'rpy')
    )
    own = pin.Inertia(
        float(mass.get('value', 0.0)),
        np.zeros(3),
        np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]),
    )
    in_link = pin.SE3(pin.rpy.rpyToMatrix(turn), place)
    placement = model.pin_model.frames[model.frame(name)].placement
    parameters: Array = (placement * in_link).act(own).toDynamicParameters()
    return parameters


def _set_inertial(link: ET.Element, parameters: Array) -> None:
    body = pin.Inertia.FromDynamicParameters(parameters)
    _remove(link, 'inertial')
    inertial = ET.SubElement(link, 'inertial')
    centre = ' '.join(repr(float(value)) for value in body.lever)
    ET.SubElement(inertial, 'origin', xyz=centre, rpy='0 0 0')
    ET.SubElement(inertial, 'mass', value=repr(float(body.mass)))
    rows, columns = np.triu_indices(3)
    values = (repr(float(value)) for value in body.inertia[rows, columns])
    ET.SubElement(inertial, 'inertia', dict(zip(AXES, values, strict=True)))


def _remove(element: ET.Element, tag: str) -> None:
    for child in element.findall(tag):
        element.remove(child)
