"""The robot model: kinematics, dynamics and limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
import re
import xml.etree.ElementTree as ET

import numpy as np
import pinocchio as pin

from ..core.errors import ModelError, UnknownNameError
from ..core.values import Array, Flags
from .config import JointFrictionConfig, Payload
from .flexible_joints import FlexibleJoints
from .urdf import UNBOUNDED, kinematic_tree

EFFORT_UNITS = {'rad': 'N m', 'm': 'N'}
"""Unit of a joint's position -> unit of its effort."""


@dataclass(frozen=True)
class RobotModel:
    """A fixed-base arm or several.

    :ivar urdf: the description as XML, with meshes as absolute paths and locked joints fixed.
    :ivar pin_model: the Pinocchio model; every joint has one position and one velocity.
    :ivar joint_names: the moving joints; every joint array is in this order.
    :ivar lower: ends of the ranges [rad], shape ``(n,)``; ``upper`` likewise.
    :ivar velocity_limit: largest speeds [rad/s], shape ``(n,)``; infinite where none is given.
    :ivar effort_limit: largest efforts [N m], shape ``(n,)``; infinite where none is given.
    :ivar home: start position [rad], shape ``(n,)``.
    :ivar sensors: names of the frames of the wrist force sensors, one for each tip.
    :ivar total_mass: mass of all links [kg], the fixed base included.
    :ivar flexible_joints: motors and gears, where they are known.
    :ivar description: file that it was read from.
    :ivar payloads: what the tips carry, and from when on; those from the beginning are in
        ``urdf`` and ``pin_model``, the later ones see ``CarriedPayload``.
    :ivar friction: of each joint, where it is known; empty otherwise.
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
    description: Path | None = None
    payloads: tuple[Payload, ...] = ()
    friction: tuple[JointFrictionConfig, ...] = ()

    @property
    def n(self) -> int:
        """Return the number of moving joints."""
        return len(self.joint_names)

    @property
    def endless(self) -> Flags:
        """Return which joints have no ends, shape ``(n,)``."""
        return self.upper - self.lower >= UNBOUNDED

    @property
    def joint_units(self) -> tuple[str, ...]:
        """Return the unit of each joint's position, ``rad`` or ``m``."""
        return tuple(
            'm' if joint.shortname().startswith('JointModelP') else 'rad'
            for joint in list(self.pin_model.joints)[1:]
        )

    @property
    def effort_units(self) -> tuple[str, ...]:
        """Return the unit of each joint's effort, ``N m`` or ``N``."""
        return tuple(EFFORT_UNITS[unit] for unit in self.joint_units)

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
        return np.array([pose.translation for pose in self.frame_poses(q, self.tips)])

    def sensors_in_tips(self) -> list[pin.SE3]:
        """Return the pose of each wrist force sensor in its tip: no joint is between them."""
        frames = self.pin_model.frames
        return [
            frames[self.frame(tip)].placement.actInv(frames[self.frame(sensor)].placement)
            for tip, sensor in zip(self.tips, self.sensors, strict=True)
        ]

    def collision_geometry(self) -> pin.GeometryModel:
        """Return the collision shapes of the links, without pairs.

        :raises ModelError: a mesh cannot be read.
        """
        kind = pin.GeometryType.COLLISION
        try:
            return pin.buildGeomFromUrdfString(self.pin_model, self.urdf, kind)
        except (ValueError, RuntimeError) as error:
            found = re.search('Could not load resource (.*)\n(.*)', str(error))
            what = f'{found[1]}: not a mesh: {found[2]}' if found else f'{self.name}: {error}'
            raise ModelError(
                f'{" ".join(what.split())}; replace it, or take it out of the URDF'
            ) from error

    def copy(self) -> RobotModel:
        """Return the robot with a Pinocchio model of its own, whose inertias may change."""
        return replace(self, pin_model=pin.Model(self.pin_model))

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
        pin_model.armature = self.pin_model.armature
        return replace(
            self, urdf=urdf, pin_model=pin_model, total_mass=self.total_mass * (1.0 + bias)
        )


def link_positions(pin_model: pin.Model, link: str, positions: Array) -> Array:
    """Return the positions of a link's origin in the world [m], shape ``(m, 3)``.

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
