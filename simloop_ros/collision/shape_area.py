"""Collision shapes as pieces of surface, on which points can be chosen evenly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import coal
import numpy as np

from ..core.values import Array


@dataclass(frozen=True)
class SurfacePoint:
    """A point of a surface.

    :ivar point: in the shape's axes [m], shape ``(3,)``.
    :ivar normal: out of the shape, unit vector, shape ``(3,)``.
    """

    point: Array
    normal: Array


@dataclass(frozen=True)
class Piece:
    """A part of a shape's surface.

    :ivar area: [m^2].
    :ivar at: returns the point for two numbers from [0, 1): equal parts of the unit square are
        equal parts of the area.
    """

    area: float
    at: Callable[[float, float], SurfacePoint]


def pieces(shape: coal.CollisionGeometry) -> list[Piece]:
    """Return the surface of a shape: exact for those of URDF, the bounding ball for others."""
    match shape:
        case coal.Sphere():
            return [_ball(shape.radius, 0.0)]
        case coal.Capsule():
            half = shape.halfLength
            return [_side(shape.radius, half), _ball(shape.radius, half)]
        case coal.Cylinder():
            half = shape.halfLength
            caps = [_cap(shape.radius, end) for end in (-half, half)]
            return [_side(shape.radius, half), *caps]
        case coal.Box():
            half_sides = np.array(shape.halfSide).ravel()
            return [_face(half_sides, axis, sign) for axis in range(3) for sign in (-1.0, 1.0)]
        case coal.BVHModelBase():
            return _triangles(shape)
    return [_ball(shape.aabb_radius, 0.0)]


def _ball(radius: float, half: float) -> Piece:
    """Return a ball whose halves are apart by twice ``half`` along z."""

    def at(u: float, v: float) -> SurfacePoint:
        z, turn = 1.0 - 2.0 * u, 2.0 * np.pi * v
        r = np.sqrt(max(0.0, 1.0 - z * z))
        normal = np.array([r * np.cos(turn), r * np.sin(turn), z])
        return SurfacePoint(radius * normal + [0.0, 0.0, np.copysign(half, z)], normal)

    return Piece(4.0 * np.pi * radius**2, at)


def _side(radius: float, half: float) -> Piece:
    def at(u: float, v: float) -> SurfacePoint:
        normal = np.array([np.cos(2.0 * np.pi * v), np.sin(2.0 * np.pi * v), 0.0])
        return SurfacePoint(radius * normal + [0.0, 0.0, (2.0 * u - 1.0) * half], normal)

    return Piece(4.0 * np.pi * radius * half, at)


def _cap(radius: float, end: float) -> Piece:
    def at(u: float, v: float) -> SurfacePoint:
        r, turn = radius * np.sqrt(u), 2.0 * np.pi * v
        return SurfacePoint(
            np.array([r * np.cos(turn), r * np.sin(turn), end]),
            np.array([0.0, 0.0, np.copysign(1.0, end)]),
        )

    return Piece(np.pi * radius**2, at)


def _face(half_sides: Array, axis: int, sign: float) -> Piece:
    others = [i for i in range(3) if i != axis]

    def at(u: float, v: float) -> SurfacePoint:
        normal = np.zeros(3)
        normal[axis] = sign
        point = sign * half_sides * np.abs(normal)
        point[others] = half_sides[others] * (2.0 * np.array([u, v]) - 1.0)
        return SurfacePoint(point, normal)

    return Piece(4.0 * float(np.prod(half_sides[others])), at)


def _triangles(shape: coal.BVHModelBase) -> list[Piece]:
    vertices = np.array([np.ravel(shape.vertex(i)) for i in range(shape.num_vertices)])
    corners = np.array(
        [[shape.tri_indices(i)[k] for k in range(3)] for i in range(shape.num_tris)]
    )
    origins = vertices[corners[:, 0]]
    sides = vertices[corners[:, 1:]] - origins[:, None]  # (triangles, 2, 3)
    normals = np.cross(sides[:, 0], sides[:, 1])
    double = np.linalg.norm(normals, axis=1)
    real = double > 0.0
    origins, sides, normals, double = origins[real], sides[real], normals[real], double[real]
    ends = np.cumsum(double)

    def at(u: float, v: float) -> SurfacePoint:
        place = u * ends[-1]
        chosen = min(int(np.searchsorted(ends, place, side='right')), len(ends) - 1)
        rest = 1.0 - (ends[chosen] - place) / double[chosen]
        root = np.sqrt(rest)  # so that equal parts are equal areas towards the first corner
        point = origins[chosen] + root * ((1.0 - v) * sides[chosen, 0] + v * sides[chosen, 1])
        return SurfacePoint(point, normals[chosen] / double[chosen])

    return [Piece(0.5 * float(ends[-1]), at)] if len(ends) else []
