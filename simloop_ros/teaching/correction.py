"""Points of a task that a hand corrected by pushing the robot while it played."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np

from ..core.errors import ConfigError
from ..core.values import Array, Flags
from ..robot.model import RobotModel
from .legs import task_joints
from .nearness import marked
from .planner import TaskPlanner
from .task import Task, kept_pose

RELEASE = 0.3
"""Time after a pose was left in which a hand may still let go [s]."""


@dataclass(frozen=True)
class NearestPose:
    """The kept pose of a task that is nearest to a position.

    :ivar index: among the points of the task.
    :ivar distance: [m], see ``marked``.
    """

    index: int
    distance: float


def nearest_pose(task: Task, model: RobotModel, position: Array) -> NearestPose:
    """Return the kept pose nearest to a position [rad], shape ``(n,)``.

    :raises ConfigError: the task has no kept pose.
    """
    kept = [i for i, point in enumerate(task.points) if point.path is None]
    if not kept:
        raise ConfigError('the task has paths only, and no pose to correct: teach it again')
    joints = task_joints(task, model)
    places = marked(model, np.vstack([position, *(joints[i] for i in kept)]))
    apart = np.linalg.norm(places[1:] - places[0], axis=1)
    return NearestPose(kept[int(np.argmin(apart))], float(apart.min()))


def with_pose(task: Task, model: RobotModel, index: int, position: Array) -> Task:
    """Return the task with the joints of a kept pose replaced [rad], shape ``(n,)``."""
    old = task.points[index]
    new = msgspec.structs.replace(
        old, joints=kept_pose(model, position, old.name).joints, tip=None
    )
    points = (*task.points[:index], new, *task.points[index + 1 :])
    return msgspec.structs.replace(task, points=points)


@dataclass(frozen=True)
class CorrectedTask:
    """A task with some of its poses moved.

    :ivar moved: index of each pose that was moved -> how far [m].
    """

    task: Task
    moved: dict[int, float]


def corrected_task(
    task: Task,
    model: RobotModel,
    planner: TaskPlanner,
    desired: Array,
    measured: Array,
    touched: Flags,
    tolerance: float,
) -> CorrectedTask:
    """Return the task with the poses at which a hand held the robot elsewhere.

    A robot with admittance has the planned joints plus its deflection as setpoint. Where these
    two differ by more than the tolerance when a pose is passed, at the end of its wait, and a
    hand touched the robot since the pose before, the pose becomes what was measured then. A robot
    that nobody touched is only on its way back. Of several rounds the last such one counts.

    :param planner: of the run, before its first step.
    :param desired: setpoints of the run [rad], shape ``(steps, n)``; ``measured`` likewise.
    :param touched: whether a hand touched the robot, shape ``(steps,)``.
    :param tolerance: deflection that is none [m], see ``marked``.
    """
    moved: dict[int, float] = {}
    letting_go = round(RELEASE / planner.period)
    since = 0
    for step, point, planned in planner.passings(len(desired)):
        places = marked(model, np.stack((planned, desired[step], measured[step])))
        deflection, way = np.linalg.norm(places[1:] - places[0], axis=1).tolist()
        if touched[since : step + 1].any() and deflection > tolerance:
            task = with_pose(task, model, point, measured[step])
            moved[point] = way
        since = step + letting_go
    return CorrectedTask(task, moved)
