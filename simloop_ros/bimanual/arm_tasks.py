"""Tasks of one arm by itself: reach, jog. The other hand rests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError, GoalError, UnknownNameError
from ..core.values import Array
from ..robot.chain import chain_to, own_joints
from .leg import Leg
from .pose_path import ConstantPath, PosePath, displaced_path, spline_path, straight_path
from .task_config import JogTask, ReachTask
from .task_context import TaskContext


def reach(context: TaskContext, task: ReachTask, name: str) -> Leg:
    """Return how one hand goes to a pose: 003's PTP and CP.

    :raises GoalError: both hold the object.
    """
    here = _free_hand(context, task.tip, name)
    rotation = here.rotation if task.rpy is None else pin.rpy.rpyToMatrix(np.array(task.rpy))
    goal_pose = pin.SE3(rotation, np.array(task.position))
    if task.path == 'ptp':
        if task.through:
            raise ConfigError(
                f'{name}: path is ptp, which does not go through points; set path: cp, or leave '
                'through out'
            )
        return _by_joints(
            context, _towards(context, task.tip, goal_pose, name), task.duration, name
        )
    path: PosePath = straight_path(here, goal_pose)
    if task.through:
        points = np.array([*task.through, task.position])
        path = spline_path(here, points, pin.log3(rotation @ here.rotation.T), name)
    return _along(context, task.tip, path, task.duration, name)


def jog(context: TaskContext, task: JogTask, name: str) -> Leg:
    """Return how one hand, or single joints of its arm, move by themselves: 003's JOG.

    :raises GoalError: both hold the object.
    """
    here = _free_hand(context, task.tip, name)
    by, turn = np.array(task.by), np.array(task.turn)
    cartesian = by.any() or turn.any()
    if cartesian and task.joints:
        raise ConfigError(
            f'{name}: joints are given, and by or turn as well; make two jogs of it, one by '
            'joints and one in space'
        )
    if cartesian:
        return _along(context, task.tip, displaced_path(here, by, turn), task.duration, name)
    if not any(task.joints.values()):
        raise ConfigError(
            f'{name}: neither by nor turn nor joints are given; give one, or leave it out'
        )
    return _by_joints(context, _turned(context, task, name), task.duration, name)


def _free_hand(context: TaskContext, tip: str, name: str) -> pin.SE3:
    """Return the pose in the world of a hand that may move by itself.

    :raises GoalError: both hold the object.
    :raises UnknownNameError: there is no such hand.
    """
    context.guard.refuse_single(name)
    if tip not in context.model.tips:
        raise UnknownNameError(f'tip of {name}', tip, context.model.tips)
    return context.hands[context.model.tips.index(tip)]


def _towards(context: TaskContext, tip: str, goal_pose: pin.SE3, name: str) -> Array:
    """Return the joints nearest to those now that give a pose of one hand [rad], ``(n,)``.

    :raises GoalError: it cannot get there, or not with the other hand at rest.
    """
    goal, own = context.nearest(tip, goal_pose, context.q, name), own_joints(context.model, tip)
    for joint in np.flatnonzero(goal != context.q):
        if joint not in own:
            moved = context.model.joint_names[joint]
            raise GoalError(
                f'{name}: {moved} would have to move, and the other hand with it; set path: cp',
                tip,
                joints=(moved,),
            )
    return goal


def _turned(context: TaskContext, task: JogTask, name: str) -> Array:
    """Return where the joints are once those of the task are jogged [rad], shape ``(n,)``.

    :raises UnknownNameError: one of them does not move this hand alone.
    """
    own = {
        context.model.joint_names[joint]: joint for joint in own_joints(context.model, task.tip)
    }
    goal = context.q.copy()
    for joint, angle in task.joints.items():
        if joint not in own:
            raise UnknownNameError(f'joint of {task.tip} in {name}', joint, own)
        goal[own[joint]] += angle
    return goal


def _by_joints(context: TaskContext, goal: Array, duration: float, name: str) -> Leg:
    """Return how joints go to a goal [rad], shape ``(n,)``, all at once."""
    share = context.shares((duration,), name)[0][:, None]
    moved = np.flatnonzero(goal != context.q).tolist()
    return _leg(context, name, moved, (1.0 - share) * context.q + share * goal, cartesian=False)


def _along(context: TaskContext, tip: str, path: PosePath, duration: float, name: str) -> Leg:
    """Return how a hand goes along its path, and the other one rests.

    :raises GoalError: it cannot.
    """
    paths = [
        path if other == tip else ConstantPath(pose)
        for other, pose in zip(context.model.tips, context.hands, strict=True)
    ]
    joints = context.along(paths, context.shares((duration,), name), name)
    moved = own_joints(context.model, tip)
    if len(moved) < len(chain_to(context.model, tip).joints):
        moved = list(range(context.model.n))  # the other arm makes up for a joint of both
    return _leg(context, name, moved, joints, cartesian=True)


def _leg(
    context: TaskContext, name: str, moved: Sequence[int], joints: Array, cartesian: bool
) -> Leg:
    """Return a leg with free hands on which all joints but the moved ones rest, bit for bit."""
    resting = np.tile(context.q, (len(joints), 1))
    resting[:, moved] = joints[:, moved]
    at_object = np.full(len(joints), context.at_object)
    return context.free_leg(name, resting, at_object, cartesian)
