"""The distance of the robot from obstacles that it does not touch."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.plants.config import Obstacle
from simloop_ros.record.clearance import clearance
from simloop_ros.robot.model import RobotModel

RADIUS = 0.1  # of the sphere [m], whose centre is its joint position


def test_the_distance_is_that_of_the_nearest_surface(sphere: RobotModel) -> None:
    path = np.linspace(0.0, 0.5, 11)[:, None]
    ceiling = Obstacle(kind='plane', position=(0.0, 0.0, 0.9), normal=(0.0, 0.0, -2.0))
    assert clearance(sphere, [ceiling], path) == pytest.approx(0.9 - 0.5 - RADIUS)
    box = Obstacle(kind='box', position=(0.0, 0.5, 0.5), size=(0.2, 0.2, 0.2))
    assert clearance(sphere, [box, ceiling], path) == pytest.approx(0.5 - 0.1 - RADIUS, abs=1e-6)
    ball = Obstacle(kind='sphere', position=(0.3, 0.0, 0.2), radius=0.05)
    assert clearance(sphere, [ball], path) == pytest.approx(0.3 - 0.05 - RADIUS, abs=1e-6)


def test_of_a_body_that_flies_nothing_is_known(sphere: RobotModel) -> None:
    ball = Obstacle(kind='sphere', position=(0.3, 0.0, 0.2), radius=0.05, mass=1.0)
    assert clearance(sphere, [ball], np.zeros((1, 1))) is None
