"""Pieces of a link's surface, and the wrenches that a touch there makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.values import Array
from .link_surface import SurfacePoints

FORCE_SLANT = 0.25
"""Spread of a force to each side, as a part of its size: that of a cone of friction with a
coefficient of 0.5 that is filled evenly."""
SIZE_SPREAD = 0.4
"""Spread of a force along the normal, as a part of its size: so that each size that is tried
reaches to the next."""
NORMAL_SCALE = 0.5
"""Difference of two normals that counts as much as the width of a group."""
PIECE_MODES, GROUP_MODES = 5, 6
"""Ways in which the wrench of a piece, and of a group of pieces, may differ from its mean."""

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SurfacePieces:
    """Pieces of one link's surface, in the axes of its joint.

    A force of the size ``F`` on a piece makes the wrench ``F (w + S z)`` at the joint, force
    before moment, with ``z ~ N(0, 1)``. For a piece at ``p``, ``s`` wide, with the normal ``d``
    into the robot, the tangents ``t_1, t_2``, the slant ``c`` and the spread of the size ``k``::

        w = (d, p x d),    S = (k w, c (t_i, p x t_i), s (0, t_i x d))

    :ivar points: ``p`` [m], shape ``(pieces, 3)``.
    :ivar inward: ``d``, shape ``(pieces, 3)``.
    :ivar sides: ``t``, shape ``(pieces, 2, 3)``.
    :ivar width: ``s`` [m].
    :ivar wrenches: ``S``, then ``w``, shape ``(pieces, 6, PIECE_MODES + 1)``.
    """

    points: Array
    inward: Array
    sides: Array
    width: float
    wrenches: Array

    @classmethod
    def of(cls, surface: SurfacePoints, width: float) -> SurfacePieces:
        """Return the pieces around points of a surface, each half of ``width`` to every side."""
        points, inward = surface.points, -surface.normals
        sides = tangents(inward)
        straight = _wrench(points, inward)
        slanted = [FORCE_SLANT * _wrench(points, sides[:, i]) for i in range(2)]
        nothing = np.zeros_like(points)
        shifted = [
            width * np.concatenate((nothing, np.cross(sides[:, i], inward)), axis=1)
            for i in range(2)
        ]
        columns = [SIZE_SPREAD * straight, *slanted, *shifted, straight]
        return cls(points, inward, sides, width, np.stack(columns, axis=2))

    def keep(self, chosen: npt.NDArray[np.bool_]) -> SurfacePieces:
        """Return some of the pieces."""
        return SurfacePieces(
            self.points[chosen],
            self.inward[chosen],
            self.sides[chosen],
            self.width,
            self.wrenches[chosen],
        )

    def home(self, count: int, width: float) -> IntArray:
        """Return the group of each piece, shape ``(pieces,)``: the nearest of the first pieces.

        The points of a low-discrepancy sequence are spread evenly from the first ones on.

        :param count: of groups.
        :param width: of a group [m].
        """
        place = np.concatenate((self.points / width, self.inward / NORMAL_SCALE), axis=1)
        apart = ((place[:, None] - place[None, :count]) ** 2).sum(axis=2)
        return np.argmin(apart, axis=1)

    def groups(self, home: IntArray, count: int) -> Array:
        """Return ``S``, then ``w``, of groups of pieces: ``(count, 6, GROUP_MODES + 1)``.

        Mean and covariance are those of all the wrenches in the group.
        """
        found = np.zeros((count, 6, GROUP_MODES + 1))
        modes, means = self.wrenches[:, :, :-1], self.wrenches[:, :, -1]
        for group in range(count):
            own = home == group
            if not own.any():
                continue
            mean = means[own].mean(axis=0)
            apart = means[own] - mean
            covariance = (apart.T @ apart + np.einsum('pim,pjm->ij', modes[own], modes[own])) / (
                own.sum()
            )
            stretch, axes = np.linalg.eigh(covariance)
            found[group, :, :-1] = axes * np.sqrt(np.maximum(stretch, 0.0))
            found[group, :, -1] = mean
        return found


def tangents(normals: Array) -> Array:
    """Return two unit vectors across each of some unit vectors, shape ``(count, 2, 3)``."""
    helper = np.where(np.abs(normals[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    first = np.cross(normals, helper)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return np.stack((first, np.cross(normals, first)), axis=1)


def _wrench(points: Array, forces: Array) -> Array:
    """Return forces on points as wrenches at the joint, shape ``(count, 6)``."""
    return np.concatenate((forces, np.cross(points, forces)), axis=1)
