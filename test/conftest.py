"""The shipped robots, read once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
import gc

from hypothesis import HealthCheck, settings
import pytest

from simloop_ros.core.resources import resource_folder
from simloop_ros.robot import urdf
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.robot_files import robot_config

# How fast a busy machine makes examples says nothing about the code.
settings.register_profile('untimed', deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile('untimed')

ROBOTS = ('sphere', 'two_link', 'yumi')


def pytest_collection_finish() -> None:
    """Let the collector leave alone what there is before the first test: it all stays."""
    gc.freeze()


@pytest.fixture(scope='session', autouse=True)
def _expand_shipped_descriptions_once() -> Iterator[None]:
    """Expand the macros of each shipped robot once: that is most of the time of loading it."""
    expand, folder = urdf.expand_xacro, resource_folder('urdf').resolve()
    expand_once = cache(expand)
    patch = pytest.MonkeyPatch()
    patch.setattr(
        urdf,
        'expand_xacro',
        lambda path: (expand_once if folder in path.parents else expand)(path),
    )
    yield
    patch.undo()


@pytest.fixture(scope='session')
def shipped() -> Callable[[str], RobotModel]:
    """Return the reader of a shipped robot."""
    return cache(lambda name: load_fit_robot(robot_config(name)))


@pytest.fixture(scope='session', params=ROBOTS)
def robot(request: pytest.FixtureRequest, shipped: Callable[[str], RobotModel]) -> RobotModel:
    """Return one robot after the other."""
    return shipped(request.param)


@pytest.fixture(scope='session')
def sphere(shipped: Callable[[str], RobotModel]) -> RobotModel:
    """Return a point mass on one vertical joint: the tip is the joint."""
    return shipped('sphere')


@pytest.fixture(scope='session')
def two_link(shipped: Callable[[str], RobotModel]) -> RobotModel:
    """Return two links of 1 m in the x-z plane, each of which moves the other."""
    return shipped('two_link')


@pytest.fixture(scope='session')
def yumi(shipped: Callable[[str], RobotModel]) -> RobotModel:
    """Return two arms of seven joints."""
    return shipped('yumi')


@pytest.fixture(scope='session')
def lwr(shipped: Callable[[str], RobotModel]) -> RobotModel:
    """Return one arm of seven joints, with flexible joints if a plant asks for them."""
    return shipped('lwr')


@pytest.fixture(scope='session')
def irb120(shipped: Callable[[str], RobotModel]) -> RobotModel:
    """Return one arm of six joints with a spherical wrist."""
    return shipped('irb120')
