"""What of the robot does not move: no tip can be inside it."""

from __future__ import annotations

import coal
import numpy as np

from ..model import RobotModel
from ..values import Array

POINT = 1e-9
"""Radius of the ball that stands for a point [m]."""


class FixedShapes:
    """The collision shapes of the links that no joint moves.

    A mesh counts by its surface only: a point inside a hollow one is not noticed.
    """

    def __init__(self, model: RobotModel):
        geometry = model.collision_geometry()
        fixed = [body for body in geometry.geometryObjects if body.parentJoint == 0]
        self._links = [model.pin_model.frames[body.parentFrame].name for body in fixed]
        self._shapes = [
            coal.CollisionObject(
                body.geometry,
                coal.Transform3s(body.placement.rotation, body.placement.translation),
            )
            for body in fixed
        ]
        self._ball = coal.CollisionObject(coal.Sphere(POINT), coal.Transform3s())
        self._request, self._result = coal.CollisionRequest(), coal.CollisionResult()

    def around(self, point: Array) -> str | None:
        """Return the name of the link that a point in the world [m] is inside of, if any.

        :param point: shape ``(3,)``.
        """
        if not self._shapes:
            return None
        self._ball.setTranslation(np.asarray(point))
        for link, shape in zip(self._links, self._shapes, strict=True):
            self._result.clear()
            if coal.collide(self._ball, shape, self._request, self._result):
                return str(link)
        return None
