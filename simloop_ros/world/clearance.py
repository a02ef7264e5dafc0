"""How far the robot is from the known world and from itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel
from .config import WorldConfig
from .geometry import add_bodies, collision_data, placed_body, robot_geometry


@dataclass(frozen=True)
class Nearness:
    """The two shapes that are nearest to each other.

    :ivar distance: between them [m]; below 0 they overlap by so much.
    :ivar link: of the robot.
    :ivar other: a body of the world, or another link.
    """

    distance: float
    link: str
    other: str

    def __str__(self) -> str:
        size = 1000.0 * abs(self.distance)
        if self.distance <= 0.0:
            return f'{self.link} is {size:.3g} mm inside {self.other}'
        return f'{self.link} is {size:.3g} mm from {self.other}'


class Clearance:
    """Distances of a robot from a world and from itself.

    Links up to two joints apart, and pairs that touch at home, are not checked; links that do not
    move are not checked against the world.

    :param margin: distance that ``free`` asks for [m]. Links that are nearer to each other at home
        are asked only not to touch.
    """

    def __init__(self, model: RobotModel, world: WorldConfig, margin: float = 0.0):
        self._pin_model, self._data = model.pin_model, model.pin_model.createData()
        self._geometry = geometry = robot_geometry(model, model.home)
        links = geometry.ngeoms
        add_bodies(geometry, ((body.name, *placed_body(body)) for body in world.bodies))
        bodies = geometry.geometryObjects
        names = [model.pin_model.frames[body.parentFrame].name for body in bodies[:links]]
        names += [body.name for body in bodies[links:]]
        self._pairs = [(names[p.first], names[p.second]) for p in geometry.collisionPairs]
        self._distances = geometry.createData()
        self._placements = collision_data(geometry)
        self._margins = np.full(len(self._pairs), margin)
        own = np.array([pair.second < links for pair in geometry.collisionPairs], np.bool_)
        self._margins[own & (self._all(model.home) < margin)] = 0.0
        for request, least in zip(self._placements.collisionRequests, self._margins, strict=True):
            request.security_margin = float(least)
        self._broad_phase = pin.BroadPhaseManager_DynamicAABBTreeCollisionManager(
            self._pin_model, geometry, self._placements
        )

    def free(self, q: Array) -> bool:
        """Return whether every distance at ``q`` [rad], shape ``(n,)``, is above the margin."""
        return not pin.computeCollisions(self._pin_model, self._data, self._broad_phase, q, True)

    def smallest(self, q: Array) -> Nearness | None:
        """Return the smallest distance at ``q`` [rad], shape ``(n,)``; none without any pair."""
        return self._at_least(self._all(q))

    def lacking(self, q: Array) -> Nearness | None:
        """Return the pair that is farthest below its margin, or nearest to it, at ``q``."""
        return self._at_least(self._all(q), self._margins)

    def _at_least(self, distances: Array, margins: Array | float = 0.0) -> Nearness | None:
        if not len(distances):
            return None
        index = int(np.argmin(distances - margins))
        return Nearness(float(distances[index]), *self._pairs[index])

    def _all(self, q: Array) -> Array:
        """Return the distances of all pairs [m], shape ``(pairs,)``."""
        if not self._pairs:
            return np.zeros(0)
        pin.computeDistances(self._pin_model, self._data, self._geometry, self._distances, q)
        results = self._distances.distanceResults
        return np.array([result.min_distance for result in results])
