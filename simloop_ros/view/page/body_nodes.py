"""Bodies that are no links: obstacles, the beam of two hands, balls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import viser

from ...core.values import Array
from ..description import BodyDescription
from ..frame import ShownBody

COLOUR, BALL_COLOUR = (150, 140, 125), (190, 215, 50)
CARRIED_COLOUR, EDGE_COLOUR = (150, 40, 160), (30, 0, 35)
"""Of the object of two hands: no robot and no arrow has it."""
EDGE_WIDTH = 0.006
"""Of its edges [m]."""
PLANE_SIZE = 2.0
"""Edge of the part of a plane that is drawn [m]."""
THICKNESS = 0.002


class BodyNodes:
    """Nodes of all bodies below a path of the scene."""

    def __init__(self, scene: viser.SceneApi, path: str, bodies: Sequence[BodyDescription]):
        self._scene, self._path = scene, path
        self._nodes: dict[str, Any] = {}
        for body in bodies:
            node = self._add(body)
            node.position, node.wxyz = body.position, body.quaternion
            self._nodes[body.name] = node
        self._balls: set[str] = set()

    def move(self, bodies: Sequence[ShownBody]) -> None:
        """Show bodies where they are; balls that are gone vanish."""
        for body in bodies:
            if body.name not in self._nodes:
                self._nodes[body.name] = self._scene.add_icosphere(
                    f'{self._path}/{body.name}', body.radius, BALL_COLOUR
                )
                self._balls.add(body.name)
            node = self._nodes[body.name]
            node.position, node.wxyz = body.position, body.quaternion
        for name in self._balls - {body.name for body in bodies}:
            self._nodes.pop(name).remove()
            self._balls.discard(name)

    def _add(self, body: BodyDescription) -> Any:
        path, scene = f'{self._path}/{body.name}', self._scene
        colour = CARRIED_COLOUR if body.carried else COLOUR
        match body.shape:
            case 'box':
                box = scene.add_box(path, colour, np.array(body.size))
                if body.carried:
                    edges = edges_of(np.array(body.size))
                    scene.add_line_segments(
                        f'{path}/edges', edges, EDGE_COLOUR, thickness=EDGE_WIDTH
                    )
                return box
            case 'sphere':
                return scene.add_icosphere(path, body.size[0], colour)
            case 'cylinder':
                return scene.add_cylinder(path, body.size[0], body.size[1], colour)
        size = (PLANE_SIZE, PLANE_SIZE, THICKNESS)
        return scene.add_box(path, COLOUR, size, opacity=0.5)


def edges_of(size: Array) -> Array:
    """Return both ends of each edge of a box [m], shape ``(12, 2, 3)``."""
    signs = np.array(list(product((-0.5, 0.5), repeat=3)))
    pairs = [(a, b) for a, b in combinations(signs, 2) if np.count_nonzero(a != b) == 1]
    return np.array(pairs) * size
