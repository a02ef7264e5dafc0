"""The shipped robots, and a robot as exact dynamics has it, for the control simulation's tests."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.model import RobotConfig, RobotModel, load_robot
from simloop_ros.resources import resource_folder
from simloop_ros.values import JointState

ROBOTS = ('sphere', 'two_link', 'yumi')

Step = Callable[[JointState, np.ndarray], JointState]


@pytest.fixture(scope='session')
def shipped() -> Callable[[str], RobotModel]:
    """Return the reader of a shipped robot."""

    def read(name: str) -> RobotModel:
        text = (resource_folder('config') / 'robots' / f'{name}.yaml').read_bytes()
        config = msgspec.yaml.decode(text, type=RobotConfig)
        return load_robot(config, resource_folder('urdf'))

    return read


@pytest.fixture(params=ROBOTS)
def robot(request: pytest.FixtureRequest, shipped: Callable[[str], RobotModel]) -> RobotModel:
    """Every shipped robot."""
    return shipped(request.param)


@pytest.fixture
def two_link(shipped: Callable[[str], RobotModel]) -> RobotModel:
    """Two joints, each of which moves the other."""
    return shipped('two_link')


@pytest.fixture(scope='session')
def exact() -> Callable[[RobotModel, float], Step]:
    """Return the maker of a robot's step: 000 (5.3), (5.4) with Pinocchio's forward dynamics."""

    def make(robot: RobotModel, period: float) -> Step:
        data = robot.pin_model.createData()

        def step(state: JointState, effort: np.ndarray) -> JointState:
            q, v = state.position, state.velocity
            v = v + period * pin.aba(robot.pin_model, data, q, v, effort)
            return JointState(q + period * v, v)

        return step

    return make
