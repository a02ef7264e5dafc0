"""The shipped robots, and a robot that obeys the control simulation's own dynamics."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.collision.observation import Observation
from simloop_ros.core.values import JointState
from simloop_ros.robot.model import RobotModel

H = 1.0 / 1000.0


@pytest.fixture
def swing() -> Callable[..., Iterator[Observation]]:
    """Return a robot that swings on all joints, as a monitor is told of it.

    It steps by 000 (5.3), (5.4) under the torques that its motion needs and, from ``begin`` on, a
    constant torque from outside; control knows its state without error.
    """

    def observe(
        model: RobotModel,
        outside: np.ndarray | None = None,
        steps: int = 1000,
        begin: int = 400,
        period: float = H,
        noise: float = 0.0,
    ) -> Iterator[Observation]:
        data = model.pin_model.createData()
        rng = np.random.default_rng(7)
        q, v = model.home, np.zeros(model.n)
        for i in range(steps):
            a = 2.0 * np.cos(4.0 * period * i + np.arange(model.n))
            effort = pin.rnea(model.pin_model, data, q, v, a)
            desired = q + period * (v + period * a)
            added = outside if outside is not None and i >= begin else 0.0
            new_v = v + period * pin.aba(model.pin_model, data, q, v, effort + added)
            explained = pin.rnea(model.pin_model, data, q, v, (new_v - v) / period)
            q, v = q + period * new_v, new_v
            measured = q + noise * rng.standard_normal(model.n)
            yield Observation(
                (i + 1) * period, desired, effort, measured, JointState(q, v), explained
            )

    return observe
