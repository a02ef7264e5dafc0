"""Configuration of the motion planners: the one place of these defaults."""

from __future__ import annotations

from math import pi
from typing import Annotated, Literal

import msgspec

from ..core.config_types import CUSTOM, ClassName, NonNegative, Parameters, Positive, Vector

Share = Annotated[float, msgspec.Meta(gt=0.0, le=1.0)]
HalfShare = Annotated[float, msgspec.Meta(ge=0.01, le=0.5)]
Angle = Annotated[float, msgspec.Meta(ge=-2.0 * pi, le=2.0 * pi)]
LONGEST_MOTION = 1_000_000
"""Number of steps that a planned motion may take; a run may rest at its goal for longer."""


class PlannerConfig(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field='kind'
):
    """Which motion is planned, and how: each subclass is one ``planner.kind``.

    :ivar kind: ``online`` where none is given.
    """

    @property
    def kind(self) -> str:
        """Return the value of ``planner.kind``."""
        return str(self.__struct_config__.tag)


class ForcedMotionConfig(PlannerConfig, frozen=True, kw_only=True):
    """A motion of all tips, straight to their goals, 000 section 5.2.

    :ivar move: displacement of each tip in world axes [m], one row per tip.
    :ivar keep: what each tip keeps on its way: ``pose``, its place on the path and its
        orientation at the start, which needs six joints for each tip; ``position``, its place
        alone, as in 000, so that it turns; ``auto``, the pose where there are joints for it.
    :ivar acceleration: of a tip [m/s^2].
    :ivar max_velocity: of a tip [m/s].
    :ivar profile: of the speed: ``constant_acceleration``, 000 algorithm 1, or ``jerk_limited``
        (ruckig).
    :ivar jerk: of a tip under ``jerk_limited`` [m/s^3].
    :ivar damping_time: time constant with which joint motion that the tips leave free decays [s].
    :ivar range_time: time constant of the approach to the end of a joint's range [s].
    """

    move: tuple[Vector, ...] = ()
    keep: Literal['auto', 'pose', 'position'] = 'auto'
    acceleration: Positive = 0.5
    max_velocity: Positive = 0.25
    profile: Literal['constant_acceleration', 'jerk_limited'] = 'constant_acceleration'
    jerk: Positive = 5.0
    damping_time: Positive = 0.05
    range_time: Positive = 0.1


class OnlineConfig(ForcedMotionConfig, frozen=True, kw_only=True, tag='online'):
    """Planned while the robot moves, 000 figure 6.

    :ivar leash: how far the planner's own simulation may be from the control state, as an
        acceleration: the distance is ``leash * period^2`` under deadbeat control, and
        ``leash / natural_frequency^2`` under the other laws [rad/s^2].
    """

    leash: NonNegative = 100.0


class OfflineConfig(ForcedMotionConfig, frozen=True, kw_only=True, tag='offline'):
    """Planned beforehand, 000 figure 5."""


class CartesianConfig(PlannerConfig, frozen=True, kw_only=True, tag='cartesian'):
    """One tip along straight sides from corner to corner, planned beforehand.

    :ivar corners: points to which the tip goes one after the other, at rest at each [m].
    :ivar corners_from: origin of the corners, in world axes: that of the ``world``, or the
        position of the tip at the ``start``.
    :ivar closed: whether a last side returns to the first corner.
    :ivar tip: which of ``robot.tips`` moves; needed where there are several.
    :ivar orientation: roll, pitch and yaw of the tip in the world [rad], to which it turns along
        the first side; where none is given, the orientation at the start is kept.
    :ivar profile: of the speed along a side: ``quintic``, ``trapezoidal`` or ``time_optimal``
        (toppra).
    :ivar duration: time for each side [s]; ``time_optimal`` finds its own.
    :ivar ramp: ``trapezoidal``, share of a side's time in which the tip accelerates, and in which
        it decelerates.
    :ivar joint_acceleration: ``time_optimal``, largest of every joint [rad/s^2].
    :ivar limit_share: ``time_optimal``, share that it uses of the robot's limits of velocity and
        effort; the rest is a reserve for model errors.
    """

    corners: tuple[Vector, ...] = ()
    corners_from: Literal['world', 'start'] = 'world'
    closed: bool = False
    tip: str | None = None
    orientation: tuple[Angle, Angle, Angle] | None = None
    profile: Literal['quintic', 'trapezoidal', 'time_optimal'] = 'quintic'
    duration: Positive = 5.0
    ramp: HalfShare = 0.25
    joint_acceleration: Positive = 20.0
    limit_share: Share = 0.9


