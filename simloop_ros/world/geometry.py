"""Shapes of the links and of the known world, and which of them must not touch."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import coal
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel


def robot_geometry(model: RobotModel, *positions: Array) -> pin.GeometryModel:
    """Return the collision shapes of the links with the pairs that must not touch.

    Links up to two joints apart along the tree are left out, and so are pairs that touch at a
    position that is known to be free: simple shapes around a wrist or shoulder overlap by
    construction. Of several positions, at which the robot may be free or not, pairs that touch at
    all of them are left out.

    :param positions: of the joints [rad], shape ``(n,)`` each.
    """
    geometry = model.collision_geometry()
    joints = [body.parentJoint for body in geometry.geometryObjects]
    for pair in combinations(range(len(joints)), 2):
        if not _near(model.pin_model, *(joints[i] for i in pair)):
            geometry.addCollisionPair(pin.CollisionPair(*pair))
    placements, data = collision_data(geometry), model.pin_model.createData()
    touching = [
        set(touching_pairs(model.pin_model, data, geometry, placements, q)) for q in positions
    ]
    for pair in sorted(set.intersection(*touching)):
        geometry.removeCollisionPair(pin.CollisionPair(*pair))
    return geometry


def _near(pin_model: pin.Model, a: int, b: int) -> bool:
    parents = pin_model.parents
    above_a, above_b = ((i, parents[i], parents[parents[i]]) for i in (a, b))
    return a in above_b or b in above_a


def add_bodies(
    geometry: pin.GeometryModel, bodies: Iterable[tuple[str, pin.SE3, coal.CollisionGeometry]]
) -> None:
    """Add fixed bodies, each paired with every link that moves.

    :param bodies: name, pose in the world, and shape of each.
    """
    links = [i for i, body in enumerate(geometry.geometryObjects) if body.parentJoint > 0]
    for name, pose, shape in bodies:
        index = geometry.addGeometryObject(pin.GeometryObject(name, 0, pose, shape))
        for link in links:
            geometry.addCollisionPair(pin.CollisionPair(link, index))


def body_pose(position: tuple[float, ...], rpy: tuple[float, ...]) -> pin.SE3:
    """Return a pose in the world from a position [m] and roll, pitch, yaw [rad]."""
    return pin.SE3(pin.rpy.rpyToMatrix(*rpy), np.array(position))


def placed_body(body: Any) -> tuple[pin.SE3, coal.CollisionGeometry]:
    """Return where a body is in the world, and its shape.

    :param body: of the world, or an obstacle that has the same keys.
    """
    pose = body_pose(body.position, body.rpy)
    match body.kind:
        case 'box':
            return pose, coal.Box(*body.size)
        case 'sphere':
            return pose, coal.Sphere(body.radius)
        case 'cylinder':
            return pose, coal.Cylinder(body.radius, body.height)
    raise ValueError(f'{body.kind} is no kind of body')


def collision_data(geometry: pin.GeometryModel) -> pin.GeometryData:
    """Return memory for the pairs of now.

    With contacts, as links that overlap by millimetres are missed without: GJK ends at some
    1e-11 m then, which Coal calls a touch only below 1e-12 m, and where it ends depends on the
    postures before.
    """
    data = geometry.createData()
    for request in data.collisionRequests:
        request.enable_contact = True
    return data


def touching_pairs(
    pin_model: pin.Model,
    data: pin.Data,
    geometry: pin.GeometryModel,
    placements: pin.GeometryData,
    q: Array,
) -> list[tuple[int, int]]:
    """Return the pairs of shapes that touch at ``q``, by index."""
    if not pin.computeCollisions(pin_model, data, geometry, placements, q, False):
        return []
    pairs = [(pair.first, pair.second) for pair in geometry.collisionPairs]
    results = placements.collisionResults
    return [pair for pair, result in zip(pairs, results, strict=True) if result.isCollision()]
