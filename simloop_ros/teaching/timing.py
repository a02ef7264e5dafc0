"""The course of a leg in time: as fast as the limits allow, times a share, without jerks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.errors import GoalError
from ..core.values import Array
from ..planning.cartesian import whole_steps
from ..planning.cartesian_limits import Worst, efforts_along
from ..planning.config import TaskConfig
from ..planning.self_collision import first_touch
from ..planning.side_profiles import Quintic, SideProfile
from ..planning.time_optimal import needed_time_optimal
from ..robot.model import RobotModel
from ..robot.weight import weight_efforts
from .legs import TaskLeg

SHORT, SHORT_TIME = 1e-3, 0.2
"""A leg on which no joint moves by more [rad] takes this time [s], at 0.02 rad/s at most."""


def leg_shares(
    leg: TaskLeg, model: RobotModel, period: float, speed: float, config: TaskConfig
) -> Array:
    """Return the share of a leg that is done at the end of each step, shape ``(steps,)``.

    The fastest profile of toppra within the limits of velocity, acceleration and effort, slowed
    down by ``speed``; a mean over ``ramp_time`` then lets the acceleration rise and fall in that
    time. The path stays the same. Its wait follows, at 1.

    :param speed: share of the fastest motion, 0 to 1.
    :raises GoalError: there is no motion within the limits.
    """
    profile, duration = _profile(leg, model, config)
    steps = whole_steps(duration / speed, period)
    shares = profile.share(np.arange(1, steps + 1) / steps)
    window = max(1, round(config.ramp_time / period))
    padded = np.concatenate((np.zeros(window - 1), shares, np.ones(window - 1)))
    smooth = np.convolve(padded, np.full(window, 1.0 / window), 'valid')
    smooth[-1] = 1.0
    return np.concatenate((np.clip(smooth, 0.0, 1.0), np.ones(round(leg.wait / period))))


def _profile(leg: TaskLeg, model: RobotModel, config: TaskConfig) -> tuple[SideProfile, float]:
    """Return the profile of a leg and how long it takes [s]."""
    curve = leg.curve
    if np.ptp(curve.knots, axis=0).max() < SHORT:
        return Quintic(), SHORT_TIME
    profile = needed_time_optimal(
        leg.name,
        'change the points',
        model,
        curve.shares,
        curve.knots,
        config.limit_share,
        config.joint_acceleration,
    )
    return profile, profile.duration


def refuse_motion(
    model: RobotModel,
    period: float,
    start: Array,
    legs: Sequence[TaskLeg],
    courses: Sequence[Array],
) -> None:
    """Refuse legs that exceed a limit, or let the robot run into itself.

    :param start: joints at which the robot is known to be free [rad], shape ``(n,)``.
    :param courses: joints along each leg at the end of each step [rad], ``(steps, n)`` each.
    :raises GoalError: with the leg, the joint and what to do.
    """
    whole = [
        np.vstack((leg.curve.knots[:1], course)) for leg, course in zip(legs, courses, strict=True)
    ]
    speeds = Worst([np.diff(q, axis=0) / period for q in whole], model.velocity_limit)
    if speeds.share > 1.0:
        joint, unit = model.joint_names[speeds.joint], model.joint_units[speeds.joint]
        raise GoalError(
            f'{legs[speeds.side].name}: {joint} would have to go at {speeds.value:.3g} {unit}/s, '
            f'its limit is {speeds.limit:.3g} {unit}/s; lower planner.speed',
            joints=(joint,),
        )
    efforts = Worst([efforts_along(model, period, q) for q in whole], model.effort_limit)
    if efforts.share > 1.0:
        q = np.vstack(whole)[efforts.step]
        weight = abs(weight_efforts(model, q)[efforts.joint])
        remedy = 'change the points' if weight > efforts.limit else 'lower planner.speed'
        joint, unit = model.joint_names[efforts.joint], model.effort_units[efforts.joint]
        raise GoalError(
            f'{legs[efforts.side].name}: {joint} would need {efforts.value:.3g} {unit}, its limit '
            f'is {efforts.limit:.3g} {unit}, and the weight alone needs {weight:.3g} {unit}; '
            f'{remedy}',
            joints=(joint,),
        )
    touch = first_touch(model, start, np.vstack(courses), period)
    if touch is not None:
        ends = np.cumsum([len(course) for course in courses])
        leg = legs[int(np.searchsorted(ends, touch.step, 'right'))]
        raise GoalError(
            f'{leg.name}: {touch}; change the points, add one on the way, or start elsewhere'
        )
