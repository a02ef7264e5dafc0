"""Where a link can be touched: points on its collision shapes."""

from __future__ import annotations

from dataclasses import dataclass

import coal
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel
from .shape_area import pieces

VIEW_DISTANCE = 10.0
"""Distance from which a shape is looked at [m]: beyond any link."""
INSIDE_DEPTH = 1e-4
"""Depth at which a point counts as inside another shape [m]."""


@dataclass(frozen=True)
class SurfacePoints:
    """Points that something outside can touch.

    :ivar points: from the link's joint and in its axes [m], shape ``(count, 3)``.
    :ivar normals: out of the link, unit vectors in the same axes, shape ``(count, 3)``.
    """

    points: Array
    normals: Array


class LinkSurface:
    """The surface of everything that one joint carries, as one rigid body.

    Points inside another shape of the same body cannot be touched and are left out.

    :ivar area: of all shapes [m^2], hidden parts included.
    :param joint: index of the joint in Pinocchio's order, from 1.
    :param geometry: collision shapes of the robot.
    """

    def __init__(self, geometry: pin.GeometryModel, joint: int):
        bodies = [body for body in geometry.geometryObjects if body.parentJoint == joint]
        self._shapes = [(body.geometry, body.placement) for body in bodies]
        self._pieces = [
            (i, piece) for i, body in enumerate(bodies) for piece in pieces(body.geometry)
        ]
        self._ends = np.cumsum([piece.area for _, piece in self._pieces])
        self.area = float(self._ends[-1]) if self._pieces else 0.0

    def __bool__(self) -> bool:
        """Return whether there is anything to touch."""
        return self.area > 0.0

    def points(self, numbers: Array) -> SurfacePoints:
        """Return the points that numbers choose, equal areas for equal parts of the unit cube.

        :param numbers: from [0, 1), shape ``(count, 3)``.
        """
        points, normals = [], []
        for which, u, v in numbers.tolist():
            place = int(np.searchsorted(self._ends, which * self.area, side='right'))
            i, piece = self._pieces[min(place, len(self._pieces) - 1)]
            found, at = piece.at(u, v), self._shapes[i][1]
            point = at.act(found.point)
            if not any(
                depth_inside(*other, point) > INSIDE_DEPTH
                for j, other in enumerate(self._shapes)
                if j != i
            ):
                points.append(point)
                normals.append(at.rotation @ found.normal)
        return SurfacePoints(
            np.array(points, np.float64).reshape(-1, 3),
            np.array(normals, np.float64).reshape(-1, 3),
        )

    def reach(self, directions: Array) -> Array:
        """Return how far every shape goes in these directions [m], shape ``(shapes, views)``.

        A point ``x`` is outside of a convex shape where ``directions @ x`` is beyond it anywhere;
        with many directions, it is inside otherwise.

        :param directions: unit vectors in the joint's axes, shape ``(views, 3)``.
        """
        return np.einsum('svi,vi->sv', self.extremes(directions), directions)

    def extremes(self, directions: Array) -> Array:
        """Return each shape's point that is furthest in each direction, ``(shapes, views, 3)``."""
        return np.array(
            [
                [_nearest(shape, at, at.translation + VIEW_DISTANCE * view) for view in directions]
                for shape, at in self._shapes
            ]
        )

    def holds(self, point: Array) -> bool:
        """Return whether a point, in the joint's axes [m], is inside a shape."""
        return any(depth_inside(*shape, point) > INSIDE_DEPTH for shape in self._shapes)


def link_surfaces(model: RobotModel) -> dict[int, LinkSurface]:
    """Return the surface of each joint's body that has shapes, by the joint's index from 0."""
    geometry = model.collision_geometry()
    surfaces = {i: LinkSurface(geometry, i + 1) for i in range(model.n)}
    return {joint: surface for joint, surface in surfaces.items() if surface}


def low_discrepancy(count: int) -> Array:
    """Return points spread evenly over the unit cube, shape ``(count, 3)``.

    Multiples of the powers of the root of ``x^4 = x + 1``: each further one falls into a gap.
    """
    root = 1.2207440846057596
    steps = root ** -np.arange(1.0, 4.0)
    return np.asarray((0.5 + steps * np.arange(1, count + 1)[:, None]) % 1.0)


def sphere_directions(count: int) -> Array:
    """Return unit vectors spread evenly over the sphere, on a spiral, shape ``(count, 3)``."""
    i = np.arange(count) + 0.5
    z = 1.0 - 2.0 * i / count
    turn = np.pi * (1.0 + np.sqrt(5.0)) * i
    r = np.sqrt(1.0 - z * z)
    return np.column_stack((r * np.cos(turn), r * np.sin(turn), z))


def _nearest(shape: coal.CollisionGeometry, place: pin.SE3, viewer: Array) -> Array:
    _, found = _distance(shape, place, 0.01 * VIEW_DISTANCE, viewer)
    return np.array(found.getNearestPoint1()).ravel()


def depth_inside(shape: coal.CollisionGeometry, place: pin.SE3, point: Array) -> float:
    """Return how deep a point is inside a shape [m]; negative outside."""
    ball = 1e-6
    return -_distance(shape, place, ball, point)[0] - ball


def _distance(
    shape: coal.CollisionGeometry, place: pin.SE3, radius: float, centre: Array
) -> tuple[float, coal.DistanceResult]:
    result = coal.DistanceResult()
    here = coal.Transform3s(place.rotation, place.translation)
    there = coal.Transform3s(np.eye(3), centre)
    ball = coal.Sphere(radius)
    return float(coal.distance(shape, here, ball, there, coal.DistanceRequest(), result)), result
