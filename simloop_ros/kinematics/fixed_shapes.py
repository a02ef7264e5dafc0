"""The fixed links of a robot: no tip can be inside them."""

from __future__ import annotations

from collections.abc import Callable

import coal
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel

POINT_RADIUS = 1e-9
"""Radius of the ball that stands for a point [m]."""
INSIDE_SHARE = 0.5
"""Share of the full solid angle above which a mesh is around a point: 1 inside, 0 outside, and not
much else where the mesh has small holes."""


class FixedShapes:
    """The collision shapes of the links that no joint moves."""

    def __init__(self, model: RobotModel):
        fixed = [
            body for body in model.collision_geometry().geometryObjects if body.parentJoint == 0
        ]
        self._tests = [
            (str(model.pin_model.frames[body.parentFrame].name), _test(body)) for body in fixed
        ]

    def around(self, point: Array) -> str | None:
        """Return the name of the link that a point in the world [m] is inside of, if any.

        :param point: shape ``(3,)``.
        """
        return next((link for link, inside in self._tests if inside(point)), None)


def _test(body: pin.GeometryObject) -> Callable[[Array], bool]:
    if isinstance(body.geometry, coal.BVHModelBase):
        return _Mesh(body).around
    return _Solid(body).around


class _Solid:
    """A box, cylinder, ball or convex body."""

    def __init__(self, body: pin.GeometryObject):
        place = coal.Transform3s(body.placement.rotation, body.placement.translation)
        self._body = coal.CollisionObject(body.geometry, place)
        self._ball = coal.CollisionObject(coal.Sphere(POINT_RADIUS), coal.Transform3s())
        self._request, self._result = coal.CollisionRequest(), coal.CollisionResult()

    def around(self, point: Array) -> bool:
        self._ball.setTranslation(point)
        self._result.clear()
        return bool(coal.collide(self._ball, self._body, self._request, self._result))


class _Mesh:
    """Triangles around a point: by the solid angle under which they are seen from it."""

    def __init__(self, body: pin.GeometryObject):
        mesh = body.geometry
        corners = [[mesh.tri_indices(i)[k] for k in range(3)] for i in range(mesh.num_tris)]
        vertices = mesh.vertices() @ body.placement.rotation.T + body.placement.translation
        self._triangles = vertices[np.array(corners, dtype=int).reshape(-1, 3)]
        self._low, self._high = vertices.min(axis=0), vertices.max(axis=0)

    def around(self, point: Array) -> bool:
        if np.any(point < self._low) or np.any(point > self._high):
            return False
        a, b, c = (self._triangles[:, i] - point for i in range(3))
        la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        volume = np.einsum('ti,ti->t', a, np.cross(b, c))
        dots = [np.einsum('ti,ti->t', *pair) for pair in ((a, b), (b, c), (c, a))]
        # Van Oosterom and Strackee: the tangent of half the solid angle of a triangle.
        angles = 2.0 * np.arctan2(
            volume, la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb
        )
        return abs(float(angles.sum())) > INSIDE_SHARE * 4.0 * np.pi
