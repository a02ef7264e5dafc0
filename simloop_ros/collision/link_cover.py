"""Which points of links are inside other links: they cannot be touched."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ..core.values import Array
from .link_surface import INSIDE_DEPTH, LinkSurface, sphere_directions
from .surface_pieces import IntArray

VIEW_DIRECTIONS = 100
"""Directions in which it is tested whether a point is inside another link."""


class LinkCover:
    """Tests points against the shapes of all other links at once.

    A shape is taken as convex: it is where its ``reach`` is not exceeded in any direction. Only
    points within the ball around it are tested.

    :param surfaces: of the links, in the order in which they are counted.
    """

    def __init__(self, surfaces: Mapping[int, LinkSurface]):
        self._views = sphere_directions(VIEW_DIRECTIONS)
        links: list[int] = []
        centres, radii, reaches = [], [], []
        for link, surface in enumerate(surfaces.values()):
            for extremes in surface.extremes(self._views):
                centre = 0.5 * (extremes.min(axis=0) + extremes.max(axis=0))
                links.append(link)
                centres.append(centre)
                radii.append(np.linalg.norm(extremes - centre, axis=1).max())
                reaches.append(np.einsum('vi,vi->v', extremes, self._views) - INSIDE_DEPTH)
        self._links = np.array(links, np.int64)
        self._centres = np.array(centres).reshape(-1, 3)
        self._squares = np.array(radii) ** 2
        self._reaches = np.array(reaches).reshape(-1, VIEW_DIRECTIONS)

    def hides(
        self, links: IntArray, points: Array, rotations: Array, places: Array
    ) -> npt.NDArray[np.bool_]:
        """Return which points are inside another link, shape ``(points,)``.

        :param links: number of each point's link.
        :param points: in the axes of their joints [m], shape ``(points, 3)``.
        :param rotations: of the joints in the world, shape ``(links, 3, 3)``.
        :param places: of the joints in the world [m], shape ``(links, 3)``.
        """
        world = np.einsum('pij,pj->pi', rotations[links], points) + places[links]
        own = self._links
        centres = np.einsum('sij,sj->si', rotations[own], self._centres) + places[own]
        apart = world[:, None] - centres
        near = np.einsum('psi,psi->ps', apart, apart) < self._squares
        near &= links[:, None] != own
        point, shape = near.nonzero()
        other = own[shape]
        seen = np.einsum('qij,qi->qj', rotations[other], world[point] - places[other])
        inside = (seen @ self._views.T <= self._reaches[shape]).all(axis=1)
        hidden = np.zeros(len(points), bool)
        hidden[point[inside]] = True
        return hidden
