"""Tasks of both hands: approach, grasp, release, retract."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError, GoalError
from ..core.values import Array
from ..planning.cartesian import whole_steps
from ..robot.chain import chain_to
from .contact import ContactTarget
from .grasps import shifted
from .leg import Leg
from .pose_path import PosePath, straight_path
from .task_config import ApproachTask, GraspTask, ReleaseTask, RetractTask
from .task_context import FREE, TaskContext

PALM_OFFSET, PALM_TILT = 2e-3, 0.02
"""Largest distance [m] and angle [rad] of a palm from the line before its end of the object, for
a grasp to begin."""


def approach(context: TaskContext, task: ApproachTask, name: str) -> Leg:
    """Return how both hands go to before the object: Bi-Approach."""
    context.guard.refuse_single(name)
    poses = [context.object * shifted(grasp, -task.clearance) for grasp in context.grasps]
    shares = context.shares(task.durations, name)
    if task.path == 'ptp':
        joints = _point_to_point(context, context.towards(poses, name), shares)
    else:
        joints = context.along(_straight(context, poses), shares, name)
    return _free_leg(context, name, joints, 1.0, task.path)


def grasp(context: TaskContext, task: GraspTask, name: str) -> Leg:
    """Return how both hands close on the object: Bi-Grasp.

    A grasp that would begin before the sensors' bias is learnt waits for that.

    :raises ConfigError: the hands could not yield by as much as they would press.
    :raises GoalError: a palm is not before its end of the object, or it is held already.
    """
    limit = context.config.max_correction
    if context.config.force_control and not task.press < limit:
        raise ConfigError(
            f'{name}: press {1e3 * task.press:g} mm is not less than bimanual.max_correction, '
            f'{1e3 * limit:g} mm: the hands could not yield to what they meet; lower press'
        )
    context.guard.acquire(name)
    _refuse_beside(context, name)
    context.hold = tuple(shifted(grasp, task.press) for grasp in context.grasps)
    context.target = ContactTarget(task.squeeze)
    context.expected = task.expect
    poses = [context.object * hold for hold in context.hold]
    shares = context.shares(task.durations, name)
    closing = context.along(_straight(context, poses), shares, name)
    waiting = max(0, whole_steps(context.config.tare_time, context.period) - context.steps)
    joints = np.concatenate((np.tile(context.q, (waiting, 1)), closing))
    count = len(joints)
    return Leg(
        name,
        joints,
        (context.object,) * count,
        (FREE,) * waiting + (context.target,) * len(closing),
        context.take_part(count, 1.0),
        bound=True,
        holds=count - 1 if task.expect else None,
        slower='durations',
    )


def release(context: TaskContext, task: ReleaseTask, name: str) -> Leg:
    """Return how both hands open: Bi-Release.

    The setpoint of the squeeze is zero until the palms should be half of the clearance away from
    the object: corrections that faded earlier would press it once more.
    """
    context.guard.release(name)
    poses = [context.object * shifted(grasp, -task.clearance) for grasp in context.grasps]
    shares = context.shares(task.durations, name)
    joints = context.along(_straight(context, poses), shares, name)
    loose = ContactTarget(0.0)
    press = float(np.linalg.norm(context.hold[0].translation - context.grasps[0].translation))
    half = (press + 0.5 * task.clearance) / (press + task.clearance)
    opened = np.min(shares, axis=0) >= half
    context.target, context.hold = FREE, context.grasps
    return Leg(
        name,
        joints,
        (context.object,) * len(joints),
        tuple(FREE if away else loose for away in opened),
        np.full(len(joints), context.at_object),
        bound=True,
        slower='durations',
    )


def retract(context: TaskContext, task: RetractTask, name: str) -> Leg:
    """Return how both hands go back to where they were at the start: Bi-Retract."""
    context.guard.refuse_single(name)
    shares = context.shares(task.durations, name)
    if task.path == 'ptp':
        joints = _point_to_point(context, context.start, shares)
    else:
        paths = _straight(context, context.follower.poses(context.start))
        joints = context.along(paths, shares, name, _homing(context, shares))
    return _free_leg(context, name, joints, 0.0, task.path)


def _free_leg(context: TaskContext, name: str, joints: Array, share: float, path: str) -> Leg:
    at_object = context.take_part(len(joints), share)
    return context.free_leg(name, joints, at_object, path == 'cp', 'durations')


def _straight(context: TaskContext, poses: Sequence[pin.SE3]) -> list[PosePath]:
    return [straight_path(here, there) for here, there in zip(context.hands, poses, strict=True)]


def _point_to_point(context: TaskContext, goal: Array, shares: Sequence[Array]) -> Array:
    """Return joints that all go at once [rad], shape ``(steps, n)``, each with its own hand."""
    share = _by_joint(context, shares)
    return (1.0 - share) * context.q + share * goal


def _homing(context: TaskContext, shares: Sequence[Array]) -> Array:
    """Return the part of its remaining path to the start that a joint moves, ``(steps, n)``.

    On straight paths of the hands it moves the elbows home, which the hands leave free.
    """
    share = _by_joint(context, shares)
    before = np.concatenate((np.zeros((1, context.model.n)), share[:-1]))
    left = 1.0 - before
    return np.divide(share - before, left, out=np.zeros_like(share), where=left > 0.0)


def _by_joint(context: TaskContext, shares: Sequence[Array]) -> Array:
    """Return the share of its path that each joint has covered, shape ``(steps, n)``.

    A joint that moves both hands, or none, takes as long as the slower one.
    """
    slowest = min(shares, key=lambda share: float(share.sum()))
    moved = [set(chain_to(context.model, tip).joints) for tip in context.model.tips]
    columns = []
    for joint in range(context.model.n):
        own = [share for share, joints in zip(shares, moved, strict=True) if joint in joints]
        columns.append(own[0] if len(own) == 1 else slowest)
    return np.stack(columns, axis=1)


def _refuse_beside(context: TaskContext, name: str) -> None:
    """Refuse to close hands whose palms are not before their ends of the object."""
    for tip, hand, palm in zip(context.model.tips, context.hands, context.grasps, strict=True):
        seen = (context.object * palm).actInv(hand)
        beside = float(np.linalg.norm(seen.translation[:2]))
        tilted = float(np.linalg.norm(pin.log3(seen.rotation)))
        ahead = -float(seen.translation[2])
        if beside > PALM_OFFSET or tilted > PALM_TILT or ahead <= 0.0:
            raise GoalError(
                f'{name}: the palm {tip} is not before its end of the object: {1e3 * beside:.1f} '
                f'mm beside it, {1e3 * ahead:.1f} mm before it, turned by {tilted:.3f} rad (at '
                f'most {1e3 * PALM_OFFSET:g} mm beside and {PALM_TILT:g} rad); put an approach '
                'before it, or start from another robot.home',
                tip,
            )
