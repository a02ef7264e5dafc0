"""Meshes with fewer triangles: a browser without a GPU draws a hundred thousand at most."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import msgspec
import numpy as np

from ...core.values import Array

MOST_TRIANGLES = 60_000
"""Of all meshes of a robot."""
FINEST = 2.5e-4
"""Edge of the smallest cell of vertices that is tried [m]."""


class Mesh(msgspec.Struct, frozen=True):
    """Triangles.

    :ivar vertices: [m], shape ``(m, 3)``.
    :ivar faces: indices of vertices, shape ``(k, 3)``.
    """

    vertices: Array
    faces: Any


def count(meshes: Sequence[Mesh]) -> int:
    """Return the number of triangles."""
    return sum(len(mesh.faces) for mesh in meshes)


def coarse(meshes: Sequence[Mesh], most: int = MOST_TRIANGLES) -> Sequence[Mesh]:
    """Return meshes that have together no more than ``most`` triangles.

    The cell is the same in all of them, so that the finest parts lose most.
    """
    few, cell = meshes, FINEST
    while count(few) > most:
        few = [clustered(mesh, cell) for mesh in meshes]
        cell *= sqrt(2.0)
    return few


def clustered(mesh: Mesh, cell: float) -> Mesh:
    """Return a mesh with one vertex, the mean, for all in a cube with an edge of ``cell`` [m].

    Triangles that become lines, points or others vanish.
    """
    cubes = np.floor(mesh.vertices / cell).astype(np.int64)
    _, cluster, sizes = np.unique(cubes, axis=0, return_inverse=True, return_counts=True)
    cluster = cluster.ravel()
    sums = [np.bincount(cluster, axis, minlength=len(sizes)) for axis in mesh.vertices.T]
    faces = cluster[mesh.faces.astype(np.int64)]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    _, first = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    return Mesh(np.array(sums).T / sizes[:, None], faces[np.sort(first)].astype(np.uint32))
