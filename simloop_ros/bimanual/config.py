"""What a scenario can say about two arms on one object: the one place of these defaults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec

from ..core.config_types import NonNegative, Positive, Vector
from ..core.errors import ConfigError

Level = Literal['low', 'medium', 'high']
Six = tuple[Positive, Positive, Positive, Positive, Positive, Positive]
Moment = Annotated[float, msgspec.Meta(gt=0.0, le=60.0)]
Durations = Annotated[tuple[Positive, ...], msgspec.Meta(min_length=1)]


class Grasp(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where a hand takes the object: pose of its tip in axes of the object.

    :ivar position: from the object's centre [m].
    :ivar rpy: roll, pitch and yaw [rad]; the tip's z axis points into the object.
    """

    position: Vector
    rpy: Vector


class KnownObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is known of the object, which need not be quite true.

    :ivar position: of its centre in the world, where it waits [m].
    :ivar rpy: its roll, pitch and yaw there [rad].
    :ivar length: between the grasps, along its y axis [m].
    :ivar width: across that, along x and z [m]; free hands keep off it.
    :ivar mass: of it [kg]; its weight is no push from outside.
    :ivar grasps: one for each of ``robot.tips``; where none are given, of two tips the first one
        takes the end at +y and the second one that at -y, each with its x axis along that of the
        object.
    """

    position: Vector = (0.0, 0.0, 0.0)
    rpy: Vector = (0.0, 0.0, 0.0)
    length: Positive = 0.08
    width: Positive = 0.04
    mass: NonNegative = 0.0
    grasps: tuple[Grasp, ...] = ()


class ImpedanceConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the hands feel like to a force that is not wanted, 003 (2.1); six axes of the object.

    :ivar mass: M of each axis [kg, kg m^2], or a level.
    :ivar damping: beta of each axis [N s/m, N m s/rad], or a level.
    :ivar stiffness: K of each axis [N/m, N m/rad], or a level.
    """

    mass: Level | Six = 'medium'
    damping: Level | Six = 'medium'
    stiffness: Level | Six = 'low'


class _Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field='do'):
    """What all tasks have: a name, in `do`."""


class Approach(_Task, frozen=True, tag='approach', kw_only=True):
    """Both hands go to before the object: Bi-Approach.

    :ivar clearance: distance of the palms from the ends of the object [m].
    :ivar path: `ptp`, point to point in joint space, or `cp`, continuous path: the hands go
        straight.
    :ivar durations: time that it takes [s]; one for both hands, or one for each.
    """

    clearance: Positive = 0.02
    path: Literal['ptp', 'cp'] = 'ptp'
    durations: Durations = (2.0,)


class TakeHold(_Task, frozen=True, tag='grasp', kw_only=True):
    """Both hands close straight on the object, and press it: Bi-Grasp.

    :ivar press: how far beyond its ends they would go if nothing were there [m].
    :ivar squeeze: internal force that they keep from the contact on [N].
    :ivar expect: whether the object is known to be there: without it both arms stop.
    :ivar durations: time that it takes [s]; one for both hands, or one for each.
    """

    press: NonNegative = 0.001
    squeeze: NonNegative = 20.0
    expect: bool = True
    durations: Durations = (0.5,)


class Keep(_Task, frozen=True, tag='hold', kw_only=True):
    """Hold the object still: Bi-Hold.

    :ivar duration: [s].
    :ivar squeeze: internal force from now on [N]; as before where none is given.
    """

    duration: Positive = 1.0
    squeeze: NonNegative | None = None


class GiveWay(_Task, frozen=True, tag='yield', kw_only=True):
    """Let a push from outside move the object: Bi-Yield.

    :ivar duration: [s].
    :ivar impedance: of the object.
    """

    duration: Positive = 2.0
    impedance: ImpedanceConfig = ImpedanceConfig()


class MoveObject(_Task, frozen=True, tag='move', kw_only=True):
    """Carry the object; the arms follow: Bi-Move.

    :ivar by: displacement of its centre in world axes [m].
    :ivar turn: rotation vector about its centre in world axes [rad].
    :ivar through: displacements from where it is at the begin that its centre passes before `by`,
        in this order and without a stop, on a smooth curve [m]; straight where none are given.
    :ivar duration: [s].
    """

    by: Vector = (0.0, 0.0, 0.0)
    turn: Vector = (0.0, 0.0, 0.0)
    through: tuple[Vector, ...] = ()
    duration: Positive = 2.0


class SlideObject(_Task, frozen=True, tag='slide', kw_only=True):
    """Push the object along a surface, which may push it aside: Bi-Slide.

    :ivar by: displacement in world axes [m]; across it the object gives way.
    :ivar impedance: of the object, across the displacement.
    :ivar duration: [s].
    """

    by: Vector
    impedance: ImpedanceConfig = ImpedanceConfig()
    duration: Positive = 2.0


class HingeObject(_Task, frozen=True, tag='hinge', kw_only=True):
    """Turn the object about a line in the world, as a door: Bi-Hinge.

    :ivar pivot: a point of the line [m].
    :ivar turn: rotation vector along the line [rad].
    :ivar duration: [s].
    """

    pivot: Vector
    turn: Vector
    duration: Positive = 2.0


