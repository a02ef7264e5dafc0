"""The shapes of a robot's links as triangles, of every kind that Pinocchio reads."""

from __future__ import annotations

import logging
from typing import Any

import coal
import msgspec
import numpy as np
import pinocchio as pin
import trimesh

from ...core.errors import ModelError
from ...core.values import Array
from ...robot.model import RobotModel

LOGGER = logging.getLogger(__name__)
UNCOLOURED = (180, 185, 190)
"""Of shapes without a colour in the URDF."""
SMOOTH = np.deg2rad(35.0)
"""Angle between triangles up to which they are shown as one bent face [rad]."""


class LinkShape(msgspec.Struct, frozen=True):
    """A shape of a link.

    :ivar link: name of its frame.
    :ivar vertices: in axes of the link [m], shape ``(m, 3)``.
    :ivar faces: shape ``(k, 3)``.
    :ivar colour: red, green, blue, 0 to 255.
    """

    link: str
    vertices: Array
    faces: Any
    colour: tuple[int, int, int]


def visual_shapes(model: RobotModel) -> tuple[tuple[LinkShape, ...], str]:
    """Return the shapes that are to be seen, and what there is to say about them.

    A robot whose meshes are missing is shown by its collision shapes, or by nothing, and that is
    said.
    """
    kinds = {'visual': pin.GeometryType.VISUAL, 'collision': pin.GeometryType.COLLISION}
    said = ''
    for name, kind in kinds.items():
        try:
            shapes = _shapes(model, pin.buildGeomFromUrdfString(model.pin_model, model.urdf, kind))
        except (ValueError, RuntimeError) as error:
            said = said or f'{name} shapes: {" ".join(str(error).split())}'
            continue
        if shapes:
            return shapes, said
    return (), said or 'the URDF has no shapes: only the frames of the tips are shown'


def collision_shapes(model: RobotModel) -> tuple[LinkShape, ...]:
    """Return the collision shapes; none where they cannot be read."""
    try:
        return _shapes(model, model.collision_geometry())
    except ModelError as error:
        LOGGER.warning('%s', error)
        return ()


def _shapes(model: RobotModel, geometry: pin.GeometryModel) -> tuple[LinkShape, ...]:
    frames = model.pin_model.frames
    found = []
    for shape in geometry.geometryObjects:
        triangles = _triangles(shape.geometry)
        if triangles is None:
            continue
        vertices, faces = _smoothed(*triangles)
        frame = frames[shape.parentFrame]
        place = frame.placement.actInv(shape.placement)  # both from the joint
        points = (vertices * shape.meshScale.ravel()) if _is_mesh(shape.geometry) else vertices
        points = points @ place.rotation.T + place.translation
        rgba = np.clip(shape.meshColor, 0.0, 1.0).ravel()
        coloured = bool(rgba[:3].any())
        colour = tuple(int(255.0 * c) for c in rgba[:3]) if coloured else UNCOLOURED
        found.append(LinkShape(frame.name, points, faces, colour))  # type: ignore[arg-type]
    return tuple(found)


def _smoothed(vertices: Array, faces: Any) -> tuple[Array, Any]:
    """Return the triangles with vertices of their own on both sides of each sharp edge."""
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    mesh.merge_vertices()
    smooth = trimesh.graph.smooth_shade(mesh, angle=SMOOTH)
    return np.array(smooth.vertices), np.array(smooth.faces, dtype=np.uint32)


def _is_mesh(geometry: Any) -> bool:
    return isinstance(geometry, coal.BVHModelBase)


def _triangles(geometry: Any) -> tuple[Array, Any] | None:
    """Return vertices and faces in axes of the shape; none for one that is not known."""
    mesh: trimesh.Trimesh
    match geometry:
        case coal.BVHModelBase():
            corners = map(geometry.tri_indices, range(geometry.num_tris))
            faces = [(each[0], each[1], each[2]) for each in corners]  # it has no iterator
            return np.array(geometry.vertices()), np.array(faces, dtype=np.uint32)
        case coal.Box():
            mesh = trimesh.creation.box(2.0 * np.array(geometry.halfSide))
        case coal.Sphere():
            mesh = trimesh.creation.icosphere(3, geometry.radius)
        case coal.Cylinder():
            mesh = trimesh.creation.cylinder(geometry.radius, 2.0 * geometry.halfLength)
        case coal.Capsule():
            mesh = trimesh.creation.capsule(2.0 * geometry.halfLength, geometry.radius)
            mesh.apply_translation([0.0, 0.0, -mesh.bounds.mean(axis=0)[2]])
        case _:
            return None
    return np.array(mesh.vertices), np.array(mesh.faces, dtype=np.uint32)
