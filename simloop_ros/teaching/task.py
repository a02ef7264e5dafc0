"""A task: poses and paths that a robot was shown, as typed data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np

from ..core.config_types import NonNegative, Vector
from ..core.errors import ConfigError
from ..core.values import Array
from ..planning.config import Share

if TYPE_CHECKING:  # a schema needs no engine
    from ..robot.model import RobotModel

DECIMALS = 6
"""Of joints in a task [rad or m]: a tip that is 1 m away is exact to 1e-6 m."""


class TipPose(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where a tip shall be; the joints are those nearest to the point before.

    :ivar position: in the world [m].
    :ivar rpy: roll, pitch and yaw in the world [rad]; that of the point before where none is
        given.
    :ivar link: which tip; the robot's first one where none is given.
    """

    position: Vector
    rpy: Vector | None = None
    link: str | None = None


class TaskPoint(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True
):
    """A pose, or a path: one of ``joints``, ``tip`` and ``path``.

    :ivar name: for people and messages.
    :ivar joints: position of every joint [rad or m].
    :ivar tip: pose of a tip, instead of the joints.
    :ivar path: way points in the order of the task's ``joints`` [rad or m]; the robot goes along
        a smooth curve through them.
    :ivar wait: time at rest there [s].
    :ivar stop: whether the robot comes to rest; else it passes the point on a smooth curve.
    """

    name: str = ''
    joints: dict[str, float] | None = None
    tip: TipPose | None = None
    path: tuple[tuple[float, ...], ...] | None = None
    wait: NonNegative = 0.0
    stop: bool = True


class Task(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a robot does, one point after the other.

    :ivar robot: name of the robot in its description.
    :ivar joints: its joints, in the order of the rows of each ``path``.
    :ivar speed: share of the fastest motion within the robot's limits.
    """

    robot: str
    joints: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    speed: Share = 0.5
    points: Annotated[tuple[TaskPoint, ...], msgspec.Meta(min_length=1)]

    def label(self, index: int) -> str:
        """Return how messages call a point, for instance ``point 2 (above)``."""
        name = self.points[index].name
        return f'point {index + 1} ({name})' if name else f'point {index + 1}'


def refuse_task(task: Task) -> None:
    """Refuse a task that contradicts itself.

    :raises ConfigError: with the point.
    """
    if len(set(task.joints)) < len(task.joints):
        raise ConfigError('joints: a name is given twice; keep one')
    for i, point in enumerate(task.points):
        given = [key for key in ('joints', 'tip', 'path') if getattr(point, key) is not None]
        where = task.label(i)
        if len(given) != 1:
            raise ConfigError(
                f'{where} has {" and ".join(given) or "no pose"}; give one of joints, tip, path'
            )
        if point.wait and not point.stop:
            raise ConfigError(f'{where} has wait, and stop: false; leave one of them out')
        if point.joints is not None and set(point.joints) != set(task.joints):
            wrong = ', '.join(sorted(set(point.joints) ^ set(task.joints)))
            raise ConfigError(
                f'{where}: joints: give each joint of the task once; missing or unknown: {wrong}'
            )
        if point.path is not None:
            _refuse_path(where, point.path, len(task.joints))


def _refuse_path(where: str, path: tuple[tuple[float, ...], ...], joints: int) -> None:
    if len(path) < 2:
        raise ConfigError(f'{where}: path: {len(path)} way points; at least 2 are needed')
    for row, numbers in enumerate(path, 1):
        if len(numbers) != joints:
            raise ConfigError(
                f'{where}: path: row {row} has {len(numbers)} numbers, the task {joints} joints'
            )


def refuse_robot(task: Task, model: RobotModel) -> None:
    """Refuse a task of another robot.

    :raises ConfigError: with both robots.
    """
    if task.robot != model.name:
        raise ConfigError(
            f'the task is for the robot {task.robot}, this one is {model.name}; teach it here, or '
            'change robot in its file if the arms are alike'
        )
    if set(task.joints) != set(model.joint_names):
        raise ConfigError(
            f'the task has the joints {", ".join(task.joints)}, the robot '
            f'{", ".join(model.joint_names)}; teach it with this robot'
        )


def new_task(model: RobotModel, points: tuple[TaskPoint, ...]) -> Task:
    """Return a task of a robot, with the default speed."""
    return Task(robot=model.name, joints=model.joint_names, points=points)


def kept_pose(model: RobotModel, q: Array, name: str) -> TaskPoint:
    """Return a pose as a point.

    :param q: joints [rad], shape ``(n,)``.
    """
    return TaskPoint(name=name, joints=dict(zip(model.joint_names, rounded(q), strict=True)))


def kept_path(rows: Array, name: str) -> TaskPoint:
    """Return a path as a point.

    :param rows: way points [rad], shape ``(k, n)``.
    """
    return TaskPoint(name=name, path=tuple(rounded(row) for row in rows))


def rounded(q: Array) -> tuple[float, ...]:
    """Return joints as they are written [rad], ``n`` of them."""
    return tuple((np.round(q, DECIMALS) + 0.0).tolist())
