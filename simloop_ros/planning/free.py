"""A free motion: searched, made smooth, timed; or the reason to refuse it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.errors import ConfigError, GoalError
from ..core.values import Array, JointState
from ..robot.model import RobotModel
from ..robot.weight import weight_efforts
from ..world.clearance import Clearance
from ..world.config import WorldConfig
from .cartesian import whole_steps
from .cartesian_limits import Worst, efforts_along
from .config import LONGEST_MOTION, FreeConfig
from .free_goals import goal_postures, refuse_start
from .free_search import SearchedWay, points_along, search_way
from .free_smoothing import smooth_legs
from .side_joints import SideJoints
from .time_optimal import needed_time_optimal

SLOWER = 1.02
"""Factor by which a motion takes longer until it is within the limits at every step."""
MOST_SLOWER = 50
STILL = 1e-9
"""Distance in joint space below which the start is the goal [rad]."""


@dataclass(frozen=True)
class FreePlan:
    """The whole motion.

    :ivar positions: desired positions at each step [rad], shape ``(steps, n)``.
    :ivar corners: of the way that the search found [rad], shape ``(k, n)``.
    """

    positions: Array
    corners: Array


def plan_free(
    config: FreeConfig,
    model: RobotModel,
    world: WorldConfig,
    period: float,
    start: JointState,
    seed: int,
    goals: Array | None = None,
) -> FreePlan:
    """Return the motion from ``start``, around the bodies of a world, or refuse it.

    :param seed: of the search: the same one gives the same motion.
    :param goals: positions of the tips [m], shape ``(tips, 3)``, instead of ``config.move``.
    :raises ConfigError: there is no goal for every tip.
    :raises GoalError: start or goal is not free or out of reach, or no way was found.
    """
    clearance = Clearance(model, world, config.clearance)
    q = start.position
    refuse_start(clearance, q, config.clearance)
    postures = goal_postures(config, model, clearance, q, goals)
    if np.linalg.norm(postures[0] - q) < STILL:
        return FreePlan(q[None], q[None])
    way = search_way(config, model, clearance, q, postures, seed)
    if not way.complete:
        _refuse_way(config, model, clearance, way, postures)
    legs = smooth_legs(clearance, way.corners, config.resolution)
    positions = np.concatenate([_timed(config, model, period, leg) for leg in legs])
    if len(positions) > LONGEST_MOTION:
        raise ConfigError(
            f'planner.joint_acceleration: the motion would take {len(positions)} steps, and at '
            f'most {LONGEST_MOTION} are possible; raise it'
        )
    return FreePlan(positions, way.corners)


def _refuse_way(
    config: FreeConfig,
    model: RobotModel,
    clearance: Clearance,
    way: SearchedWay,
    postures: Array,
) -> None:
    """Raise ``GoalError`` with how near the search came, and what is in the way there."""
    last = way.corners[-1]
    apart = np.linalg.norm(postures - last, axis=1)
    goal = postures[int(np.argmin(apart))]
    rest = points_along(np.array((last, goal)), config.resolution)
    nearest = [each for each in map(clearance.lacking, rest) if each is not None]
    worst = min(nearest, key=lambda each: each.distance, default=None)
    raise GoalError(
        f'no way found in {config.growths} growths of the search: it came within '
        f'{float(apart.min()):.3g} rad of the goal in joint space, and straight on from there '
        f'{worst}; raise planner.growths, lower planner.clearance, or change the goal',
        missing=_apart(model, last, goal),
    )


def _apart(model: RobotModel, q: Array, goal: Array) -> float:
    """Return the largest distance of a tip from its goal [m]; 0 without tips."""
    if not model.tips:
        return 0.0
    away = model.tip_positions(q) - model.tip_positions(goal)
    return float(np.linalg.norm(away, axis=1).max())


def _timed(config: FreeConfig, model: RobotModel, period: float, knots: Array) -> Array:
    """Return the fastest motion along a leg at the end of each step [rad], ``(steps, n)``.

    In steps, velocities and efforts differ a little from those of the profile in continuous time;
    where one would be beyond a limit, the whole leg takes longer.
    """
    joints = SideJoints(knots)
    profile = needed_time_optimal(
        'the free way',
        'change the goal',
        model,
        joints.shares,
        joints.knots,
        config.limit_share,
        config.joint_acceleration,
    )
    duration = profile.duration
    for _ in range(MOST_SLOWER):
        steps = whole_steps(duration, period)
        positions = joints.at(profile.share(np.arange(1, steps + 1) / steps))
        q = np.vstack((knots[:1], positions))
        speeds = Worst([np.diff(q, axis=0) / period], model.velocity_limit)
        efforts = Worst([efforts_along(model, period, q)], model.effort_limit)
        if speeds.share <= 1.0 and efforts.share <= 1.0:
            return positions
        duration *= SLOWER
    joint = efforts.joint
    unit, name = model.effort_units[joint], model.joint_names[joint]
    weight = abs(float(weight_efforts(model, q[efforts.step])[joint]))
    raise GoalError(
        f'the free way: {name} would need {efforts.value:.3g} {unit}, its limit is '
        f'{efforts.limit:.3g} {unit}, and the weight alone needs {weight:.3g} {unit}; change the '
        'goal or raise period',
        joints=(name,),
    )
