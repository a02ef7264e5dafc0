"""Tasks of one arm by itself: reach, jog. The other hand rests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError, GoalError, UnknownNameError
from ..core.values import Array
from ..robot.chain import chain_to, own_joints
from .leg import Leg
from .stage import FREE, Stage
from .task_config import JogTask, ReachTask
from .ways import Rest, Way, curved, displaced, straight


def reach(stage: Stage, task: ReachTask, name: str) -> Leg:
    """Return how one hand goes to a pose: 003's PTP and CP.

    :raises GoalError: both hold the object.
    """
    here = _free_hand(stage, task.tip, name)
    rotation = here.rotation if task.rpy is None else pin.rpy.rpyToMatrix(np.array(task.rpy))
    wanted = pin.SE3(rotation, np.array(task.position))
    if task.path == 'ptp':
        if task.through:
            raise ConfigError(
                f'{name}: path is ptp, which does not go through points; set path: cp, or leave '
                'through out'
            )
        return _by_joints(stage, _towards(stage, task.tip, wanted, name), task.duration, name)
    way: Way = straight(here, wanted)
    if task.through:
        points = np.array([*task.through, task.position])
        way = curved(here, points, pin.log3(rotation @ here.rotation.T), name)
    return _led(stage, task.tip, way, task.duration, name)


def jog(stage: Stage, task: JogTask, name: str) -> Leg:
    """Return how one hand, or single joints of its arm, move by themselves: 003's JOG.

    :raises GoalError: both hold the object.
    """
    here = _free_hand(stage, task.tip, name)
    by, turn = np.array(task.by), np.array(task.turn)
    led = by.any() or turn.any()
    if led and task.joints:
        raise ConfigError(
            f'{name}: joints are given, and by or turn as well; make two jogs of it, one by '
            'joints and one in space'
        )
    if led:
        return _led(stage, task.tip, displaced(here, by, turn), task.duration, name)
    if not any(task.joints.values()):
        raise ConfigError(
            f'{name}: neither by nor turn nor joints are given; give one, or leave it out'
        )
    return _by_joints(stage, _turned(stage, task, name), task.duration, name)


def _free_hand(stage: Stage, tip: str, name: str) -> pin.SE3:
    """Return the pose in the world of a hand that may go its own way.

    :raises GoalError: both hold the object.
    :raises UnknownNameError: there is no such hand.
    """
    stage.guard.refuse_single(name)
    if tip not in stage.model.tips:
        raise UnknownNameError(f'tip of {name}', tip, stage.model.tips)
    return stage.hands[stage.model.tips.index(tip)]


def _towards(stage: Stage, tip: str, wanted: pin.SE3, name: str) -> Array:
    """Return the joints nearest to those now that give a pose of one hand [rad], ``(n,)``.

    :raises GoalError: it cannot get there, or not with the other hand at rest.
    """
    goal, own = stage.nearest(tip, wanted, stage.q, name), own_joints(stage.model, tip)
    for joint in np.flatnonzero(goal != stage.q):
        if joint not in own:
            moved = stage.model.joint_names[joint]
            raise GoalError(
                f'{name}: {moved} would have to move, and the other hand with it; set path: cp',
                tip,
                joints=(moved,),
            )
    return goal


def _turned(stage: Stage, task: JogTask, name: str) -> Array:
    """Return where the joints are once those of the task are jogged [rad], shape ``(n,)``.

    :raises UnknownNameError: one of them does not move this hand alone.
    """
    own = {stage.model.joint_names[joint]: joint for joint in own_joints(stage.model, task.tip)}
    goal = stage.q.copy()
    for joint, angle in task.joints.items():
        if joint not in own:
            raise UnknownNameError(f'joint of {task.tip} in {name}', joint, own)
        goal[own[joint]] += angle
    return goal


def _by_joints(stage: Stage, goal: Array, duration: float, name: str) -> Leg:
    """Return how joints go to a goal [rad], shape ``(n,)``, all at once."""
    share = stage.shares((duration,), name)[0][:, None]
    moved = np.flatnonzero(goal != stage.q).tolist()
    return _leg(stage, name, moved, (1.0 - share) * stage.q + share * goal, cartesian=False)


def _led(stage: Stage, tip: str, way: Way, duration: float, name: str) -> Leg:
    """Return how a hand goes along its way, and the other one rests.

    :raises GoalError: it cannot.
    """
    ways = [
        way if other == tip else Rest(pose)
        for other, pose in zip(stage.model.tips, stage.hands, strict=True)
    ]
    joints = stage.along(ways, stage.shares((duration,), name), name)
    moved = own_joints(stage.model, tip)
    if len(moved) < len(chain_to(stage.model, tip).joints):
        moved = list(range(stage.model.n))  # the other arm makes up for a joint of both
    return _leg(stage, name, moved, joints, cartesian=True)


def _leg(stage: Stage, name: str, moved: Sequence[int], joints: Array, cartesian: bool) -> Leg:
    """Return a leg with free hands on which all joints but the moved ones rest, bit for bit."""
    count = len(joints)
    resting = np.tile(stage.q, (count, 1))
    resting[:, moved] = joints[:, moved]
    return Leg(
        name,
        resting,
        (stage.object,) * count,
        (FREE,) * count,
        np.full(count, stage.at_object),
        cartesian,
    )
