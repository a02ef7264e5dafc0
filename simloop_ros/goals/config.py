"""Limits of motions to goals: the one place of these defaults."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ..core.config_types import Positive

Share = Annotated[float, msgspec.Meta(gt=0.0, le=1.0)]
LONGEST_JOG = 5.0
"""Longest time-out of a jog [s]."""
Timeout = Annotated[float, msgspec.Meta(gt=0.0, le=LONGEST_JOG)]


class GoalLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Limits of the motions to goals that are given while the robot runs.

    :ivar velocity_share: share of the robot's velocity limits that is used.
    :ivar velocity: largest of every joint [rad/s or m/s], also where the robot has no limit.
    :ivar acceleration: largest of every joint [rad/s^2 or m/s^2].
    :ivar jerk: largest of every joint [rad/s^3 or m/s^3].
    :ivar tip_velocity: largest of a tip on a straight path [m/s].
    :ivar effort_share: share of the robot's effort limits that a motion may need.
    :ivar jog_timeout: time after the last jog at which the robot brakes [s].
    """

    velocity_share: Share = 0.8
    velocity: Positive = 1.0
    acceleration: Positive = 4.0
    jerk: Positive = 40.0
    tip_velocity: Positive = 0.25
    effort_share: Share = 0.9
    jog_timeout: Timeout = 0.25
