"""Read a robot from its description."""

from __future__ import annotations

from pathlib import Path
import xml.etree.ElementTree as ET

import numpy as np

from ..core.errors import ConfigError, ModelError, UnknownNameError
from ..core.values import Array
from .config import JointFrictionConfig, RobotConfig
from .flexible_joints import flexible_joints
from .model import RobotModel
from .payload import with_payload
from .urdf import (
    MOVING_TYPES,
    UNBOUNDED,
    find_description,
    kinematic_tree,
    lock_joint,
    parse_description,
    resolve_meshes,
)

INERTIA_KEYS = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')


def load_robot(config: RobotConfig, urdf_folder: Path | None = None) -> RobotModel:
    """Read a robot from its URDF or xacro file.

    :param urdf_folder: where a relative path starts; the working directory is tried first.
    :raises ModelError: the file is missing, is not a robot, or has a mesh that is not found.
    :raises ConfigError: a tip, home or lock name is unknown, or a home value is out of range.
    """
    path = find_description(config.urdf, urdf_folder)
    return build_robot(config, path, parse_description(path))


def build_robot(config: RobotConfig, path: Path, root: ET.Element) -> RobotModel:
    """Make a robot of its ``<robot>`` element, which is changed; raises as ``load_robot``.

    :param path: file of the element.
    """
    for joint in config.lock:
        lock_joint(root, joint, config.home.get(joint, 0.0))
    for joint_element in root.findall('joint'):
        kind = joint_element.get('type')
        if kind not in (*MOVING_TYPES, 'fixed'):
            raise ModelError(
                f'{path}: joint {joint_element.get("name")!r} is {kind}; only fixed-base arms of '
                f'{", ".join(MOVING_TYPES)} joints can be controlled'
            )
    for inertia in root.iter('inertia'):
        # A tensor that is not complete makes the URDF parser drop the whole link.
        inertia.attrib.update({key: '0' for key in INERTIA_KEYS if key not in inertia.attrib})
    resolve_meshes(root, path, config.packages)
    urdf = ET.tostring(root, encoding='unicode')
    pin_model = kinematic_tree(urdf, str(path))
    pin_model.gravity.linear = np.array(config.gravity)
    joint_names = tuple(str(name) for name in pin_model.names)[1:]
    friction = _friction(config, joint_names)
    if friction:
        pin_model.armature = np.array([each.armature for each in friction])
    if not joint_names:
        raise ModelError(f'{path}: no moving joint')
    elements = {element.get('name', ''): element for element in root.findall('joint')}
    limits = [_limits(elements[name]) for name in joint_names]
    lower, upper, velocity, effort = (np.array(column) for column in zip(*limits, strict=True))
    model = RobotModel(
        name=root.get('name', path.stem),
        urdf=urdf,
        pin_model=pin_model,
        joint_names=joint_names,
        lower=lower,
        upper=upper,
        velocity_limit=velocity,
        effort_limit=effort,
        home=_home(config, joint_names, lower, upper),
        tips=config.tips,
        sensors=config.sensors or config.tips,
        total_mass=sum(float(mass.get('value', 0.0)) for mass in root.iter('mass')),
        flexible_joints=flexible_joints(config.flexible_joints, joint_names, config.lock),
        description=path,
        payloads=config.payloads,
        friction=friction,
    )
    for tip in model.tips:
        if tip not in model.links:
            raise UnknownNameError('tip', tip, model.links)
    _check_sensors(model)
    for payload in config.payloads:
        if payload.at == 0.0:
            model = with_payload(model, payload)
    return model


def _friction(config: RobotConfig, names: tuple[str, ...]) -> tuple[JointFrictionConfig, ...]:
    for name in config.friction:
        if name not in names and name not in config.lock:
            raise UnknownNameError('joint in robot.friction', name, names)
    if not config.friction:
        return ()
    return tuple(config.friction.get(name, JointFrictionConfig()) for name in names)


def _check_sensors(model: RobotModel) -> None:
    if len(model.sensors) != len(model.tips):
        raise ConfigError(
            f'robot.sensors: {len(model.sensors)} given for {len(model.tips)} tips; name one for '
            'each, or none'
        )
    frames = model.pin_model.frames
    for sensor, tip in zip(model.sensors, model.tips, strict=True):
        if sensor not in model.links:
            raise UnknownNameError('sensor', sensor, model.links)
        if frames[model.frame(sensor)].parentJoint != frames[model.frame(tip)].parentJoint:
            raise ConfigError(f'robot.sensors: a joint moves {sensor} apart from {tip}')


def _limits(joint: ET.Element) -> tuple[float, float, float, float]:
    """Return lower, upper, velocity and effort; a limit that is not given is infinite."""
    limit = joint.find('limit')
    values = {} if limit is None else dict(limit.attrib)
    continuous = joint.get('type') == 'continuous'
    return (
        -UNBOUNDED if continuous else float(values.get('lower', 0.0)),
        UNBOUNDED if continuous else float(values.get('upper', 0.0)),
        float(values.get('velocity', 0.0)) or np.inf,
        float(values.get('effort', 0.0)) or np.inf,
    )


def _home(config: RobotConfig, names: tuple[str, ...], lower: Array, upper: Array) -> Array:
    for name in config.home:
        if name not in names and name not in config.lock:
            raise UnknownNameError('joint in robot.home', name, names)
    home = np.array([config.home.get(name, np.nan) for name in names])
    home = np.where(np.isnan(home), np.clip(0.0, lower, upper), home)
    for i, name in enumerate(names):
        if not lower[i] <= home[i] <= upper[i]:
            raise ConfigError(
                f'robot.home: {name} = {home[i]:g} is outside its range '
                f'[{lower[i]:g}, {upper[i]:g}]'
            )
    return home
