"""A robot that was led, and tasks of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from teach_and_repeat import Led, lead

from simloop_ros.core.values import Array
from simloop_ros.robot.model import RobotModel
from simloop_ros.teaching.task import Task, kept_pose, new_task
from simloop_ros.teaching.task_file import task_text

OFFSETS = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.4, 0.1, 0.0, -0.2, 0.1, 0.0, 0.3],
        [-0.2, 0.2, 0.1, 0.2, 0.0, -0.2, 0.0],
    ]
)
"""Of the poses of a task from the robot's home [rad]."""


@pytest.fixture(scope='session')
def led() -> Led:
    """Return the LWR as the hand of ``lwr_teach`` led it, with noise, in few steps."""
    return lead('plant.noise=1e-5', 'period=0.005')


@pytest.fixture(scope='session')
def poses(lwr: RobotModel) -> Array:
    """Return three poses of the LWR [rad], shape ``(3, 7)``; none is its home."""
    home = lwr.home + 0.1
    return np.round(home + OFFSETS, 6)


@pytest.fixture(scope='session')
def task(lwr: RobotModel, poses: Array) -> Task:
    """Return a task of these poses."""
    return new_task(lwr, tuple(kept_pose(lwr, q, f'pose {i}') for i, q in enumerate(poses, 1)))


@pytest.fixture
def written(tmp_path: Path, lwr: RobotModel) -> Callable[[Task], str]:
    """Return what writes a task to a file and gives its name."""

    def write(task: Task) -> str:
        path = tmp_path / 'task.yaml'
        path.write_text(task_text(task, lwr, tmp_path))
        return str(path)

    return write
