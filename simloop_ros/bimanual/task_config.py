"""The tasks of two arms that a scenario can list, and the impedance of hands: their defaults."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ..core.config_types import NonNegative, Positive, Vector

Level = Literal['low', 'medium', 'high']
Six = tuple[Positive, Positive, Positive, Positive, Positive, Positive]
Durations = Annotated[tuple[Positive, ...], msgspec.Meta(min_length=1)]


class ImpedanceConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Response of the hands to an error of the internal force, 003 (2.1); six axes of the object.

    :ivar mass: M of each axis [kg, kg m^2], or a level.
    :ivar damping: beta of each axis [N s/m, N m s/rad], or a level.
    :ivar stiffness: K of each axis [N/m, N m/rad], or a level.
    """

    mass: Level | Six = 'medium'
    damping: Level | Six = 'medium'
    stiffness: Level | Six = 'low'


class _Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field='do'):
    """What all tasks have: a name, in `do`."""


class ApproachTask(_Task, frozen=True, tag='approach', kw_only=True):
    """Both hands go to before the object: Bi-Approach.

    :ivar clearance: distance of the palms from the ends of the object [m].
    :ivar path: `ptp`, point to point in joint space, or `cp`, continuous path: the hands go
        straight.
    :ivar durations: time that it takes [s]; one for both hands, or one for each.
    """

    clearance: Positive = 0.02
    path: Literal['ptp', 'cp'] = 'ptp'
    durations: Durations = (2.0,)


class GraspTask(_Task, frozen=True, tag='grasp', kw_only=True):
    """Both hands close straight on the object, and press it: Bi-Grasp.

    :ivar press: how far beyond its ends they would move without contact [m].
    :ivar squeeze: internal force that they keep from the contact on [N].
    :ivar expect: whether the object is known to be there: without it both arms stop.
    :ivar durations: time that it takes [s]; one for both hands, or one for each.
    """

    press: NonNegative = 0.001
    squeeze: NonNegative = 20.0
    expect: bool = True
    durations: Durations = (0.5,)


class HoldTask(_Task, frozen=True, tag='hold', kw_only=True):
    """Hold the object still: Bi-Hold.

    :ivar duration: how long it takes [s].
    :ivar squeeze: internal force from now on [N]; as before where none is given.
    """

    duration: Positive = 1.0
    squeeze: NonNegative | None = None


class YieldTask(_Task, frozen=True, tag='yield', kw_only=True):
    """Let an external force move the object: Bi-Yield.

    :ivar duration: how long it takes [s].
    :ivar impedance: of the object.
    """

    duration: Positive = 2.0
    impedance: ImpedanceConfig = ImpedanceConfig()


class MoveTask(_Task, frozen=True, tag='move', kw_only=True):
    """Carry the object; the arms follow: Bi-Move.

    :ivar by: displacement of its centre in world axes [m].
    :ivar turn: rotation vector about its centre in world axes [rad].
    :ivar through: displacements from where it is at the begin that its centre passes before `by`,
        in this order and without a stop, on a smooth curve [m]; straight where none are given.
    :ivar duration: how long it takes [s].
    """

    by: Vector = (0.0, 0.0, 0.0)
    turn: Vector = (0.0, 0.0, 0.0)
    through: tuple[Vector, ...] = ()
    duration: Positive = 2.0


class SlideTask(_Task, frozen=True, tag='slide', kw_only=True):
    """Push the object along a surface, which may deflect it: Bi-Slide.

    :ivar by: displacement in world axes [m]; across it the object yields.
    :ivar impedance: of the object, across the displacement.
    :ivar duration: how long it takes [s].
    """

    by: Vector
    impedance: ImpedanceConfig = ImpedanceConfig()
    duration: Positive = 2.0


class HingeTask(_Task, frozen=True, tag='hinge', kw_only=True):
    """Turn the object about a line in the world, as a door: Bi-Hinge.

    :ivar pivot: a point of the line [m].
    :ivar turn: rotation vector along the line [rad].
    :ivar duration: how long it takes [s].
    """

    pivot: Vector
    turn: Vector
    duration: Positive = 2.0


class InsertTask(_Task, frozen=True, tag='insert', kw_only=True):
    """Push the object until something resists: Bi-Insert; in the opposite direction, Bi-Extract.

    :ivar by: displacement in world axes [m].
    :ivar max_force: external force against the motion at which it ends [N].
    :ivar duration: of the whole displacement [s].
    """

    by: Vector
    max_force: Positive = 20.0
    duration: Positive = 2.0


class ReleaseTask(_Task, frozen=True, tag='release', kw_only=True):
    """Both hands open, straight away from the object: Bi-Release.

    :ivar clearance: distance of the palms from its ends afterwards [m].
    :ivar durations: time that it takes [s]; one for both hands, or one for each.
    """

    clearance: Positive = 0.02
    durations: Durations = (0.5,)


class RetractTask(_Task, frozen=True, tag='retract', kw_only=True):
    """Both hands go back to where they were at the start: Bi-Retract.

    :ivar path: `ptp`, point to point in joint space, or `cp`, straight.
    :ivar durations: time that it takes [s]; one for both hands, or one for each.
    """

    path: Literal['ptp', 'cp'] = 'ptp'
    durations: Durations = (2.0,)


class ReachTask(_Task, frozen=True, tag='reach', kw_only=True):
    """One hand goes to a pose by itself; not while both hold the object.

    :ivar tip: which hand.
    :ivar position: where its tip goes to in the world [m].
    :ivar rpy: roll, pitch and yaw there in the world [rad]; as before where none are given.
    :ivar path: `ptp`, point to point in joint space, or `cp`, continuous path: the hand goes
        straight, or `through` points.
    :ivar through: positions in the world that the tip passes before that, in this order and
        without a stop, on a smooth curve [m]; for `cp`.
    :ivar duration: how long it takes [s].
    """

    tip: str
    position: Vector
    rpy: Vector | None = None
    path: Literal['ptp', 'cp'] = 'ptp'
    through: tuple[Vector, ...] = ()
    duration: Positive = 2.0


class JogTask(_Task, frozen=True, tag='jog', kw_only=True):
    """Move one hand by itself, along or about single axes; not while both hold the object.

    :ivar tip: which hand.
    :ivar by: displacement in world axes [m].
    :ivar turn: rotation vector in world axes [rad].
    :ivar joints: how far single joints of its arm go, by name [rad], instead of `by` and `turn`;
        the others rest.
    :ivar duration: how long it takes [s].
    """

    tip: str
    by: Vector = (0.0, 0.0, 0.0)
    turn: Vector = (0.0, 0.0, 0.0)
    joints: dict[str, float] = {}
    duration: Positive = 1.0


Task = (
    ApproachTask
    | GraspTask
    | HoldTask
    | YieldTask
    | MoveTask
    | SlideTask
    | HingeTask
    | InsertTask
    | ReleaseTask
    | RetractTask
    | ReachTask
    | JogTask
)
