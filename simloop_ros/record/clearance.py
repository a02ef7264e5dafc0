"""How near the robot came to obstacles that it did not touch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..plants.config import Obstacle
from ..plants.overlap import placed
from ..robot.model import RobotModel


def clearance(model: RobotModel, obstacles: Sequence[Obstacle], positions: Array) -> float | None:
    """Return the least distance of a moving link from a fixed obstacle [m].

    ``None`` where the links have no shapes, or an obstacle flies: its way is not known.

    :param positions: joints [rad], shape ``(rows, n)``.
    """
    geometry = model.collision_geometry()
    links = [i for i, body in enumerate(geometry.geometryObjects) if body.parentJoint > 0]
    if not links or any(obstacle.mass > 0.0 for obstacle in obstacles):
        return None
    for number, obstacle in enumerate(obstacles):
        body = pin.GeometryObject(f'obstacle {number}', 0, *placed(obstacle))
        index = geometry.addGeometryObject(body)
        for link in links:
            geometry.addCollisionPair(pin.CollisionPair(link, index))
    data, placements = model.pin_model.createData(), geometry.createData()
    least = np.inf
    for q in positions:
        pin.updateGeometryPlacements(model.pin_model, data, geometry, placements, q)
        pin.computeDistances(geometry, placements)
        least = min(least, *(result.min_distance for result in placements.distanceResults))
    return float(least)
