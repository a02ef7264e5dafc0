"""The robot model: a URDF or xacro, read once, and what control needs to know of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
import os
from pathlib import Path
from typing import Annotated
import xml.etree.ElementTree as ET

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError, ModelError, UnknownNameError
from ..core.values import Array
from .flexible_joints import FlexibleJoints, FlexibleJointsConfig, flexible_joints

MOVING_TYPES = ('revolute', 'continuous', 'prismatic')
TENSOR = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
UNBOUNDED = 1e6
"""Range given to a continuous joint [rad]: beyond any number of turns that a run can make."""


class RobotConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where a robot's description is and how it is used.

    :ivar urdf: URDF or xacro file; a relative path starts at the working directory or, if it is
        not there, at the package's ``urdf`` folder.
    :ivar tips: names of the links or frames that motions are given for.
    :ivar sensors: names of the links that carry the wrist force sensors, one for each tip, with no
        joint between them; the tips themselves where none are given.
    :ivar home: start position by joint [rad or m]; joints left out start at zero, or at the
        nearest end of their range.
    :ivar lock: joints that are held where ``home`` puts them, and leave the model.
    :ivar packages: folders that are searched for ``package://`` meshes, before the environment.
    :ivar gravity: gravitational acceleration in world axes [m/s^2].
    """

    urdf: str
    tips: tuple[str, ...] = ()
    sensors: tuple[str, ...] = ()
    home: dict[str, float] = {}
    lock: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    gravity: Annotated[tuple[float, float, float], msgspec.Meta(description='[m/s^2]')] = (
        0.0,
        0.0,
        -9.82,
    )
    flexible_joints: FlexibleJointsConfig = FlexibleJointsConfig()


@dataclass(frozen=True)
class RobotModel:
    """A fixed-base arm or several: kinematics, dynamics, limits.

    :ivar name: name of the robot in its URDF.
    :ivar urdf: the description as XML, with meshes as absolute paths and locked joints fixed.
    :ivar pin_model: the Pinocchio model; every joint has one position and one velocity.
    :ivar joint_names: the moving joints; every joint array is in this order.
    :ivar lower: lower ends of the ranges [rad], shape ``(n,)``.
    :ivar upper: upper ends of the ranges [rad], shape ``(n,)``.
    :ivar velocity_limit: largest speeds [rad/s], shape ``(n,)``; infinite where none is given.
    :ivar effort_limit: largest efforts [N m], shape ``(n,)``; infinite where none is given.
    :ivar home: start position [rad], shape ``(n,)``.
    :ivar tips: names of the tip frames.
    :ivar sensors: names of the frames of the wrist force sensors, one for each tip.
    :ivar total_mass: mass of all links [kg], the fixed base included.
    :ivar flexible_joints: motors and gears, where they are known.
    """

    name: str
    urdf: str
    pin_model: pin.Model
    joint_names: tuple[str, ...]
    lower: Array
    upper: Array
    velocity_limit: Array
    effort_limit: Array
    home: Array
    tips: tuple[str, ...]
    sensors: tuple[str, ...]
    total_mass: float
    flexible_joints: FlexibleJoints | None = None

    @property
    def n(self) -> int:
        """Return the number of moving joints."""
        return len(self.joint_names)

    @property
    def joint_units(self) -> tuple[str, ...]:
        """Return the unit of each joint's position, ``rad`` or ``m``."""
        return tuple(
            'm' if joint.shortname().startswith('JointModelP') else 'rad'
            for joint in list(self.pin_model.joints)[1:]
        )

    @property
    def gravity(self) -> Array:
        """Return the gravitational acceleration in world axes [m/s^2], shape ``(3,)``."""
        return np.array(self.pin_model.gravity.linear)

    @cached_property
    def tip_frames(self) -> tuple[int, ...]:
        """Return the Pinocchio frame indices of the tips."""
        return tuple(self.frame(tip) for tip in self.tips)

    @cached_property
    def links(self) -> tuple[str, ...]:
        """Return the names of all links."""
        return tuple(link.get('name', '') for link in ET.fromstring(self.urdf).findall('link'))

    def frame(self, name: str) -> int:
        """Return the Pinocchio index of the body frame called ``name``."""
        if not self.pin_model.existFrame(name, pin.FrameType.BODY):
            raise UnknownNameError('link', name, self.links)
        return int(self.pin_model.getFrameId(name, pin.FrameType.BODY))

    @property
    def base(self) -> str:
        """Return the name of the link that does not move, whose frame is the world's."""
        return str(self.pin_model.frames[1].name) if self.pin_model.nframes > 1 else ''

    def frame_poses(self, q: Array, names: Sequence[str]) -> list[pin.SE3]:
        """Return the poses of links in the world, at joints ``q``."""
        data = self.pin_model.createData()
        pin.framesForwardKinematics(self.pin_model, data, q)
        return [data.oMf[self.frame(name)].copy() for name in names]

    def tip_positions(self, q: Array) -> Array:
        """Return the tip positions in the world [m], shape ``(tips, 3)``, at joints ``q``."""
        data = self.pin_model.createData()
        pin.framesForwardKinematics(self.pin_model, data, q)
        return np.array([data.oMf[frame].translation for frame in self.tip_frames])

    def frame_position(self, q: Array, frame: int) -> Array:
        """Return where the origin of a frame is [m], shape ``(3,)``.

        :param frame: Pinocchio index of the frame.
        """
        data = self.pin_model.createData()
        pin.framesForwardKinematics(self.pin_model, data, q)
        return np.array(data.oMf[frame].translation)

    def sensors_in_tips(self) -> list[pin.SE3]:
        """Return the pose of each wrist force sensor in its tip: no joint is between them."""
        frames = self.pin_model.frames
        return [
            frames[self.frame(tip)].placement.actInv(frames[self.frame(sensor)].placement)
            for tip, sensor in zip(self.tips, self.sensors, strict=True)
        ]

    def collision_geometry(self) -> pin.GeometryModel:
        """Return the collision shapes of the links, without pairs."""
        return pin.buildGeomFromUrdfString(self.pin_model, self.urdf, pin.GeometryType.COLLISION)

    def with_mass_bias(self, bias: float) -> RobotModel:
        """Return the robot with every link's mass and inertia scaled by ``1 + bias``."""
        if bias == 0.0:
            return self
        root = ET.fromstring(self.urdf)
        for inertial in root.iter('inertial'):
            for tag in ('mass', 'inertia'):
                for element in inertial.iter(tag):
                    for key, text in element.attrib.items():
                        element.set(key, repr(float(text) * (1.0 + bias)))
        urdf = ET.tostring(root, encoding='unicode')
        pin_model = kinematic_tree(urdf)
        pin_model.gravity.linear = self.pin_model.gravity.linear
        return replace(
            self, urdf=urdf, pin_model=pin_model, total_mass=self.total_mass * (1.0 + bias)
        )


