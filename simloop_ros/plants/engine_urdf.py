"""A robot's description as a physics engine should read it."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pinocchio as pin

DIAGONAL = ('ixx', 'iyy', 'izz')
OFF_DIAGONAL = ('ixy', 'ixz', 'iyz')


def engine_urdf(urdf: str, *, collision: bool) -> ET.Element:
    """Return the description with what a rigid, frictionless, unbounded arm has, and no more.

    Engines fill in what a URDF leaves out, and read what Pinocchio leaves out: a link without
    inertia weighs 1 kg in one of them, a joint's damping and ends act in all of them. Here every
    link has its inertia, along principal axes because an engine turns a full tensor with its own,
    coarser tolerance, and joints have neither ends, dynamics nor followers.

    :param collision: whether the links keep their collision shapes.
    """
    root = ET.fromstring(urdf)
    for link in root.findall('link'):
        _remove(link, 'visual', *(() if collision else ('collision',)))
        inertial = link.find('inertial')
        if inertial is None:
            inertial = ET.SubElement(link, 'inertial')
            ET.SubElement(inertial, 'mass', value='0')
        _turn_to_principal_axes(inertial)
    for joint in root.findall('joint'):
        _remove(joint, 'limit', 'dynamics', 'mimic', 'safety_controller', 'calibration')
        if joint.get('type') == 'revolute':
            joint.set('type', 'continuous')
    return root


def _remove(element: ET.Element, *tags: str) -> None:
    for tag in tags:
        for child in element.findall(tag):
            element.remove(child)


def _turn_to_principal_axes(inertial: ET.Element) -> None:
    """Write ``I = R diag(d) R^T`` as ``d`` along axes turned by ``R``."""
    tensor = inertial.find('inertia')
    if tensor is None:
        tensor = ET.SubElement(inertial, 'inertia', dict.fromkeys(DIAGONAL, '0'))
    xx, yy, zz = (float(tensor.get(key, 0.0)) for key in DIAGONAL)
    xy, xz, yz = (float(tensor.get(key, 0.0)) for key in OFF_DIAGONAL)
    for key in OFF_DIAGONAL:
        tensor.set(key, '0')
    if not (xy or xz or yz):
        return
    origin = inertial.find('origin')
    if origin is None:
        origin = ET.SubElement(inertial, 'origin')
    moments, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    axes = pin.rpy.rpyToMatrix(*map(float, origin.get('rpy', '0 0 0').split())) @ axes
    # Roll, pitch and yaw lose half their digits near a pitch of 90 degrees: name the axes so that
    # the first is the one nearest to level.
    order = np.roll(range(3), -np.argmin(np.abs(axes[2])))
    for key, moment in zip(DIAGONAL, moments[order], strict=True):
        tensor.set(key, repr(float(moment)))
    angles = pin.rpy.matrixToRpy(axes[:, order])
    origin.set('rpy', ' '.join(repr(float(angle)) for angle in angles))
