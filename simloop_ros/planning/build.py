"""From a configuration to a planner."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np

from ..core.errors import ConfigError
from ..core.values import Array, JointState
from ..robot.model import RobotModel
from .cartesian import chosen_tip, plan_cartesian
from .config import FORCED_PROFILES, LONGEST_MOTION, SIDE_PROFILES, PlannerConfig
from .forced_simulation import ForcedSimulation
from .hand_guiding import HandGuiding
from .offline import OfflinePlanner
from .online import OnlinePlanner
from .planner import Planner
from .rehearsal import rehearse
from .stay import Stay
from .tip_path import TipCourse, at_same_place

NOISE_MARGIN = 10.0
"""Standard deviations of the encoders that never count as a difference from the robot."""


@dataclass(frozen=True)
class PlannedMotion:
    """A planner and its motion.

    :ivar duration: how long it takes [s], where that is known beforehand.
    :ivar goals: where the tips go [m], shape ``(tips, 3)``, if anywhere.
    :ivar course: where a tip shall be at any time, of a Cartesian path.
    """

    planner: Planner
    duration: float | None = None
    goals: Array | None = None
    course: TipCourse | None = None


def build_planner(
    config: PlannerConfig,
    model: RobotModel,
    period: float,
    start: JointState,
    noise: float = 0.0,
    compliance: float | None = None,
    goals: Array | None = None,
) -> PlannedMotion:
    """Return the planner for a motion from ``start``, once the motion is known to be possible.

    Of every kind but ``bimanual``, which ``bimanual.build`` knows.

    :param noise: standard deviation of the encoders [rad].
    :param compliance: position error that the control law leaves per acceleration that the model
        does not explain [s^2]; that of deadbeat control, ``period^2``, where none is given.
    :param goals: where the tips go [m], shape ``(tips, 3)``, for a motion that is planned anew;
        where none are given, by ``config.move`` from ``start``. A Cartesian path that is planned
        anew leads straight to the goal.
    :raises GoalError: the motion is refused.
    """
    if config.kind == 'bimanual':
        raise ValueError('two hands: ask bimanual.build')
    refuse_corners(config)
    floor = NOISE_MARGIN * noise
    compliance = period**2 if compliance is None else compliance
    if config.kind == 'guiding':
        threshold = config.threshold * compliance
        tare_steps = round(config.tare_time / period)
        return PlannedMotion(
            HandGuiding(start, threshold + floor if threshold else 0.0, tare_steps)
        )
    if config.kind == 'hold':
        return PlannedMotion(Stay(start))
    if not model.tips:
        raise ConfigError('robot.tips is empty: name at least one link to move')
    for i, (tip, frame) in enumerate(zip(model.tips, model.tip_frames, strict=True)):
        if model.pin_model.frames[frame].parentJoint == 0:
            raise ConfigError(f'robot.tips: no joint moves {tip}; name a link further out')
        if tip in model.tips[:i]:
            raise ConfigError(f'robot.tips: {tip} is named twice')
    allowed = SIDE_PROFILES if config.kind == 'cartesian' else FORCED_PROFILES
    if config.profile is not None and config.profile not in allowed:
        raise ConfigError(
            f'planner.profile: {config.profile} is not for planner.kind {config.kind}; '
            f'choose one of {", ".join(allowed)}'
        )
    if config.kind == 'cartesian':
        return _cartesian(config, model, period, start, goals)
    if len(config.move) != len(model.tips):
        raise ConfigError(
            f'planner.move has {len(config.move)} rows, but there are {len(model.tips)} tips: '
            f'{", ".join(model.tips)}; give one [x, y, z] per tip'
        )
    tips = model.tip_positions(start.position)
    goals = tips + np.array(config.move) if goals is None else goals
    _refuse_endless(config, period, goals - tips)
    simulation = ForcedSimulation(model, config, period, goals)
    rehearsal = rehearse(simulation, start)
    planner: Planner = (
        OfflinePlanner(rehearsal.positions, period)
        if config.kind == 'offline'
        else OnlinePlanner(simulation, start, config.leash * compliance + floor)
    )
    return PlannedMotion(planner, rehearsal.duration, goals)


def refuse_corners(config: PlannerConfig) -> None:
    """Refuse corners for a planner that does not go along them."""
    if config.corners and config.kind != 'cartesian':
        raise ConfigError(
            f'planner.corners are not for planner.kind {config.kind}; set planner.kind=cartesian, '
            'or leave them out'
        )


def _cartesian(
    config: PlannerConfig,
    model: RobotModel,
    period: float,
    start: JointState,
    goals: Array | None,
) -> PlannedMotion:
    tip = model.tips.index(chosen_tip(config, model))
    if goals is not None and at_same_place(goals[tip], model.tip_positions(start.position)[tip]):
        return PlannedMotion(OfflinePlanner(start.position[None], period), 0.0, goals)
    plan = plan_cartesian(config, model, period, start, None if goals is None else goals[tip])
    if goals is None:
        goals = model.tip_positions(start.position)
        goals[tip] = plan.course.sides[-1].end.position
    planner = OfflinePlanner(plan.positions, period)
    return PlannedMotion(planner, plan.course.duration, goals, plan.course)


def _refuse_endless(config: PlannerConfig, period: float, ways: Array) -> None:
    distance = max(hypot(*way) for way in ways.tolist())
    time = distance / config.max_velocity + 2.0 * sqrt(distance / config.acceleration)
    if config.profile == 'jerk_limited':
        time += 4.0 * (0.5 * distance / config.jerk) ** (1.0 / 3.0)
    if time > LONGEST_MOTION * period:
        raise ConfigError(
            f'planner.move: {distance:g} m would take about {time:.3g} s, more than '
            f'{LONGEST_MOTION} steps; raise planner.max_velocity, acceleration or jerk'
        )
