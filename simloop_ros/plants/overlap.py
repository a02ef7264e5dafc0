"""Refusal of a robot that starts inside an obstacle: engines expel it with enormous forces."""

from __future__ import annotations

import coal
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array
from ..robot.model import RobotModel
from .config import Obstacle


def refuse_overlap(model: RobotModel, obstacles: tuple[Obstacle, ...], q: Array) -> None:
    """Raise ``ConfigError`` if a moving link is in an obstacle at joint positions ``q`` [rad]."""
    geometry = model.collision_geometry()
    placements = geometry.createData()
    data = model.pin_model.createData()
    pin.updateGeometryPlacements(model.pin_model, data, geometry, placements, q)
    for obstacle in obstacles:
        shape, place = _shape(obstacle)
        for body, placement in zip(geometry.geometryObjects, placements.oMg, strict=True):
            if body.parentJoint == 0:
                continue
            where = coal.Transform3s(placement.rotation, placement.translation)
            result = coal.CollisionResult()
            if coal.collide(body.geometry, where, shape, place, coal.CollisionRequest(), result):
                link = model.pin_model.frames[body.parentFrame].name
                raise ConfigError(
                    f'plant.obstacles: {obstacle.name} overlaps {link} at the start; move it, or '
                    'change robot.home'
                )


def _shape(obstacle: Obstacle) -> tuple[coal.CollisionGeometry, coal.Transform3s]:
    position = np.array(obstacle.position)
    if obstacle.kind == 'plane':
        normal = np.array(obstacle.normal) / np.linalg.norm(obstacle.normal)
        return coal.Halfspace(normal, float(normal @ position)), coal.Transform3s()
    place = coal.Transform3s(np.eye(3), position)
    if obstacle.kind == 'box':
        return coal.Box(*obstacle.size), place
    return coal.Sphere(obstacle.radius), place
