"""Motions of the joints through points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import GoalError
from ..core.values import Array
from ..maths.vectors import as_numbers
from ..planning.cartesian import whole_steps
from ..planning.config import LONGEST_MOTION
from ..robot.model import RobotModel
from .goal import TrajectoryGoal, TrajectoryPoint
from .joint_motion import JointMotion
from .trajectory import Reference, Trajectory, joined

START_TOLERANCE = 0.01
"""Distance of a first point at time 0 from where the robot is, which is left out [rad]."""


def through_points(
    goal: TrajectoryGoal, model: RobotModel, motion: JointMotion, begin: Reference
) -> Trajectory:
    """Return the motion through the points of a goal, from the present one.

    With times a spline of degree 5 has continuous accelerations and the velocities that are given;
    it begins with the present velocity and acceleration. Joints that have no part in it brake.

    :raises GoalError: the points are not valid, with the reason.
    """
    chosen = joint_indices(goal.joints, model)
    _refuse_points(goal)
    brake = motion.brake(begin)
    targets = np.tile(brake.position[-1], (len(goal.points), 1))
    targets[:, chosen] = [point.positions for point in goal.points]
    if goal.points[0].time is None:
        parts, here = [], begin
        for target in targets:
            parts.append(motion.to(here, target))
            here = parts[-1].at(parts[-1].steps)
        return joined(*parts)
    points = _without_start(goal.points, begin.position[chosen], goal.joints)
    return _timed(points, chosen, motion, begin, brake)


def joint_indices(names: Sequence[str], model: RobotModel) -> list[int]:
    """Return the indices of joints; raises GoalError for an unknown name or one given twice."""
    for i, name in enumerate(names):
        if name not in model.joint_names:
            raise GoalError(f'unknown joint {name!r}; valid: {", ".join(model.joint_names)}')
        if name in names[:i]:
            raise GoalError(f'{name} is named twice; name it once')
    return [model.joint_names.index(name) for name in names]


def _refuse_points(goal: TrajectoryGoal) -> None:
    count = len(goal.joints)
    timed = [point.time is not None for point in goal.points]
    for i, point in enumerate(goal.points):
        for what in ('positions', 'velocities'):
            given = getattr(point, what)
            if len(given) != count and (given or what == 'positions'):
                raise GoalError(f'point {i}: {len(given)} {what} for {count} joints')
            if not np.isfinite(as_numbers(given, what)).all():
                raise GoalError(f'point {i}: {what} that are not finite numbers')
    if any(timed) and not all(timed):
        raise GoalError('some points have a time and some have none; give all a time, or none')
    if not any(timed) and any(point.velocities for point in goal.points):
        raise GoalError('velocities without times: give every point a time')
    times = [point.time for point in goal.points if point.time is not None]
    if not all(later > before for before, later in zip([-1.0, *times], times, strict=False)):
        raise GoalError('the times of the points do not increase')
    if any(goal.points[-1].velocities):
        raise GoalError('the last point has a velocity: a motion ends at rest')


def _without_start(
    points: Sequence[TrajectoryPoint], present: Array, joints: Sequence[str]
) -> Sequence[TrajectoryPoint]:
    """Return the points that are still ahead: one at time 0 must be where the robot is."""
    if points[0].time:
        return points
    away = np.abs(np.array(points[0].positions) - present)
    if away.max() > START_TOLERANCE:
        joint = int(away.argmax())
        raise GoalError(
            f'the point at time 0 is {away[joint]:.3g} from where {joints[joint]} is; give it a '
            'later time, or leave it out'
        )
    if len(points) == 1:
        raise GoalError('the only point is at time 0; give it a later time')
    return points[1:]


def _timed(
    points: Sequence[TrajectoryPoint],
    chosen: list[int],
    motion: JointMotion,
    begin: Reference,
    brake: Trajectory,
) -> Trajectory:
    times = np.array([0.0, *(point.time or 0.0 for point in points)])
    if times[-1] > LONGEST_MOTION * motion.period:
        raise GoalError(f'{times[-1]:.3g} s are too long; give an end before')
    positions = np.array([begin.position[chosen], *(point.positions for point in points)])
    start = [begin.velocity[chosen], begin.acceleration[chosen]]
    curve = _spline(times, positions, start, points)
    steps = max(whole_steps(float(times[-1]), motion.period), brake.steps)
    at = np.minimum(np.arange(steps + 1) * motion.period, times[-1])
    rows = np.minimum(np.arange(steps + 1), brake.steps)
    q, v, a = brake.position[rows], brake.velocity[rows], brake.acceleration[rows]
    q[:, chosen], v[:, chosen], a[:, chosen] = (curve(at, order) for order in range(3))
    q[-1, chosen] = points[-1].positions
    v[-1] = a[-1] = 0.0
    return Trajectory(motion.period, q, v, a)


def _spline(
    times: Array, positions: Array, start: list[Array], points: Sequence[TrajectoryPoint]
) -> Any:
    """Return a curve of degree 5, callable with times [s] and the order of the derivative.

    :param start: velocity and acceleration at the begin, each of shape ``(joints,)``.
    """
    from scipy.interpolate import BPoly, make_interp_spline

    rest = np.zeros_like(start[0])
    if not any(point.velocities for point in points):
        begin, end = [(1, start[0]), (2, start[1])], [(1, rest), (2, rest)]
        return make_interp_spline(times, positions, k=5, bc_type=(begin, end))
    velocities = [start[0]]
    for i, point in enumerate(points[:-1], 1):
        mean = (positions[i + 1] - positions[i - 1]) / (times[i + 1] - times[i - 1])
        velocities.append(np.array(point.velocities) if point.velocities else mean)
    velocities.append(rest)
    v = np.array(velocities)
    spans = (times[2:] - times[:-2])[:, None]
    a = np.vstack((start[1], (v[2:] - v[:-2]) / spans, rest))
    return BPoly.from_derivatives(times, np.stack((positions, v, a), axis=1))
