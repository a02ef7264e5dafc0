"""A tip along corners: every joint position beforehand, or the reason to refuse it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from ..core.errors import ConfigError, GoalError, UnknownNameError, UnreachableError
from ..core.values import Array, JointState
from ..kinematics.inverse import inverse_kinematics
from ..kinematics.solver import InverseKinematics
from ..kinematics.velocity import TipVelocity
from ..robot.model import RobotModel, link_positions
from .cartesian_limits import SideMotion, refuse_slow_joints, refuse_weak_joints
from .config import LONGEST_MOTION, CartesianConfig
from .self_collision import first_touch
from .side_joints import SideJoints
from .side_profiles import Quintic, SideProfile, Tabulated, Trapezoidal
from .time_optimal import needed_time_optimal
from .tip_path import Corner, Side, TipCourse, in_words, sides_of, straight_sides

SAMPLE_SPACING = 1e-3
"""Largest distance between two samples of a side, at which the joints are found [m]."""
FEWEST_SAMPLES, MOST_SAMPLES = 100, 3_200
PATH_TOLERANCE, LARGEST_DEVIATION = 1e-8, 1e-6
"""Distances of the tip from its side between two samples [m]: below the first there are enough
samples, above the second the side is refused."""
SINGULAR = 5e-3
"""Smallest singular value of the Jacobian below which the arm is singular [m/s or rad/s of the tip
for 1 rad/s of the joints]: 0.1 m/s in the worst direction would need 20 rad/s."""
LIMIT_TOLERANCE = 0.02
"""Distance from the end of its range below which a joint is at its limit [rad]."""
STEP_ROUNDING = 1e-9
"""Relative excess over a whole number of steps that counts as rounding."""


@dataclass(frozen=True)
class CartesianPlan:
    """The whole motion.

    :ivar positions: desired positions at each step [rad], shape ``(steps, n)``.
    :ivar course: of the tip over time.
    """

    positions: Array
    course: TipCourse


def chosen_tip(config: CartesianConfig, model: RobotModel) -> str:
    """Return the tip that goes along the corners.

    :raises ConfigError: the choice is missing or unknown.
    """
    if config.tip is not None:
        if config.tip not in model.tips:
            raise UnknownNameError('planner.tip', config.tip, model.tips)
        return config.tip
    if len(model.tips) != 1:
        raise ConfigError(
            f'planner.tip: the robot has {len(model.tips)} tips; '
            f'choose one of {", ".join(model.tips)}'
        )
    return model.tips[0]


def plan_cartesian(
    config: CartesianConfig,
    model: RobotModel,
    period: float,
    start: JointState,
    goal: Array | None = None,
) -> CartesianPlan:
    """Return the motion from ``start`` along the corners, or refuse it.

    The tip is at rest at every corner, and every side takes a whole number of steps: its time is
    rounded up. The joints are those of the inverse kinematics, each nearest to those before;
    joints that do not move the tip stay.

    :param goal: target of a straight path that replaces the corners [m], shape ``(3,)``.
    :raises ConfigError: the corners make no path.
    :raises GoalError: a corner or a side cannot be reached, or not within the limits.
    """
    tip = chosen_tip(config, model)
    (pose,) = model.frame_poses(start.position, [tip])
    if goal is None:
        sides = sides_of(config, pose)
    else:
        path = (Corner('the present position', pose.translation), Corner('the goal', goal))
        sides = straight_sides(path, pose.rotation, config.orientation)
    courses = joints_along(model, inverse_kinematics(model, tip), sides, start.position)
    profiles = _profiles(config, model, sides, courses)
    motions = tuple(
        SideMotion(side, joints, profile, whole_steps(_duration(profile, config), period))
        for side, joints, profile in zip(sides, courses, profiles, strict=True)
    )
    _check_duration(config, period, motions)
    refuse_slow_joints(config, model, period, motions)
    positions = np.concatenate([motion.positions(motion.steps) for motion in motions])
    refuse_weak_joints(config, model, period, start.position, positions, motions)
    touch = first_touch(model, start.position, positions, period)
    if touch is not None:
        ends = np.cumsum([motion.steps for motion in motions])
        side = sides[int(np.searchsorted(ends, touch.step, 'right'))]
        raise GoalError(f'{side}: {touch}; move its corners or start from another robot.home')
    durations = period * np.array([motion.steps for motion in motions], np.float64)
    return CartesianPlan(positions, TipCourse(tip, sides, tuple(profiles), durations))


def _duration(profile: SideProfile, config: CartesianConfig) -> float:
    return profile.duration if isinstance(profile, Tabulated) else config.duration


def whole_steps(duration: float, period: float) -> int:
    """Return the number of steps that a duration [s] takes, rounded up, at least one."""
    return max(1, ceil(duration / period * (1.0 - STEP_ROUNDING)))


def _check_duration(config: CartesianConfig, period: float, motions: Sequence[SideMotion]) -> None:
    steps = sum(motion.steps for motion in motions)
    if steps > LONGEST_MOTION:
        key = 'joint_acceleration' if config.profile == 'time_optimal' else 'duration'
        raise ConfigError(
            f'planner.{key}: the motion would take {steps * period:.3g} s, {steps:.3g} steps of '
            f'{period:g} s, and at most {LONGEST_MOTION} are possible; '
            f'{"raise" if config.profile == "time_optimal" else "lower"} it'
        )


def joints_along(
    model: RobotModel, solver: InverseKinematics, sides: Sequence[Side], start: Array
) -> list[SideJoints]:
    """Return the joints along every side; corners are checked first.

    :raises GoalError: a corner is out of reach, or a side, or a side is singular somewhere.
    """
    near = start
    for side in sides:
        (pose,) = side.poses(np.ones(1))
        try:
            near = solver.nearest(pose, near)
        except UnreachableError as error:
            raise _refusal(str(side.end), error, model) from error
    courses = []
    for side in sides:
        joints = _joints_on(model, solver, side, start)
        _refuse_singular(model, solver.tip, side, joints)
        courses.append(joints)
        start = joints.knots[-1]
    return courses


def _joints_on(
    model: RobotModel, solver: InverseKinematics, side: Side, start: Array
) -> SideJoints:
    """Return the joints along a side, with enough samples that the tip stays on it in between.

    :raises GoalError: it is out of reach somewhere.
    """
    samples = max(FEWEST_SAMPLES, ceil(side.length / SAMPLE_SPACING))
    while True:
        shares = np.linspace(0.0, 1.0, samples + 1)
        poses = side.poses(shares)
        try:
            joints = SideJoints(solver.along(poses, start))
        except UnreachableError as error:
            at = error.index or 0
            (point,) = side.points(shares[at : at + 1])
            before = solver.along(poses[:at], start)[-1] if at else start
            raise _refusal(f'{side}, at {in_words(point)}', error, model, before) from error
        between = (shares[1:] + shares[:-1]) / 2.0
        tips = link_positions(model.pin_model, solver.tip, joints.at(between))
        deviation = np.linalg.norm(tips - side.points(between), axis=1)
        worst = int(np.argmax(deviation))
        if deviation[worst] <= PATH_TOLERANCE:
            return joints
        if 2 * samples > MOST_SAMPLES:
            break
        samples *= 2
    if deviation[worst] > LARGEST_DEVIATION:
        turned = np.abs(joints.knots[worst + 1] - joints.knots[worst])
        joint = model.joint_names[int(np.argmax(turned))]
        (point,) = side.points(between[worst : worst + 1])
        raise GoalError(
            f'{side}, at {in_words(point)}: {joint} would have to turn too abruptly for the tip '
            f'to keep to it (off by {deviation[worst]:.1e} m): a singularity, or the limit of a '
            'joint, is near; move its corners, turn the tip (planner.orientation) or start from '
            'another robot.home',
            solver.tip,
            joints=(joint,),
        )
    return joints


def _refusal(
    where: str, error: UnreachableError, model: RobotModel, before: Array | None = None
) -> GoalError:
    """Return why a corner or a side is refused, from the error of the inverse kinematics.

    :param before: the last joints that could be reached [rad], shape ``(n,)``, on a side.
    """
    reason = str(error)
    if error.index is not None:
        reason = reason.partition(': ')[2]
    reason, joints = reason.partition('; ')[0], error.joints
    if error.kind == 'leap' and before is not None:
        at_end = np.minimum(before - model.lower, model.upper - before) < LIMIT_TOLERANCE
        joints = tuple(model.joint_names[i] for i in np.flatnonzero(at_end)) or joints
        cause = (
            f'{", ".join(joints)} comes to its limit'
            if at_end.any()
            else 'it crosses a singularity'
        )
        reason = f'{cause}: {reason}'
    remedy = 'move the corner' if before is None else 'move its corners'
    return GoalError(
        f'{where}: {reason}; {remedy}, turn the tip (planner.orientation) or start from another '
        'robot.home',
        error.tip,
        error.missing,
        joints,
    )


def _refuse_singular(model: RobotModel, tip: str, side: Side, joints: SideJoints) -> None:
    tip_velocity = TipVelocity(model, tip)
    values = [tip_velocity.dexterity(q).smallest for q in joints.knots]
    worst = int(np.argmin(values))
    if values[worst] < SINGULAR:
        (point,) = side.points(joints.shares[worst : worst + 1])
        raise GoalError(
            f'{side}: it crosses a singularity at {in_words(point)}, where the joints cannot move '
            f'the tip in every direction (smallest singular value {values[worst]:.2g}, at least '
            f'{SINGULAR:g} is needed); move its corners, turn the tip (planner.orientation) or '
            'start from another robot.home',
            tip,
        )


def _profiles(
    config: CartesianConfig,
    model: RobotModel,
    sides: Sequence[Side],
    courses: Sequence[SideJoints],
) -> list[SideProfile]:
    if config.profile != 'time_optimal':
        trapezoidal = config.profile == 'trapezoidal'
        return [Trapezoidal(config.ramp) if trapezoidal else Quintic() for _ in sides]
    return [
        needed_time_optimal(
            str(side),
            'move its corners',
            model,
            joints.shares,
            joints.knots,
            config.limit_share,
            config.joint_acceleration,
        )
        for side, joints in zip(sides, courses, strict=True)
    ]