def link_positions(pin_model: pin.Model, link: str, positions: Array) -> Array:
    """Return where the origin of a link is in the world [m], shape ``(m, 3)``.

    :param positions: joints [rad], shape ``(m, n)``.
    """
    data = pin_model.createData()
    frame = pin_model.getFrameId(link, pin.FrameType.BODY)
    points = np.empty((len(positions), 3))
    for point, q in zip(points, positions, strict=True):
        pin.forwardKinematics(pin_model, data, q)
        point[:] = pin.updateFramePlacement(pin_model, data, frame).translation
    return points


def wrench_torque(
    model: pin.Model,
    data: pin.Data,
    q: Array,
    frame: int,
    wrench: Array,
    axes: pin.ReferenceFrame = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
) -> Array:
    """Return ``J(q)^T w`` [N m], shape ``(n,)``, of a wrench at a frame's origin.

    :param q: joint positions [rad], shape ``(n,)``.
    :param wrench: force and torque [N, N m], shape ``(6,)``.
    :param axes: in which the wrench is given: those of the world, or ``LOCAL`` for the frame's.
    """
    jacobian: Array = pin.computeFrameJacobian(model, data, q, frame, axes)
    return jacobian.T @ wrench


def load_robot(config: RobotConfig, urdf_folder: Path | None = None) -> RobotModel:
    """Read a robot from its URDF or xacro file.

    :param config: the file and how to use it.
    :param urdf_folder: where a relative path starts; the working directory is tried first.
    :raises ModelError: the file is missing, is not a robot, or has a mesh that is not found.
    :raises ConfigError: a tip, home or lock name is unknown, or a home value is out of range.
    """
    path = find_description(config.urdf, urdf_folder)
    root = parse_description(path)
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
        inertia.attrib.update({key: '0' for key in TENSOR if key not in inertia.attrib})
    resolve_meshes(root, path, config.packages)
    urdf = ET.tostring(root, encoding='unicode')
    pin_model = kinematic_tree(urdf, str(path))
    pin_model.gravity.linear = np.array(config.gravity)
    joint_names = tuple(str(name) for name in pin_model.names)[1:]
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
    )
    for tip in model.tips:
        if tip not in model.links:
            raise UnknownNameError('tip', tip, model.links)
    _check_sensors(model)
    return model


def _check_sensors(model: RobotModel) -> None:
    """Refuse sensors that are not fixed to their tips."""
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


def find_description(name: str, folder: Path | None) -> Path:
    """Return the file of a robot description; ``folder`` is tried after the working directory."""
    given = Path(name).expanduser()
    candidates = [given] if folder is None or given.is_absolute() else [given, folder / given]
    for path in candidates:
        if path.is_file():
            return path.resolve()
    raise ModelError(f'no such robot description: {name}')


def parse_description(path: Path) -> ET.Element:
    """Return the ``<robot>`` element of a URDF or xacro file."""
    try:
        if path.suffix == '.xacro':
            import xacro

            text = xacro.process_file(str(path)).toxml()
        else:
            text = path.read_text()
        root = ET.fromstring(text)
    except (ET.ParseError, UnicodeDecodeError) as error:
        raise ModelError(f'{path}: not a valid XML file: {error}') from error
    except OSError as error:
        raise ModelError(f'{path}: cannot be read: {error.strerror}') from error
    except Exception as error:
        if type(error).__module__.split('.')[0] not in ('xacro', 'xml'):
            raise
        raise ModelError(f'{path}: not a valid xacro file: {error}') from error
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


def resolve_meshes(root: ET.Element, path: Path, packages: Sequence[str]) -> None:
    """Make every mesh of the description at ``path`` an absolute path."""
    environment = [
        Path(folder)
        for folder in os.environ.get('ROS_PACKAGE_PATH', '').split(os.pathsep)
        if folder
    ] + [
        Path(prefix) / 'share'
        for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
        if prefix
    ]
    folders = [Path(folder).expanduser() for folder in packages] + environment
    for mesh in root.iter('mesh'):
        name = mesh.get('filename', '')
        bare = name.removeprefix('file://').removeprefix('package://')
        if name.startswith('package://'):
            # A description usually lies inside the package that its meshes name.
            candidates = [folder / bare for folder in (*folders, *path.parents)]
        else:
            candidates = [path.parent / bare]
        found = next((candidate for candidate in candidates if candidate.is_file()), None)
        if found is None:
            raise ModelError(
                f'{path}: mesh {name!r} cannot be found; name the folder above its package in '
                'robot.packages or in ROS_PACKAGE_PATH'
            )
        mesh.set('filename', str(found.resolve()))


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
