"""Configuration of hand guiding in a scenario: the one place of these defaults."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ..core.config_types import NonNegative, Positive, Vector

Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
Gain = Annotated[float, msgspec.Meta(ge=1.0, le=100.0)]
PositiveShare = Annotated[float, msgspec.Meta(gt=0.0, le=1.0)]


class JointAdmittance(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is different for one joint; what is left out is as for all joints.

    :ivar mass: [kg m^2].
    :ivar damping: [N m s/rad].
    :ivar stiffness: [N m/rad].
    :ivar dead_zone: [N m].
    """

    mass: Positive | None = None
    damping: NonNegative | None = None
    stiffness: NonNegative | None = None
    dead_zone: NonNegative | None = None


class AdmittanceConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the robot gives way to a hand: 001 (2) and section 4.4.

    The numbers are those of a joint that reaches 1 m, measured there, and fit any arm: with
    ``by_reach`` each joint has its share by the square of its own reach. A hand of stiffness ``K``
    at a lever ``l`` and a delay ``T`` in the loop are stable while ``d > K l^2 T``; at a speed
    ``v`` the hand needs ``d v/l^2``, the dead zone and the spring. The smallest damping, 20 N s/m
    at the tip, bears 1000 N/m with an observer that is 20 ms late and 4 ms more, and asks for
    some 2 N at 0.1 m/s.

    :ivar source: of the external torque that the robot gives way to: ``observer``, what the
        collision monitor estimates; ``truth``, which only a simulated robot knows; ``driver``,
        what a robot with torque sensors publishes on ``measured_external_torque``; ``none`` for a
        robot that gives way only as the reaction ``comply``.
    :ivar keep: what the tips keep while the rest of the robot gives way: ``none``, their
        ``position``, or their ``pose``.
    :ivar mass: m of every joint [kg m^2].
    :ivar damping: d of every joint while nobody touches the robot [N m s/rad].
    :ivar stiffness: s of every joint while nobody touches the robot [N m/rad].
    :ivar by_reach: whether these are for a reach of 1 m: each joint has them times the square of
        its own reach, and the dead zone times its reach.
    :ivar joints: exceptions by joint name, as they are.
    :ivar isotropy: the largest factor by which a force on a tip is amplified along a direction in
        which the tip's posture makes it heavy, so that it gives way alike in every direction; 1
        for none, which is 001's law; some 10 for a tip that is guided by hand.
    :ivar adapt: whether a touch makes the robot softer; without, its parameters are constant.
    :ivar together: whether a touch anywhere on an arm makes all its joints softer, or each joint
        only itself.
    :ivar touched_damping: damping while touched, as a share of the free one.
    :ivar touched_stiffness: stiffness while touched, as a share of the free one; with 0 a robot
        that was moved without effort may stay where it was moved to.
    :ivar dead_zone: external torque of a joint that counts as none, and is subtracted from a
        larger one [N m]; where none is given, the error of the estimate in the calibration.
    :ivar fall_time: time constant with which damping and stiffness fall on touch [s].
    :ivar damping_time: time constant with which the damping rises on release [s].
    :ivar stiffness_time: time constant with which the stiffness rises on release [s].
    :ivar reserve: energy of each joint's tank at the start, and the least ceiling of the tank [J].
    :ivar speed: largest speed of a guided joint, as a share of its velocity limit.
    :ivar acceleration: largest acceleration of a guided joint [rad/s^2].
    :ivar range_time: time constant of the approach to the end of a joint's range [s].
    :ivar stuck_time: time after which the same torque, bit for bit, on a robot that moves is a
        broken sensor's [s]; it then fades with the same time constant. Infinite for a simulated
        push of constant torque.
    :ivar mass_direction: along which the effective mass of the tips is logged and shown, in world
        axes; of any length.
    :ivar elbows: by tip, the link that the guiding hint tells to push; where none is given, the
        one that the middle joint of the tip's arm moves.
    """

    source: Literal['none', 'observer', 'truth', 'driver'] = 'none'
    keep: Literal['none', 'position', 'pose'] = 'none'
    mass: Positive = 0.2
    damping: NonNegative = 40.0
    stiffness: NonNegative = 40.0
    by_reach: bool = True
    joints: dict[str, JointAdmittance] = {}
    isotropy: Gain = 1.0
    adapt: bool = True
    together: bool = True
    touched_damping: Share = 0.25
    touched_stiffness: Share = 0.02
    dead_zone: NonNegative | None = 0.5
    fall_time: Positive = 0.1
    damping_time: Positive = 0.1
    stiffness_time: Positive = 2.0
    reserve: NonNegative = 5.0
    speed: PositiveShare = 0.8
    acceleration: Positive = 20.0
    range_time: Positive = 0.1
    stuck_time: Positive = 1.0
    mass_direction: Vector = (1.0, 0.0, 0.0)
    elbows: dict[str, str] = {}

    @property
    def guides(self) -> bool:
        """Return whether the robot gives way at any time."""
        return self.source != 'none'


FIXED_FIELDS = frozenset({'source', 'keep'})
"""Fields that cannot change while the robot is guided."""


def live_parameters(prefix: str) -> frozenset[str]:
    """Return the names of what can change while the robot is guided, with a prefix."""
    return frozenset(
        f'{prefix}.{field.name}'
        for field in msgspec.structs.fields(AdmittanceConfig)
        if field.name not in FIXED_FIELDS
    )


def without_spring(config: AdmittanceConfig) -> AdmittanceConfig:
    """Return a configuration in which nothing draws the robot back."""
    joints = {
        name: msgspec.structs.replace(joint, stiffness=0.0)
        for name, joint in config.joints.items()
    }
    return msgspec.structs.replace(config, stiffness=0.0, joints=joints)
