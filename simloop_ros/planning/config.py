"""What a scenario can say about its motion planner: the one place of these defaults."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..config_types import NonNegative, Positive, Vector


class PlannerConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which motion is wanted, and how it is planned.

    :ivar kind: ``online`` plans while the robot moves, ``offline`` beforehand; ``hold`` stays at
        the start, for a robot with admittance; ``guiding`` leaves the motion to a hand without
        any, as 000 does.
    :ivar move: displacement of each tip in world axes [m], one row per tip.
    :ivar acceleration: of a tip [m/s^2].
    :ivar max_velocity: of a tip [m/s].
    :ivar profile: ``constant_acceleration``, 000 algorithm 1, or ``jerk_limited`` (ruckig).
    :ivar jerk: of a tip under ``jerk_limited`` [m/s^3].
    :ivar damping_time: time constant with which joint motion that the tips leave free dies [s].
    :ivar range_time: time constant of the approach to the end of a joint's range [s].
    :ivar leash: on-line, how far the planner's own simulation may be from the control state, as
        an acceleration: the distance is ``leash * period^2`` under deadbeat control, and
        ``leash / natural_frequency^2`` under computed torque [rad/s^2].
    :ivar threshold: guiding, the unexplained acceleration above which the position follows the
        hand [rad/s^2]; 0 follows at every step, as 000 does.
    :ivar tare_time: guiding with a threshold, time at the start without a hand, in which the
        model error is learnt [s].
    """

    kind: Literal['online', 'offline', 'hold', 'guiding'] = 'online'
    move: tuple[Vector, ...] = ()
    acceleration: Positive = 0.5
    max_velocity: Positive = 0.25
    profile: Literal['constant_acceleration', 'jerk_limited'] = 'constant_acceleration'
    jerk: Positive = 5.0
    damping_time: Positive = 0.05
    range_time: Positive = 0.1
    leash: NonNegative = 100.0
    threshold: NonNegative = 0.0
    tare_time: Positive = 0.25
