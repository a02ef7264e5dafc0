"""Robot descriptions as XML: finding, reading and changing a URDF or xacro file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
import xml.etree.ElementTree as ET

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError, ModelError, UnknownNameError
from ..core.files import read_text
from ..core.values import Array
from .packages import package_folders
from .xacro_file import expand_xacro

MOVING_TYPES = ('revolute', 'continuous', 'prismatic')
UNBOUNDED = 1e6
"""Range given to a continuous joint [rad]: beyond any number of turns that a run can make."""


def find_description(name: str, folder: Path | None) -> Path:
    """Return the file of a robot description; ``folder`` is tried after the working directory."""
    given = Path(name).expanduser()
    candidates = [given] if folder is None or given.is_absolute() else [given, folder / given]
    for path in candidates:
        if path.is_file():
            return path.resolve()
    if given.is_dir():
        raise ModelError(f'{name}: a folder; name the URDF or xacro file in it')
    raise ModelError(f'no such robot description: {name}')


def parse_description(path: Path) -> ET.Element:
    """Return the ``<robot>`` element of a URDF or xacro file.

    :raises ModelError: it cannot be read, or is not a robot description.
    """
    try:
        text = read_text(path)
    except ConfigError as error:
        raise ModelError(str(error)) from error
    if path.suffix == '.xacro':
        text = expand_xacro(path)
    try:
        root = ET.fromstring(text)
        ET.tostring(root)
    except ET.ParseError as error:
        raise ModelError(f'{path}: not a valid XML file: {error}') from error
    except RecursionError as error:
        raise ModelError(f'{path}: not a robot: its elements are nested too deep') from error
    if root.tag != 'robot':
        raise ModelError(f'{path}: not a robot: its root element is <{root.tag}>, not <robot>')
    return root


def lock_joint(root: ET.Element, name: str, position: float) -> None:
    """Make a joint fixed at a position [rad]."""
    joints = {element.get('name', ''): element for element in root.findall('joint')}
    if name not in joints:
        raise UnknownNameError('joint to lock', name, joints)
    joint = joints[name]
    _move_origin(joint, position)
    joint.set('type', 'fixed')
    for tag in ('axis', 'limit', 'mimic', 'dynamics', 'safety_controller', 'calibration'):
        for element in joint.findall(tag):
            joint.remove(element)


def _move_origin(joint: ET.Element, position: float) -> None:
    """Put a joint's motion by ``position`` [rad] into its origin."""
    if position == 0.0:
        return
    origin = joint.find('origin')
    if origin is None:
        origin = ET.SubElement(joint, 'origin')
    axis_element = joint.find('axis')
    axis = _vector('1 0 0' if axis_element is None else axis_element.get('xyz', '1 0 0'))
    if joint.get('type') == 'prismatic':
        motion = pin.SE3(np.eye(3), position * axis)
    else:
        motion = pin.SE3(pin.exp3(position * axis / np.linalg.norm(axis)), np.zeros(3))
    rotation = pin.rpy.rpyToMatrix(_vector(origin.get('rpy', '0 0 0')))
    placement = pin.SE3(rotation, _vector(origin.get('xyz', '0 0 0'))) * motion
    origin.set('xyz', ' '.join(map(repr, placement.translation.tolist())))
    origin.set('rpy', ' '.join(map(repr, pin.rpy.matrixToRpy(placement.rotation).tolist())))


def _vector(text: str) -> Array:
    return np.array([float(number) for number in text.split()])


def resolve_meshes(root: ET.Element, path: Path, packages: Sequence[str]) -> list[str]:
    """Make every mesh of the description at ``path`` an absolute path.

    Control needs no visual meshes: those that are not found are removed, and their names returned.

    :raises ModelError: another mesh is not found.
    """
    folders = [*(Path(folder).expanduser() for folder in packages), *package_folders(path)]
    unseen = []
    for link in root.iter('link'):
        for visual in link.findall('visual'):
            names = [mesh.get('filename', '') for mesh in visual.iter('mesh')]
            if not all(_find_mesh(name, path, folders) for name in names):
                link.remove(visual)
                unseen += names
    for mesh in root.iter('mesh'):
        name = mesh.get('filename', '')
        found = _find_mesh(name, path, folders)
        if found is None:
            raise ModelError(
                f'{path}: mesh {name!r} cannot be found; name the folder above its package in '
                'robot.packages (check: --packages) or in ROS_PACKAGE_PATH'
            )
        mesh.set('filename', str(found.resolve()))
    return unseen


def _find_mesh(name: str, path: Path, folders: Sequence[Path]) -> Path | None:
    bare = name.removeprefix('file://').removeprefix('package://')
    if name.startswith('package://'):
        candidates = [folder / bare for folder in folders]
    else:
        candidates = [path.parent / bare]
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def kinematic_tree(urdf: str, source: str = 'URDF') -> pin.Model:
    """Build the Pinocchio model; a continuous joint becomes a revolute one without ends.

    :param source: where the URDF is from, for messages.
    :raises ModelError: it is not a robot.
    """
    root = ET.fromstring(urdf)
    for joint in root.findall('joint'):
        if joint.get('type') == 'continuous':
            joint.set('type', 'revolute')
            limit = joint.find('limit')
            if limit is None:
                limit = ET.SubElement(joint, 'limit', effort='0', velocity='0')
            limit.set('lower', repr(-UNBOUNDED))
            limit.set('upper', repr(UNBOUNDED))
        for mimic in joint.findall('mimic'):
            joint.remove(mimic)
    for link in root.findall('link'):
        for tag in ('visual', 'collision'):
            for element in link.findall(tag):
                link.remove(element)
    try:
        return pin.buildModelFromXML(ET.tostring(root, encoding='unicode'))
    except (ValueError, RuntimeError) as error:
        raise ModelError(f'{source}: not a valid robot: {error}') from error