class InsertObject(_Task, frozen=True, tag='insert', kw_only=True):
    """Push the object on until something resists: Bi-Insert; with the way back, Bi-Extract.

    :ivar by: displacement in world axes [m].
    :ivar max_force: force from outside against the motion at which it ends [N].
    :ivar duration: of the whole way [s].
    """

    by: Vector
    max_force: Positive = 20.0
    duration: Positive = 2.0


class LetGo(_Task, frozen=True, tag='release', kw_only=True):
    """Both hands open, straight away from the object: Bi-Release.

    :ivar clearance: distance of the palms from its ends afterwards [m].
    :ivar durations: time that it takes [s]; one for both hands, or one for each.
    """

    clearance: Positive = 0.02
    durations: Durations = (0.5,)


class Retract(_Task, frozen=True, tag='retract', kw_only=True):
    """Both hands go back to where they were at the start: Bi-Retract.

    :ivar path: `ptp`, point to point in joint space, or `cp`, straight.
    :ivar durations: time that it takes [s]; one for both hands, or one for each.
    """

    path: Literal['ptp', 'cp'] = 'ptp'
    durations: Durations = (2.0,)


class Reach(_Task, frozen=True, tag='reach', kw_only=True):
    """One hand goes to a pose by itself; not while both hold the object.

    :ivar tip: which hand.
    :ivar position: where its tip goes to in the world [m].
    :ivar rpy: roll, pitch and yaw there in the world [rad]; as before where none are given.
    :ivar path: `ptp`, point to point in joint space, or `cp`, continuous path: the hand goes
        straight, or `through` points.
    :ivar through: positions in the world that the tip passes before that, in this order and
        without a stop, on a smooth curve [m]; for `cp`.
    :ivar duration: [s].
    """

    tip: str
    position: Vector
    rpy: Vector | None = None
    path: Literal['ptp', 'cp'] = 'ptp'
    through: tuple[Vector, ...] = ()
    duration: Positive = 2.0


class Jog(_Task, frozen=True, tag='jog', kw_only=True):
    """Move one hand by itself, along or about single axes; not while both hold the object.

    :ivar tip: which hand.
    :ivar by: displacement in world axes [m].
    :ivar turn: rotation vector in world axes [rad].
    :ivar joints: how far single joints of its arm go, by name [rad], instead of `by` and `turn`;
        the others rest.
    :ivar duration: [s].
    """

    tip: str
    by: Vector = (0.0, 0.0, 0.0)
    turn: Vector = (0.0, 0.0, 0.0)
    joints: dict[str, float] = {}
    duration: Positive = 1.0


Task = (
    Approach
    | TakeHold
    | Keep
    | GiveWay
    | MoveObject
    | SlideObject
    | HingeObject
    | InsertObject
    | LetGo
    | Retract
    | Reach
    | Jog
)


class BimanualConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Two arms on one object, for ``planner.kind: bimanual``.

    :ivar object: what is known of it.
    :ivar tasks: what to do, one after the other; each has its name in `do`.
    :ivar impedance: of each hand, against the internal force that is not wanted.
    :ivar force_control: whether internal forces are controlled at all; without it the hands go
        where they are told.
    :ivar contact_force: internal force from which on the object counts as touched [N]; well
        above the sensors' noise.
    :ivar free_force: force on a free hand from which on something is in its way, and both arms
        stop [N]; above what the weight of a hand adds as it turns.
    :ivar tare_time: time at the start in which the sensors' bias is learnt, with free hands [s].
    :ivar sensor_noise: whether the sensors are known to be noisy, so that a reading that repeats
        itself is a frozen one.
    :ivar sensor_range: largest force that a wrist sensor reads [N], and, a tenth as many, torque
        [N m]; more is a fault.
    :ivar leash: how far a hand may be from where it shall be before both are stopped, as an
        acceleration: the distance is ``leash * period^2`` under deadbeat control, and
        ``leash / natural_frequency^2`` under the other laws [m/s^2].
    :ivar stop_time: in which both arms come to rest along their path [s].
    :ivar max_correction: largest correction of a hand's position [m], and, 20 times as many
        radians, of its rotation; beyond it both are stopped.
    :ivar palm: edge of a palm [m], with which free hands keep off the object.
    """

    object: KnownObject = KnownObject()
    tasks: tuple[Task, ...] = ()
    impedance: ImpedanceConfig = ImpedanceConfig()
    force_control: bool = True
    contact_force: Positive = 3.0
    free_force: Positive = 30.0
    tare_time: Moment = 0.1
    sensor_noise: bool = False
    sensor_range: Positive = 500.0
    leash: Positive = 500.0
    stop_time: Moment = 0.01
    max_correction: Positive = 0.02
    palm: Positive = 0.06


def refuse_tips(tips: Sequence[str]) -> None:
    """Refuse tips that are not two hands.

    :raises ConfigError: with what to change.
    """
    if len(tips) != 2:
        raise ConfigError(
            f'robot.tips: {len(tips)} for planner.kind bimanual ({", ".join(tips) or "none"}); '
            'name two, one for each hand'
        )
