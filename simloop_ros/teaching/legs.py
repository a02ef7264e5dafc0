"""The legs of a task: curves of the joints from rest to rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ..core.errors import GoalError, UnknownNameError
from ..core.values import Array
from ..kinematics.inverse import inverse_kinematics
from ..planning.side_joints import SideJoints
from ..robot.model import RobotModel
from .curve import curve_through, shares_of
from .task import DECIMALS, Task, TaskPoint, refuse_robot

SAME_PLACE = 1e-9
"""Distance below which two joint positions are the same [rad]."""
ROUNDING = 10.0**-DECIMALS
"""How far a joint may be out of its range because a file has few decimals [rad]."""


@dataclass(frozen=True, eq=False)  # each is itself: legs are keys of what is computed for them
class TaskLeg:
    """A motion from rest to rest along a curve.

    :ivar name: for messages, as ``the way to point 2 (above)``.
    :ivar wait: at its end [s].
    :ivar passes: index of each kept pose on it -> its place, 0 to 1.
    """

    name: str
    curve: SideJoints
    wait: float
    passes: Mapping[int, float]

    @property
    def end(self) -> Array:
        """Return the joints at its end [rad], shape ``(n,)``."""
        return self.curve.knots[-1]

    def rest_from(self, share: float) -> TaskLeg:
        """Return what is left of it from a place on, before its end."""
        left = self.curve.at(np.linspace(share, 1.0, len(self.curve.knots)))
        passes = {i: (at - share) / (1.0 - share) for i, at in self.passes.items() if at > share}
        return TaskLeg(self.name, SideJoints(left), self.wait, passes)


@dataclass(frozen=True)
class TaskLegs:
    """A task as joint motions.

    :ivar first: joints at the first point [rad], shape ``(n,)``.
    :ivar first_wait: there, and whether that is a kept ``first_pose``.
    :ivar legs: from there on.
    :ivar back: from the last point to the first one; none where there is nothing to do.
    """

    first: Array
    first_wait: float
    first_pose: bool
    legs: tuple[TaskLeg, ...]
    back: TaskLeg | None

    def approach(self, start: Array) -> TaskLeg | None:
        """Return the way from a position to the first point; none if there is nothing to do.

        :param start: [rad], shape ``(n,)``.
        """
        passes = {0: 1.0} if self.first_pose else {}
        return straight('the way to the first point', start, self.first, self.first_wait, passes)


def straight(
    name: str, start: Array, end: Array, wait: float = 0.0, passes: Mapping[int, float] = {}
) -> TaskLeg | None:
    """Return the straight leg between two positions [rad]; none if there is nothing to do."""
    if np.abs(end - start).max() < SAME_PLACE and not wait:
        return None
    return TaskLeg(name, curve_through(np.stack((start, end))), wait, passes)


def task_legs(task: Task, model: RobotModel) -> TaskLegs:
    """Return the legs of a task.

    :raises ConfigError: the task is for another robot.
    :raises GoalError: a point is out of reach, or out of the range of a joint.
    """
    refuse_robot(task, model)
    shown = task_joints(task, model)
    legs: list[TaskLeg] = []
    rows: list[Array] = [shown[0][0]]
    kept: dict[int, int] = {}  # index of a kept pose -> its row

    opening = task.points[0]
    pose = opening.path is None
    first_wait = opening.wait if pose else 0.0

    def close(name: str, wait: float) -> None:
        """Make a leg of the rows."""
        nonlocal first_wait
        if len(rows) > 1:
            through = np.array(rows)
            shares = shares_of(through)
            passes = {i: float(shares[row]) for i, row in kept.items()}
            legs.append(TaskLeg(name, curve_through(through), wait, passes))
        elif legs:
            last = legs[-1]  # a point at the end of the leg before
            passes = {**last.passes, **dict.fromkeys(kept, 1.0)}
            legs[-1] = TaskLeg(last.name, last.curve, last.wait + wait, passes)
        else:
            first_wait += wait
        del rows[:-1]
        kept.clear()

    for i, (point, joints) in enumerate(zip(task.points, shown, strict=True)):
        name = f'the way to {task.label(i)}'
        if point.path is not None:
            _add(rows, joints[:1])
            close(name, 0.0)
            name = task.label(i)
        _add(rows, joints)
        if point.path is None and i:
            kept[i] = len(rows) - 1
        last = i == len(task.points) - 1
        if (point.stop or last) and (i or point.path is not None):
            close(name, point.wait)
    for leg in legs:
        _refuse_range(model, leg.name, leg.curve.knots, SAME_PLACE)
    first, passes = shown[0][0], {0: 1.0} if pose else {}
    back = straight('the way back to the first point', rows[-1], first, first_wait, passes)
    return TaskLegs(first, first_wait, pose, tuple(legs), back)


def _add(rows: list[Array], more: Sequence[Array] | Array) -> None:
    """Add way points, without those that repeat the one before."""
    for row in more:
        if np.abs(row - rows[-1]).max() >= SAME_PLACE:
            rows.append(row)


def task_joints(task: Task, model: RobotModel) -> list[Array]:
    """Return the joints at each point [rad], shape ``(1, n)``, or along it, ``(k, n)``."""
    order = [task.joints.index(name) for name in model.joint_names]
    found: list[Array] = []
    for i, point in enumerate(task.points):
        before = found[-1][-1] if found else model.home
        if point.path is not None:
            joints = np.array(point.path)[:, order]
        elif point.joints is not None:
            joints = np.array([[point.joints[name] for name in model.joint_names]])
        else:
            joints = _reached(task.label(i), point, model, before)[None]
        _refuse_range(model, task.label(i), joints, ROUNDING)
        found.append(np.clip(joints, model.lower, model.upper))
    return found


def _reached(where: str, point: TaskPoint, model: RobotModel, before: Array) -> Array:
    """Return the joints nearest to those before that put a tip where it shall be, ``(n,)``."""
    pose = point.tip
    assert pose is not None
    if not model.tips and pose.link is None:
        raise GoalError(f'{where}: tip: the robot has no tips; name a link, or give joints')
    link = pose.link or model.tips[0]
    if link not in model.links:
        raise UnknownNameError(f'link of {where}', link, model.links)
    (now,) = model.frame_poses(before, [link])
    turned = now.rotation if pose.rpy is None else pin.rpy.rpyToMatrix(np.array(pose.rpy))
    try:
        return inverse_kinematics(model, link).nearest(
            pin.SE3(turned, np.array(pose.position)), before
        )
    except GoalError as error:
        raise GoalError(f'{where}: {error}', error.tip, error.missing, error.joints) from error


def _refuse_range(model: RobotModel, where: str, joints: Array, rounding: float) -> None:
    beyond = np.maximum(model.lower - joints, joints - model.upper)
    row, joint = np.unravel_index(int(np.argmax(beyond)), beyond.shape)
    if beyond[row, joint] > rounding:
        name, unit = model.joint_names[joint], model.joint_units[joint]
        raise GoalError(
            f'{where}: {name} at {joints[row, joint]:.4g} {unit} is out of its range, '
            f'{model.lower[joint]:.4g} to {model.upper[joint]:.4g} {unit}; change the point',
            joints=(name,),
        )
