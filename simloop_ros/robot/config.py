"""Configuration of a robot. Importing it loads neither Pinocchio nor another engine."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ..core.config_types import NonNegative, Positive, Vector


class FlexibleJointsConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Motors and gears of a robot, where they are known.

    :ivar motor_inertia: ``J_m`` by joint, at the link side: times the gear ratio squared [kg m^2].
    :ivar stiffness: ``K_m`` of the gear by joint [N m/rad].
    :ivar damping_ratio: of every motor on its gear, with the link held.
    """

    motor_inertia: dict[str, Positive] = {}
    stiffness: dict[str, Positive] = {}
    damping_ratio: NonNegative | None = None


class JointFrictionConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Friction and rotor of a joint, as ``simloop identify`` finds them.

    :ivar coulomb: dry friction [N m].
    :ivar smoothing: speed below which the direction of dry friction is not certain [rad/s].
    :ivar viscous: friction per speed [N m s/rad].
    :ivar offset: constant torque [N m].
    :ivar asymmetry: dry friction more in one direction and less in the other [N m].
    :ivar stribeck: dry friction more at rest than at speed [N m].
    :ivar fading: speed over which it fades [rad/s].
    :ivar armature: inertia that acts on its own joint only, for instance of a rotor [kg m^2].
    """

    coulomb: float = 0.0
    smoothing: Positive = 0.01
    viscous: float = 0.0
    offset: float = 0.0
    asymmetry: float = 0.0
    stribeck: float = 0.0
    fading: Positive = 1.0
    armature: NonNegative = 0.0


class Payload(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A rigid body that is fixed to a tip, instead of what was there before.

    :ivar mass: [kg]; 0 for nothing.
    :ivar tip: link that holds it; the first of the robot's tips where none is given.
    :ivar centre: of its mass, in the frame of the tip [m].
    :ivar inertia: about this centre, in axes of the tip: xx, xy, xz, yy, yz, zz [kg m^2].
    :ivar at: time from which it is there [s]; 0 from the beginning.
    """

    mass: NonNegative
    tip: str = ''
    centre: Vector = (0.0, 0.0, 0.0)
    inertia: tuple[float, float, float, float, float, float] = (0.0,) * 6
    at: NonNegative = 0.0


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
    :ivar payloads: what the tips carry, known to all blocks; the simulated robot carries it, too.
    :ivar packages: folders that are searched for ``package://`` meshes, before the environment.
    :ivar gravity: gravitational acceleration in world axes [m/s^2].
    :ivar friction: by joint, as `simloop identify` writes it: monitors without a calibration and
        `simloop replay` reckon with it; the rotors are part of the model.
    """

    urdf: str
    tips: tuple[str, ...] = ()
    sensors: tuple[str, ...] = ()
    home: dict[str, float] = {}
    lock: tuple[str, ...] = ()
    payloads: tuple[Payload, ...] = ()
    packages: tuple[str, ...] = ()
    gravity: Annotated[tuple[float, float, float], msgspec.Meta(description='[m/s^2]')] = (
        0.0,
        0.0,
        -9.82,
    )
    flexible_joints: FlexibleJointsConfig = FlexibleJointsConfig()
    friction: dict[str, JointFrictionConfig] = {}
