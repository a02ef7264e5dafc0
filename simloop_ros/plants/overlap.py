"""Starts at which nothing overlaps: engines expel what does with enormous forces."""

from __future__ import annotations

import coal
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array
from ..robot.model import RobotModel
from ..world.geometry import body_pose, placed_body
from .config import HeldObject, Obstacle

LEVEL_TOLERANCE = 1e-9
"""Largest roll and pitch of an object that lies flat [rad]."""
OVERLAP_DEPTH = 1e-5
"""Depth beyond which a palm is in the object [m]; less is a touch."""


def refuse_overlap(model: RobotModel, obstacles: tuple[Obstacle, ...], q: Array) -> None:
    """Raise ``ConfigError`` if a moving link is in an obstacle at joint positions ``q`` [rad]."""
    geometry = model.collision_geometry()
    placements = geometry.createData()
    data = model.pin_model.createData()
    pin.updateGeometryPlacements(model.pin_model, data, geometry, placements, q)
    for obstacle in obstacles:
        pose, shape = placed(obstacle)
        place = coal.Transform3s(pose.rotation, pose.translation)
        for body, placement in zip(geometry.geometryObjects, placements.oMg, strict=True):
            if body.parentJoint == 0:
                continue
            where = coal.Transform3s(placement.rotation, placement.translation)
            result = coal.CollisionResult()
            if coal.collide(body.geometry, where, shape, place, coal.CollisionRequest(), result):
                link = model.pin_model.frames[body.parentFrame].name
                raise ConfigError(
                    f'plant.obstacles: {obstacle.name} overlaps {link} at the start; move it, '
                    'there or in world.bodies, or change robot.home'
                )


def placed(obstacle: Obstacle) -> tuple[pin.SE3, coal.CollisionGeometry]:
    """Return where an obstacle is in the world, and its shape."""
    if obstacle.kind == 'plane':
        normal = np.array(obstacle.normal) / np.linalg.norm(obstacle.normal)
        return pin.SE3.Identity(), coal.Halfspace(normal, float(normal @ obstacle.position))
    return placed_body(obstacle)


def turned(obstacle: Obstacle) -> pin.Quaternion:
    """Return the orientation of an obstacle: of a plane, z along its normal."""
    if obstacle.kind == 'plane':
        up = np.array([0.0, 0.0, 1.0])
        normal = np.array(obstacle.normal) / np.linalg.norm(obstacle.normal)
        return pin.Quaternion.FromTwoVectors(up, normal)
    return pin.Quaternion(pin.rpy.rpyToMatrix(*obstacle.rpy))


def object_start(
    model: RobotModel, config: HeldObject, thickness: float = OVERLAP_DEPTH
) -> pin.SE3:
    """Return the object's pose in the world at the start.

    :param thickness: of a palm [m].
    :raises ConfigError: it does not lie flat on its table, or a palm is in it at the robot's home.
    """
    if config.table and max(abs(angle) for angle in config.rpy[:2]) > LEVEL_TOLERANCE:
        raise ConfigError(
            f'plant.object.rpy: {list(config.rpy)} does not lie flat on the table, which '
            'is level; make roll and pitch 0, or plant.object.table false'
        )
    place = body_pose(config.position, config.rpy)
    beam = coal.Box(config.width, config.length, config.width)
    there = coal.Transform3s(place.rotation, place.translation)
    palm = coal.Box(config.palm, config.palm, thickness)
    for tip, pose in zip(model.tips, model.frame_poses(model.home, model.tips), strict=True):
        behind = pose.translation - (OVERLAP_DEPTH + 0.5 * thickness) * pose.rotation[:, 2]
        where = coal.Transform3s(pose.rotation, behind)
        result = coal.CollisionResult()
        if coal.collide(palm, where, beam, there, coal.CollisionRequest(), result):
            raise ConfigError(
                f'plant.object: the palm of {tip} is in the beam at the start; move '
                'plant.object.position, or change robot.home'
            )
    return place
