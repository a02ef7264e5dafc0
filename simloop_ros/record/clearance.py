"""How near the robot came to obstacles that it did not touch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..plants.config import Obstacle
from ..plants.overlap import placed
from ..robot.model import RobotModel
from ..world.geometry import add_bodies


def clearance(model: RobotModel, obstacles: Sequence[Obstacle], positions: Array) -> float | None:
    """Return the least distance of a moving link from a fixed obstacle [m].

    ``None`` where the links have no shapes, or an obstacle flies: its way is not known.

    :param positions: joints [rad], shape ``(rows, n)``.
    """
    geometry = model.collision_geometry()
    moves = any(body.parentJoint > 0 for body in geometry.geometryObjects)
    if not moves or any(obstacle.mass > 0.0 for obstacle in obstacles):
        return None
    add_bodies(geometry, ((f'obstacle {i}', *placed(o)) for i, o in enumerate(obstacles)))
    data, placements = model.pin_model.createData(), geometry.createData()
    least = np.inf
    for q in positions:
        pin.updateGeometryPlacements(model.pin_model, data, geometry, placements, q)
        pin.computeDistances(geometry, placements)
        least = min(least, *(result.min_distance for result in placements.distanceResults))
    return float(least)
