"""Logs of robots that differ from their description."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.identification.motion import Stretch
from simloop_ros.robot.model import RobotModel

H = 1.0 / 250.0
SMOOTHING = 0.01


def swinging(
    model: RobotModel, duration: float, seed: int, period: float = H
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return positions, velocities and accelerations of sines on all joints about home."""
    rng = np.random.default_rng(seed)
    time = np.arange(0.0, duration, period)[:, None, None]
    w = 2.0 * np.pi * rng.uniform(0.1, 0.8, (1, 4, model.n))
    size = rng.uniform(0.1, 0.5, w.shape) / (0.5 + w)
    phase = w * time + rng.uniform(0.0, 6.28, w.shape)
    return (
        model.home + (size * np.sin(phase)).sum(1),
        (size * w * np.cos(phase)).sum(1),
        -(size * w**2 * np.sin(phase)).sum(1),
    )


def heavier(model: RobotModel, seed: int) -> pin.Model:
    """Return the robot with other inertias, and rotors."""
    rng = np.random.default_rng(seed)
    robot = pin.Model(model.pin_model)
    for joint in range(1, robot.njoints):
        body, scale = robot.inertias[joint], np.exp(0.2 * rng.normal())
        robot.inertias[joint] = pin.Inertia(
            scale * body.mass,
            np.asarray(body.lever) + 0.02 * rng.normal(size=3),
            scale * np.asarray(body.inertia),
        )
    robot.armature = rng.uniform(0.02, 0.2, model.n)
    return robot


@pytest.fixture(scope='session')
def make_log() -> Callable[..., Stretch]:
    """Return a maker of logs with torque noise, friction and encoder noise."""

    def make(
        model: RobotModel,
        robot: pin.Model,
        coulomb: np.ndarray,
        viscous: np.ndarray,
        duration: float = 20.0,
        seed: int = 1,
        noise: float = 0.1,
        encoder: float = 1e-5,
        more: Callable[[np.ndarray], np.ndarray] = np.zeros_like,
    ) -> Stretch:
        q, v, a = swinging(model, duration, seed)
        data = robot.createData()
        torque = np.array([pin.rnea(robot, data, *row) for row in zip(q, v, a, strict=True)])
        torque += coulomb * np.tanh(v / SMOOTHING) + viscous * v + more(v)
        rng = np.random.default_rng(seed + 100)
        torque += noise * rng.normal(size=q.shape)
        return Stretch(0.0, H, q + encoder * rng.normal(size=q.shape), torque)

    return make
