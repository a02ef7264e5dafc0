"""Where a free motion may end: every posture that has the goal, and is free."""

from __future__ import annotations

from itertools import product

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError, GoalError, UnknownNameError, UnreachableError
from ..core.values import Array
from ..kinematics.inverse import inverse_kinematics
from ..robot.model import RobotModel
from ..world.clearance import Clearance, Nearness
from .config import FreeConfig

MOST_POSTURES = 1024
"""Combinations of the branches of all tips that are looked at."""
MOST_GOALS = 16
"""Free postures among which the search may choose, nearest first."""


def refuse_start(clearance: Clearance, start: Array, asked: float) -> None:
    """Raise ``GoalError`` if the start [rad], shape ``(n,)``, is not free."""
    if not clearance.free(start):
        raise GoalError(
            f'start in collision: {_why(clearance.lacking(start), asked)}; move the body, lower '
            'planner.clearance or start from another robot.home'
        )


def goal_postures(
    config: FreeConfig,
    model: RobotModel,
    clearance: Clearance,
    start: Array,
    goals: Array | None = None,
) -> Array:
    """Return postures at the goal that are free [rad], shape ``(k, n)``, nearest first.

    Of tips these are all branches of the inverse kinematics within the limits, of several tips
    with each other.

    :param goals: positions of the tips [m], shape ``(tips, 3)``, instead of ``config.move``.
    :raises ConfigError: no goal is given, or two.
    :raises GoalError: it is out of reach, or none of the postures is free.
    """
    if config.joints and (config.move or config.orientations):
        raise ConfigError('planner.joints and planner.move: two goals; leave one out')
    if config.joints:
        found = _joint_goal(config.joints, model, start)
    else:
        found = _tip_goals(config, model, start, goals)
    near = found[np.argsort(np.linalg.norm(found - start, axis=1), kind='stable')]
    free = [q for q in near if clearance.free(q)][:MOST_GOALS]
    if not free:
        _refuse_goal(clearance, near, config.clearance)
    return np.array(free)


def _why(nearness: Nearness | None, asked: float) -> str:
    if nearness is None or nearness.distance <= 0.0:
        return str(nearness)
    return f'{nearness}, and planner.clearance asks for {1000.0 * asked:.3g} mm'


def _refuse_goal(clearance: Clearance, postures: Array, asked: float) -> None:
    """Raise ``GoalError`` with what is in the way of the best posture."""
    lacking = [clearance.lacking(q) for q in postures]
    least = max((each for each in lacking if each is not None), key=lambda each: each.distance)
    which = f', in the best of {len(postures)} postures' if len(postures) > 1 else ''
    raise GoalError(
        f'goal in collision{which}: {_why(least, asked)}; change planner.move or planner.joints, '
        'move the body or lower planner.clearance'
    )


def _joint_goal(joints: dict[str, float], model: RobotModel, start: Array) -> Array:
    goal = start.copy()
    for name, value in joints.items():
        if name not in model.joint_names:
            raise UnknownNameError('planner.joints: joint', name, model.joint_names)
        i = model.joint_names.index(name)
        lower, upper, unit = model.lower[i], model.upper[i], model.joint_units[i]
        if not lower <= value <= upper:
            raise GoalError(
                f'goal out of reach: {name} at {value:.4g} {unit}, its range is {lower:.4g} to '
                f'{upper:.4g} {unit}; change planner.joints',
                joints=(name,),
            )
        goal[i] = value
    return goal[None]


def goal_poses(
    config: FreeConfig, model: RobotModel, start: Array, goals: Array | None = None
) -> list[pin.SE3]:
    """Return the poses of the tips at their goals.

    :raises ConfigError: there is not one row for each tip.
    """
    for key in ('move', 'orientations'):
        rows = getattr(config, key)
        if (rows or key == 'move') and len(rows) != len(model.tips):
            tips = ', '.join(model.tips) or 'none'
            raise ConfigError(
                f'planner.{key} has {len(rows)} rows, but the tips are {tips}; give one row of '
                'three numbers per tip, or planner.joints instead'
            )
    poses = model.frame_poses(start, model.tips)
    for i, pose in enumerate(poses):
        pose.translation = (
            pose.translation + np.array(config.move[i]) if goals is None else goals[i]
        )
        if config.orientations:
            pose.rotation = pin.rpy.rpyToMatrix(*config.orientations[i])
    return poses


def _tip_goals(config: FreeConfig, model: RobotModel, start: Array, goals: Array | None) -> Array:
    """Return all postures in which every tip has its pose [rad], shape ``(k, n)``."""
    poses = goal_poses(config, model, start, goals)
    if not poses:
        raise ConfigError('robot.tips is empty: name links to move, or give planner.joints')
    each = int(MOST_POSTURES ** (1.0 / len(poses)))
    moved: set[int] = set()
    branches: list[list[tuple[tuple[int, ...], Array]]] = []
    for tip, pose in zip(model.tips, poses, strict=True):
        solver = inverse_kinematics(model, tip)
        own = tuple(solver.chain.joints)
        if moved & set(own):
            raise ConfigError(
                f'planner.move: joints that move {tip} move another tip, too; give planner.joints'
            )
        moved |= set(own)
        try:
            found = solver.all(pose)
            if not len(found):
                found = solver.nearest(pose, start)[None]
        except UnreachableError as error:
            raise GoalError(
                f'goal out of reach: {error}', tip, error.missing, error.joints
            ) from error
        order = np.argsort(np.linalg.norm((found - start)[:, list(own)], axis=1), kind='stable')
        branches.append([(own, row) for row in found[order[:each]]])
    postures = []
    for choice in product(*branches):
        q = start.copy()
        for own, row in choice:
            q[list(own)] = row[list(own)]
        postures.append(q)
    return np.array(postures)
