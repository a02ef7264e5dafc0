"""The shipped robots."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from simloop_ros.loop.scenario import robot_config
from simloop_ros.model import RobotModel, load_robot
from simloop_ros.resources import resource_folder

ROBOTS = ('sphere', 'two_link', 'yumi')


@pytest.fixture(scope='session')
def shipped() -> Callable[[str], RobotModel]:
    """Return the reader of a shipped robot."""
    return cache(lambda name: load_robot(robot_config(name), resource_folder('urdf')))


@pytest.fixture(scope='session', params=ROBOTS)
def robot(request: pytest.FixtureRequest, shipped: Callable[[str], RobotModel]) -> RobotModel:
    """Every shipped robot."""
    return shipped(request.param)


@pytest.fixture(scope='session')
def yumi(shipped: Callable[[str], RobotModel]) -> RobotModel:
    """Two arms of seven joints."""
    return shipped('yumi')
