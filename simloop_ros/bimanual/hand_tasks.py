"""Tasks of both hands: approach, grasp, release, retract."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError, GoalError
from ..core.values import Array
from ..planning.cartesian import whole_steps
from ..planning.side_profiles import Quintic
from ..robot.chain import chain_to
from .contact import ContactTarget
from .grasps import shifted
from .leg import Leg
from .stage import FREE, Stage
from .task_config import ApproachTask, GraspTask, ReleaseTask, RetractTask
from .ways import Way, straight

BESIDE, TILTED = 2e-3, 0.02
"""Distance [m] and angle [rad] from the line before its end of the object at which a palm is not
before it any more."""


def approach(stage: Stage, task: ApproachTask, name: str) -> Leg:
    """Return how both hands go to before the object: Bi-Approach."""
    stage.guard.refuse_single(name)
    wanted = [stage.object * shifted(grasp, -task.clearance) for grasp in stage.grasps]
    shares = stage.shares(task.durations, name)
    if task.path == 'ptp':
        joints = _point_to_point(stage, stage.towards(wanted, name), shares)
    else:
        joints = stage.along(_straight(stage, wanted), shares, name)
    return _free_leg(stage, name, joints, 1.0, task.path == 'cp')


def grasp(stage: Stage, task: GraspTask, name: str) -> Leg:
    """Return how both hands close on the object: Bi-Grasp.

    A grasp that would begin before the sensors' bias is learnt waits for that.

    :raises ConfigError: the hands could not give way to what they would press.
    :raises GoalError: a palm is not before its end of the object, or it is held already.
    """
    most = stage.config.max_correction
    if stage.config.force_control and not task.press < most:
        raise ConfigError(
            f'{name}: press {1e3 * task.press:g} mm is not less than bimanual.max_correction, '
            f'{1e3 * most:g} mm: the hands could not give way to what they meet; lower press'
        )
    stage.guard.acquire(name)
    _refuse_beside(stage, name)
    stage.hold = tuple(shifted(grasp, task.press) for grasp in stage.grasps)
    stage.target = ContactTarget(task.squeeze)
    stage.expected = task.expect
    wanted = [stage.object * hold for hold in stage.hold]
    shares = stage.shares(task.durations, name)
    closing = stage.along(_straight(stage, wanted), shares, name)
    waiting = max(0, whole_steps(stage.config.tare_time, stage.period) - stage.steps)
    joints = np.concatenate((np.tile(stage.q, (waiting, 1)), closing))
    count = len(joints)
    return Leg(
        name,
        joints,
        (stage.object,) * count,
        (FREE,) * waiting + (stage.target,) * len(closing),
        _to_object(stage, count, 1.0),
        bound=True,
        holds=count - 1 if task.expect else None,
        slower='durations',
    )


def release(stage: Stage, task: ReleaseTask, name: str) -> Leg:
    """Return how both hands open: Bi-Release.

    The wanted squeeze is zero until the palms should be half of the clearance away from the
    object: corrections that faded earlier would press it once more.
    """
    stage.guard.release(name)
    wanted = [stage.object * shifted(grasp, -task.clearance) for grasp in stage.grasps]
    shares = stage.shares(task.durations, name)
    joints = stage.along(_straight(stage, wanted), shares, name)
    loose = ContactTarget(0.0)
    press = float(np.linalg.norm(stage.hold[0].translation - stage.grasps[0].translation))
    half = (press + 0.5 * task.clearance) / (press + task.clearance)
    opened = np.min(shares, axis=0) >= half
    stage.target, stage.hold = FREE, stage.grasps
    return Leg(
        name,
        joints,
        (stage.object,) * len(joints),
        tuple(FREE if away else loose for away in opened),
        np.full(len(joints), stage.at_object),
        bound=True,
        slower='durations',
    )


def retract(stage: Stage, task: RetractTask, name: str) -> Leg:
    """Return how both hands go back to where they were at the start: Bi-Retract."""
    stage.guard.refuse_single(name)
    shares = stage.shares(task.durations, name)
    if task.path == 'ptp':
        joints = _point_to_point(stage, stage.start, shares)
    else:
        ways = _straight(stage, stage.follower.poses(stage.start))
        joints = stage.along(ways, shares, name, _homing(stage, shares))
    return _free_leg(stage, name, joints, 0.0, task.path == 'cp')


def _straight(stage: Stage, wanted: Sequence[pin.SE3]) -> list[Way]:
    return [straight(here, there) for here, there in zip(stage.hands, wanted, strict=True)]


def _point_to_point(stage: Stage, goal: Array, shares: Sequence[Array]) -> Array:
    """Return joints that all go at once [rad], shape ``(steps, n)``, each with its own hand."""
    share = _by_joint(stage, shares)
    return (1.0 - share) * stage.q + share * goal


def _homing(stage: Stage, shares: Sequence[Array]) -> Array:
    """Return which part of what is left to the start a joint goes in a step, ``(steps, n)``.

    With straight ways of the hands it takes elbows home, which the hands leave free.
    """
    share = _by_joint(stage, shares)
    before = np.concatenate((np.zeros((1, stage.model.n)), share[:-1]))
    left = 1.0 - before
    return np.divide(share - before, left, out=np.zeros_like(share), where=left > 0.0)


def _by_joint(stage: Stage, shares: Sequence[Array]) -> Array:
    """Return the share of its way that each joint has done, shape ``(steps, n)``.

    A joint that moves both hands, or none, takes as long as the slower one.
    """
    slowest = min(shares, key=lambda share: float(share.sum()))
    moved = [set(chain_to(stage.model, tip).joints) for tip in stage.model.tips]
    columns = []
    for joint in range(stage.model.n):
        own = [share for share, joints in zip(shares, moved, strict=True) if joint in joints]
        columns.append(own[0] if len(own) == 1 else slowest)
    return np.stack(columns, axis=1)


def _free_leg(stage: Stage, name: str, joints: Array, at_object: float, cartesian: bool) -> Leg:
    """Return a leg with free hands, at whose end they go along with the object, or not."""
    count = len(joints)
    return Leg(
        name,
        joints,
        (stage.object,) * count,
        (FREE,) * count,
        _to_object(stage, count, at_object),
        cartesian,
        slower='durations',
    )


def _to_object(stage: Stage, count: int, share: float) -> Array:
    """Return how the hands come to go along with the object by a share, shape ``(count,)``."""
    done = Quintic().share(np.arange(1, count + 1) / count)
    before, stage.at_object = stage.at_object, share
    return (1.0 - done) * before + done * share


def _refuse_beside(stage: Stage, name: str) -> None:
    """Refuse to close hands whose palms are not before their ends of the object."""
    for tip, hand, palm in zip(stage.model.tips, stage.hands, stage.grasps, strict=True):
        seen = (stage.object * palm).actInv(hand)
        beside = float(np.linalg.norm(seen.translation[:2]))
        tilted = float(np.linalg.norm(pin.log3(seen.rotation)))
        ahead = -float(seen.translation[2])
        if beside > BESIDE or tilted > TILTED or ahead <= 0.0:
            raise GoalError(
                f'{name}: the palm {tip} is not before its end of the object: {1e3 * beside:.1f} '
                f'mm beside it, {1e3 * ahead:.1f} mm before it, turned by {tilted:.3f} rad (at '
                f'most {1e3 * BESIDE:g} mm beside and {TILTED:g} rad); put an approach before it, '
                'or start from another robot.home',
                tip,
            )
