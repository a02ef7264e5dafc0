"""From a configuration to a planner."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np

from ..core.custom import build_custom
from ..core.errors import ConfigError, GoalError
from ..core.values import Array, JointState
from ..robot.chain import chain_to
from ..robot.model import RobotModel
from ..robot.weight import weight_notes
from ..world.config import WorldConfig
from .cartesian import chosen_tip, plan_cartesian
from .cartesian_limits import Worst, efforts_along
from .config import (
    LONGEST_MOTION,
    CartesianConfig,
    CustomPlannerConfig,
    ForcedMotionConfig,
    FreeConfig,
    GuidingConfig,
    HoldConfig,
    OfflineConfig,
    OnlineConfig,
    PlannerConfig,
)
from .forced_simulation import ForcedSimulation
from .free import plan_free
from .hand_guiding import HandGuiding
from .offline import OfflinePlanner, Stay
from .online import OnlinePlanner
from .planner import Planner
from .rehearsal import Rehearsal, rehearse
from .self_collision import COLLISION_SPACING
from .tip_path import TipCourse, at_same_place

NOISE_MARGIN = 10.0
"""Standard deviations of the encoders that do not count as a difference from the robot."""
NO_WORLD = WorldConfig()
POSE_SIZE = 6
"""Numbers of a pose, and joints that it needs."""


@dataclass(frozen=True)
class PlannedMotion:
    """A planner and its motion.

    :ivar duration: [s], where it is known beforehand.
    :ivar goals: positions of the tips [m], shape ``(tips, 3)``, if it has goals.
    :ivar course: of the tip along a Cartesian path, over time.
    :ivar notes: what a user should know about it, one line each.
    """

    planner: Planner
    duration: float | None = None
    goals: Array | None = None
    course: TipCourse | None = None
    notes: tuple[str, ...] = ()


def build_planner(
    config: PlannerConfig,
    model: RobotModel,
    period: float,
    start: JointState,
    noise: float = 0.0,
    compliance: float | None = None,
    goals: Array | None = None,
    world: WorldConfig = NO_WORLD,
    seed: int = 0,
) -> PlannedMotion:
    """Return the planner for a motion from ``start``, once the motion is known to be possible.

    Of the kinds ``online``, ``offline``, ``cartesian``, ``free``, ``hold`` and ``guiding``.

    :param noise: standard deviation of the encoders [rad].
    :param compliance: position error that the control law leaves per acceleration that the model
        does not explain [s^2]; that of deadbeat control, ``period^2``, where none is given.
    :param goals: of the tips [m], shape ``(tips, 3)``, for a motion that is planned again; where
        none are given, by ``config.move`` from ``start``. A Cartesian path that is planned again
        leads straight to the goal.
    :param world: what a free motion goes around.
    :param seed: of the search for a free motion.
    :raises GoalError: the motion is refused.
    """
    floor = NOISE_MARGIN * noise
    compliance = period**2 if compliance is None else compliance
    match config:
        case HoldConfig():
            return PlannedMotion(Stay(start))
        case GuidingConfig():
            threshold = config.threshold * compliance
            tare_steps = round(config.tare_time / period)
            return PlannedMotion(
                HandGuiding(start, threshold + floor if threshold else 0.0, tare_steps)
            )
        case CartesianConfig():
            _check_tips(model)
            return _cartesian(config, model, period, start, goals)
        case FreeConfig():
            return _free(config, model, world, period, start, seed, goals)
        case OnlineConfig() | OfflineConfig():
            leash = config.leash * compliance + floor if isinstance(config, OnlineConfig) else None
            return _forced(config, model, period, start, goals, leash)
        case CustomPlannerConfig():
            planner = build_custom(
                'planner.kind', config.kind, Planner, config.parameters, model, period, start
            )
            return PlannedMotion(planner, planner.duration)
    raise ValueError(f'planner.kind {config.kind} is not built here')


def _check_tips(model: RobotModel) -> None:
    """Refuse tips that a motion cannot be planned for."""
    if not model.tips:
        raise ConfigError('robot.tips is empty: name at least one link to move')
    for i, (tip, frame) in enumerate(zip(model.tips, model.tip_frames, strict=True)):
        if model.pin_model.frames[frame].parentJoint == 0:
            raise ConfigError(f'robot.tips: no joint moves {tip}; name a link further out')
        if tip in model.tips[:i]:
            raise ConfigError(f'robot.tips: {tip} is named twice')


def _forced(
    config: ForcedMotionConfig,
    model: RobotModel,
    period: float,
    start: JointState,
    goals: Array | None,
    leash: float | None,
) -> PlannedMotion:
    """Return the motion straight to the goals.

    :param leash: of an on-line planner, largest distance from the control state [rad].
    """
    _check_tips(model)
    if len(config.move) != len(model.tips):
        raise ConfigError(
            f'planner.move has {len(config.move)} rows, but there are {len(model.tips)} tips: '
            f'{", ".join(model.tips)}; give one [x, y, z] per tip'
        )
    tips = model.tip_positions(start.position)
    goals = tips + np.array(config.move) if goals is None else goals
    _refuse_endless(config, period, goals - tips)
    simulation, rehearsal, turning = _rehearsed(config, model, period, start, goals)
    notes = _effort_notes(model, period, np.vstack((start.position, rehearsal.positions)))
    notes = (*notes, *turning)
    planner: Planner = (
        OfflinePlanner(rehearsal.positions, period)
        if leash is None
        else OnlinePlanner(simulation, start, leash)
    )
    return PlannedMotion(planner, rehearsal.duration, goals, notes=notes)


def _rehearsed(
    config: ForcedMotionConfig,
    model: RobotModel,
    period: float,
    start: JointState,
    goals: Array,
) -> tuple[ForcedSimulation, Rehearsal, tuple[str, ...]]:
    """Return the motion with or without orientations kept, and a note where tips have to turn.

    :raises ConfigError: ``pose`` is to be kept with too few joints.
    :raises GoalError: the motion is refused.
    """
    short = _short_of_joints(model)
    if config.keep == 'pose' and short:
        raise ConfigError(f'planner.keep: pose, but {short}; give position')
    keeps = config.keep != 'position' and not short
    simulation = ForcedSimulation(model, config, period, goals, keep_rotations=keeps)
    try:
        rehearsal = rehearse(simulation, start)
    except GoalError as error:
        if not (keeps and config.keep == 'auto'):
            raise
        short = f'with their orientation kept: {str(error).partition("; ")[0]}'
        simulation = ForcedSimulation(model, config, period, goals)
        rehearsal = rehearse(simulation, start)
    turning = (f'the tips may turn on the way (planner.keep: auto): {short}',) if short else ()
    return simulation, rehearsal, turning if config.keep == 'auto' else ()


def _short_of_joints(model: RobotModel) -> str:
    """Return why the tips cannot keep their orientations on straight paths; empty if they can."""
    chains = {tip: chain_to(model, tip).joints for tip in model.tips}
    for tip, joints in chains.items():
        if len(joints) < POSE_SIZE:
            return f'{len(joints)} joints move {tip}, and a pose needs {POSE_SIZE}'
    count = len({joint for joints in chains.values() for joint in joints})
    needed = POSE_SIZE * len(chains)
    if count < needed:
        return f'{count} joints move {len(chains)} tips, and their poses need {needed}'
    return ''


def _effort_notes(model: RobotModel, period: float, q: Array) -> tuple[str, ...]:
    """Return a note if a motion asks for too much effort; refuse it if the weight alone does.

    The planner on line may deviate from what is simulated beforehand, so this is not refused.

    :param q: at the start and at the end of each step [rad], shape ``(steps + 1, n)``.
    :raises GoalError: the weight alone exceeds a limit.
    """
    stride = max(1, round(COLLISION_SPACING / period))
    notes = weight_notes(model, q[::stride], 'on the way')
    worst = Worst([efforts_along(model, period, q)], model.effort_limit)
    if worst.share <= 1.0:
        return notes
    joint, unit = model.joint_names[worst.joint], model.effort_units[worst.joint]
    return (
        *notes,
        f'{joint} would need {worst.value:.4g} {unit} at t = {worst.step * period:.3g} s, its '
        f'effort limit is {worst.limit:.4g} {unit}: the tip will lag behind; lower '
        'planner.acceleration or max_velocity, or use planner.profile=jerk_limited',
    )


def _cartesian(
    config: CartesianConfig,
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


def _free(
    config: FreeConfig,
    model: RobotModel,
    world: WorldConfig,
    period: float,
    start: JointState,
    seed: int,
    goals: Array | None,
) -> PlannedMotion:
    if not config.joints:
        _check_tips(model)
    plan = plan_free(config, model, world, period, start, seed, goals)
    planner = OfflinePlanner(plan.positions, period)
    tips = model.tip_positions(plan.positions[-1]) if model.tips else None
    return PlannedMotion(planner, planner.duration, tips)


def _refuse_endless(config: ForcedMotionConfig, period: float, displacements: Array) -> None:
    distance = max(hypot(*displacement) for displacement in displacements.tolist())
    time = distance / config.max_velocity + 2.0 * sqrt(distance / config.acceleration)
    if config.profile == 'jerk_limited':
        time += 4.0 * (0.5 * distance / config.jerk) ** (1.0 / 3.0)
    if time > LONGEST_MOTION * period:
        raise ConfigError(
            f'planner.move: {distance:g} m would take about {time:.3g} s, more than '
            f'{LONGEST_MOTION} steps; raise planner.max_velocity, acceleration or jerk'
        )
