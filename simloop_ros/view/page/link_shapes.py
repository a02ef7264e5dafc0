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
from .coarse_mesh import Mesh, coarse, count

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

    A robot whose meshes are missing is shown by its collision shapes, or by nothing, and one with
    too many triangles by fewer; that is said.
    """
    kinds = {'visual': pin.GeometryType.VISUAL, 'collision': pin.GeometryType.COLLISION}
    said = []
    for name, kind in kinds.items():
        try:
            geometry = pin.buildGeomFromUrdfString(model.pin_model, model.urdf, kind)
            shapes, left_out = _shapes(model, geometry)
        except (ValueError, RuntimeError) as error:
            said.append(f'{name} shapes: {" ".join(str(error).split())}')
            continue
        if shapes:
            return shapes, '; '.join([*said, left_out] if left_out else said)
    return (), said[0] if said else 'the URDF has no shapes: only the frames of the tips are shown'


def collision_shapes(model: RobotModel) -> tuple[LinkShape, ...]:
    """Return the collision shapes; none where they cannot be read."""
    try:
        return _shapes(model, model.collision_geometry())[0]
    except ModelError as error:
        LOGGER.warning('%s', error)
        return ()


def _shapes(model: RobotModel, geometry: pin.GeometryModel) -> tuple[tuple[LinkShape, ...], str]:
    """Return shapes, and what there is to say of triangles that were left out."""
    frames = model.pin_model.frames
    read = [(shape, _triangles(shape.geometry)) for shape in geometry.geometryObjects]
    known = [(shape, mesh) for shape, mesh in read if mesh is not None]
    placed = [_placed(shape, mesh, frames[shape.parentFrame]) for shape, mesh in known]
    few, found = coarse(placed), []
    for (shape, _), mesh in zip(known, few, strict=True):
        if not len(mesh.faces):  # smaller than a cell
            continue
        smooth = _smoothed(mesh)
        rgba = np.clip(shape.meshColor, 0.0, 1.0).ravel()
        coloured = bool(rgba[:3].any())
        colour = tuple(int(255.0 * c) for c in rgba[:3]) if coloured else UNCOLOURED
        link = frames[shape.parentFrame].name
        found.append(LinkShape(link, smooth.vertices, smooth.faces, colour))  # type: ignore[arg-type]
    left_out = '' if few is placed else f'{count(few)} of {count(placed)} triangles are drawn'
    return tuple(found), left_out


def _placed(shape: Any, mesh: Mesh, frame: Any) -> Mesh:
    """Return the triangles of a shape in axes of its link."""
    place = frame.placement.actInv(shape.placement)  # both from the joint
    scale = shape.meshScale.ravel() if isinstance(shape.geometry, coal.BVHModelBase) else 1.0
    points = (mesh.vertices * scale) @ place.rotation.T + place.translation
    return Mesh(points, mesh.faces)


def _smoothed(mesh: Mesh) -> Mesh:
    """Return the triangles with vertices of their own on both sides of each sharp edge."""
    merged = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    merged.merge_vertices()
    smooth = trimesh.graph.smooth_shade(merged, angle=SMOOTH)
    return Mesh(np.array(smooth.vertices), np.array(smooth.faces, dtype=np.uint32))


def _triangles(geometry: Any) -> Mesh | None:
    """Return vertices and faces in axes of the shape; none for one that is not known."""
    mesh: trimesh.Trimesh
    match geometry:
        case coal.BVHModelBase():
            corners = map(geometry.tri_indices, range(geometry.num_tris))
            faces = [(each[0], each[1], each[2]) for each in corners]  # it has no iterator
            return Mesh(np.array(geometry.vertices()), np.array(faces, dtype=np.uint32))
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
    return Mesh(np.array(mesh.vertices), np.array(mesh.faces, dtype=np.uint32))
