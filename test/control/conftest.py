"""The shipped robots, and a robot as exact dynamics has it, for the control simulation's tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.values import JointState
from simloop_ros.robot.model import RobotModel

Step = Callable[[JointState, np.ndarray], JointState]


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
