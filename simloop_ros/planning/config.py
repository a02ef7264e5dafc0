"""What a scenario can say about its motion planner: the one place of these defaults."""

from __future__ import annotations

from math import pi
from typing import Annotated, Literal

import msgspec

from ..core.config_types import NonNegative, Positive, Vector

Share = Annotated[float, msgspec.Meta(gt=0.0, le=1.0)]
HalfShare = Annotated[float, msgspec.Meta(ge=0.01, le=0.5)]
Angle = Annotated[float, msgspec.Meta(ge=-2.0 * pi, le=2.0 * pi)]
FORCED_PROFILES = ('constant_acceleration', 'jerk_limited')
"""Of ``online`` and ``offline``; the first one where none is given."""
SIDE_PROFILES = ('quintic', 'trapezoidal', 'time_optimal')
"""Of ``cartesian``; the first one where none is given."""
LONGEST_MOTION = 1_000_000
"""Number of steps that a planned motion may take; a run may rest at its goal for longer."""


class PlannerConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which motion is wanted, and how it is planned.

    :ivar kind: ``online`` plans while the robot moves, ``offline`` beforehand; ``cartesian`` leads
        a tip along corners, planned beforehand; ``bimanual`` does ``bimanual.tasks`` with two
        arms on one object; ``hold`` stays at the start, for a robot with admittance; ``guiding``
        leaves the motion to a hand without any, as 000 does.
    :ivar move: displacement of each tip in world axes [m], one row per tip.
    :ivar acceleration: of a tip [m/s^2].
    :ivar max_velocity: of a tip [m/s].
    :ivar profile: ``constant_acceleration``, 000 algorithm 1, or ``jerk_limited`` (ruckig);
        cartesian, how the tip goes along a side: ``quintic``, ``trapezoidal`` or ``time_optimal``
        (toppra). The first one of either where none is given.
    :ivar jerk: of a tip under ``jerk_limited`` [m/s^3].
    :ivar damping_time: time constant with which joint motion that the tips leave free dies [s].
    :ivar range_time: time constant of the approach to the end of a joint's range [s].
    :ivar leash: on-line, how far the planner's own simulation may be from the control state, as
        an acceleration: the distance is ``leash * period^2`` under deadbeat control, and
        ``leash / natural_frequency^2`` under the other laws [rad/s^2].
    :ivar threshold: guiding, the unexplained acceleration above which the position follows the
        hand [rad/s^2]; 0 follows at every step, as 000 does.
    :ivar tare_time: guiding with a threshold, time at the start without a hand, in which the
        model error is learnt [s].
    :ivar corners: cartesian, points to which the tip goes one after the other, straight, at rest
        at each [m].
    :ivar corners_from: cartesian, what corners are counted from, in world axes: the origin of the
        ``world`` or where the tip is at the ``start``.
    :ivar closed: cartesian, whether a last side leads back to the first corner.
    :ivar tip: cartesian, which of ``robot.tips`` goes; not needed where there is only one.
    :ivar orientation: cartesian, roll, pitch and yaw of the tip in the world [rad], to which it
        turns along the first side; the one at the start is held where none is given.
    :ivar duration: cartesian, time for each side [s]; ``time_optimal`` finds its own.
    :ivar ramp: cartesian with ``trapezoidal``, share of a side's time in which the tip speeds up,
        and in which it slows down.
    :ivar joint_acceleration: cartesian with ``time_optimal``, largest of every joint [rad/s^2].
    :ivar limit_share: cartesian with ``time_optimal``, share that it uses of the robot's limits of
        velocity and effort; the rest is for what the model does not know.
    """

    kind: Literal['online', 'offline', 'cartesian', 'bimanual', 'hold', 'guiding'] = 'online'
    move: tuple[Vector, ...] = ()
    acceleration: Positive = 0.5
    max_velocity: Positive = 0.25
    profile: (
        Literal['constant_acceleration', 'jerk_limited', 'quintic', 'trapezoidal', 'time_optimal']
        | None
    ) = None
    jerk: Positive = 5.0
    damping_time: Positive = 0.05
    range_time: Positive = 0.1
    leash: NonNegative = 100.0
    threshold: NonNegative = 0.0
    tare_time: Positive = 0.25
    corners: tuple[Vector, ...] = ()
    corners_from: Literal['world', 'start'] = 'world'
    closed: bool = False
    tip: str | None = None
    orientation: tuple[Angle, Angle, Angle] | None = None
    duration: Positive = 5.0
    ramp: HalfShare = 0.25
    joint_acceleration: Positive = 20.0
    limit_share: Share = 0.9
