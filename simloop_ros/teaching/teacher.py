"""What a hand shows while a robot runs becomes a task, point by point."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.errors import ConfigError
from ..core.state import Remembering
from ..core.values import Array
from ..robot.model import RobotModel
from .config import TeachConfig
from .correction import nearest_pose, with_pose
from .legs import task_legs
from .smoothing import TaughtPath, taught_path
from .task import Task, TaskPoint, kept_path, kept_pose, new_task

ROW_PERIOD = 0.01
"""Shortest time between two rows of a path [s]: a hand's motion has nothing faster."""


class Row(msgspec.Struct, frozen=True):
    """Joints [rad], shape ``(n,)``, at a time [s]."""

    time: float
    position: Array


class Teacher(Remembering):
    """Keeps poses, and records paths.

    :param task: the one that is being played: a pose that is kept replaces the nearest of its
        own. Without one, poses and paths make a new task.
    :ivar tolerance: of the next path [m].
    """

    _remembered = ('_points', '_rows', '_last')

    def __init__(self, model: RobotModel, config: TeachConfig, task: Task | None = None):
        self._model = model
        self.tolerance = config.tolerance
        self._played = task
        if task is not None:
            task_legs(task, model)  # refused now, not when it is saved
        self._points: tuple[TaskPoint, ...] = () if task is None else task.points
        self._rows: tuple[Row, ...] | None = None  # of the path that is recorded
        self._last: Row | None = None

    @property
    def recording(self) -> bool:
        """Return whether a path is recorded."""
        return self._rows is not None

    @property
    def points(self) -> int:
        """Return the number of points of the task."""
        return len(self._points)

    def take(self, time: float, position: Array) -> None:
        """Take the present joints [rad], shape ``(n,)``, at a time [s]."""
        self._last = row = Row(time, position)
        if self._rows is not None and (not self._rows or time >= self._rows[-1].time + ROW_PERIOD):
            self._rows = (*self._rows, row)

    def keep(self) -> str:
        """Keep the present pose; return what was done.

        :raises ConfigError: it is not known where the robot is.
        """
        if self._last is None:
            raise ConfigError('no joint state has come yet: try again')
        position = self._last.position
        if self._played is None:
            self._points = (*self._points, kept_pose(self._model, position, self._name('pose')))
            return f'kept {self._points[-1].name}'
        task = self.task()
        nearest = nearest_pose(task, self._model, position)
        self._points = with_pose(task, self._model, nearest.index, position).points
        return f'{task.label(nearest.index)} moved by {1e3 * nearest.distance:.1f} mm'

    def begin_path(self) -> str:
        """Begin to record a path; return what was done.

        :raises ConfigError: one is recorded already, or a task is played.
        """
        if self._played is not None:
            raise ConfigError('a task is played: its poses can be corrected, paths are not added')
        if self._rows is not None:
            raise ConfigError('a path is recorded already: end it first')
        self._rows = ()
        return 'recording a path'

    def recorded_path(self) -> TaughtPath:
        """Return the path that was recorded so far; takes a second.

        :raises ConfigError: there is none, or no motion in it.
        """
        if self._rows is None:
            raise ConfigError('no path is recorded: begin one first')
        if not self._rows:
            raise ConfigError('no joint state has come yet: try again')
        time = np.array([row.time for row in self._rows])
        positions = np.array([row.position for row in self._rows])
        return taught_path(self._model, time, positions, self.tolerance)

    def end_path(self, path: TaughtPath) -> str:
        """Keep the path that was recorded; return what was done."""
        self._rows = None
        self._points = (*self._points, kept_path(path.rows, self._name('path')))
        return (
            f'kept {self._points[-1].name}: {len(path.rows)} way points, at most '
            f'{1e3 * path.deviation:.2f} mm from what was led'
        )

    def task(self) -> Task:
        """Return the task so far.

        :raises ConfigError: it has no point.
        """
        if not self._points:
            raise ConfigError('nothing was kept yet: keep a pose, or record a path')
        if self._played is not None:
            return msgspec.structs.replace(self._played, points=self._points)
        return new_task(self._model, self._points)

    def _name(self, kind: str) -> str:
        count = sum(point.name.startswith(kind) for point in self._points)
        return f'{kind} {count + 1}'