class FreeConfig(PlannerConfig, frozen=True, kw_only=True, tag='free'):
    """All joints to a goal around what is known to be in the way, planned beforehand.

    :ivar move: displacement of each tip in world axes [m], one row per tip.
    :ivar orientations: roll, pitch and yaw of each tip at its goal, in the world [rad], one row
        per tip; those at the start where none are given.
    :ivar joints: goal by joint [rad or m], instead of ``move``; joints left out stay.
    :ivar clearance: distance that links keep from bodies of the `world` and from each other [m].
    :ivar resolution: distance in joint space between two checks of a way [rad].
    :ivar growths: of the search, after which it is given up.
    :ivar joint_acceleration: largest of every joint [rad/s^2].
    :ivar limit_share: share that the motion uses of the robot's limits of velocity and effort;
        the rest is a reserve for model errors.
    """

    move: tuple[Vector, ...] = ()
    orientations: tuple[tuple[Angle, Angle, Angle], ...] = ()
    joints: dict[str, float] = {}
    clearance: NonNegative = 0.01
    resolution: Positive = 0.02
    growths: Annotated[int, msgspec.Meta(ge=1, le=10_000_000)] = 20_000
    joint_acceleration: Positive = 10.0
    limit_share: Share = 0.8


class BimanualMotionConfig(PlannerConfig, frozen=True, tag='bimanual'):
    """Two arms on one object, 003; their tasks are in ``bimanual.tasks``."""


class HoldConfig(PlannerConfig, frozen=True, tag='hold'):
    """The robot stays at the start, for a robot with admittance."""


class GuidingConfig(PlannerConfig, frozen=True, kw_only=True, tag='guiding'):
    """The robot stays where a hand moves it, without admittance, 000 section 6.1.4.

    :ivar threshold: unexplained acceleration above which the position follows the hand
        [rad/s^2]; 0 follows at every step, as 000 does.
    :ivar tare_time: with a threshold, time at the start without a hand, in which the model error
        is learnt [s].
    """

    threshold: NonNegative = 0.0
    tare_time: Positive = 0.25


class TaskConfig(PlannerConfig, frozen=True, kw_only=True, tag='task'):
    """A task that was taught, played: smoothly to its first point, then from point to point.

    :ivar file: of the task, as ``simloop teach`` writes it; or the name of a shipped one.
    :ivar speed: share of the fastest motion within the limits; that of the task where none is
        given.
    :ivar loop: number of times that it is played; 0 for without end.
    :ivar joint_acceleration: largest of every joint [rad/s^2].
    :ivar limit_share: share that the fastest motion uses of the robot's limits of velocity and
        effort; the rest is a reserve for model errors.
    :ivar ramp_time: in which accelerations rise and fall [s].
    """

    file: str = ''
    speed: Share | None = None
    loop: Annotated[int, msgspec.Meta(ge=0)] = 1
    joint_acceleration: Positive = 10.0
    limit_share: Share = 0.8
    ramp_time: NonNegative = 0.1


class CustomPlannerConfig(PlannerConfig, frozen=True, kw_only=True, tag=CUSTOM):
    """A planner class of the user.

    :ivar kind: module and class, as ``my_module:MyPlanner``.
    :ivar parameters: values for the class, by name.
    """

    kind: ClassName = msgspec.field(name='class')
    parameters: Parameters = {}


AnyPlannerConfig = (
    OnlineConfig
    | OfflineConfig
    | CartesianConfig
    | FreeConfig
    | BimanualMotionConfig
    | HoldConfig
    | GuidingConfig
    | TaskConfig
    | CustomPlannerConfig
)
"""Every ``planner.kind``; the first one is the default."""
