"""A robot in the scene: one node for each link, moved by the joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin
import viser

from ...core.values import Array
from ...robot.model import RobotModel
from .link_shapes import LinkShape

HIT_COLOUR = (214, 40, 40)
STILL = 1e-7
"""Change of a joint that is not shown [rad]."""


class RobotNodes:
    """Nodes of a robot below a path of the scene.

    :param shapes: of the links.
    :param colour: of all shapes; their own where none is given.
    :ivar meshes: handle of each shape, with the name of its link.
    """

    def __init__(
        self,
        scene: viser.SceneApi,
        path: str,
        model: RobotModel,
        shapes: Sequence[LinkShape],
        *,
        colour: tuple[int, int, int] | None = None,
        opacity: float | None = None,
        visible: bool = True,
    ):
        self._model = model.pin_model
        self._data = self._model.createData()
        self._shown: Array | None = None
        links = dict.fromkeys(shape.link for shape in shapes)
        self._root = scene.add_frame(path, show_axes=False, visible=visible)
        self._frames = {
            link: (scene.add_frame(f'{path}/{link}', show_axes=False), model.frame(link))
            for link in links
        }
        self.meshes: list[tuple[str, viser.MeshHandle]] = []
        self._colours: list[tuple[int, int, int]] = []
        for i, shape in enumerate(shapes):
            own = shape.colour if colour is None else colour
            mesh = scene.add_mesh_simple(
                f'{path}/{shape.link}/{i}',
                shape.vertices.astype(np.float32),
                shape.faces,
                color=own,
                opacity=opacity,
                flat_shading=True,
                side='double',
            )
            self.meshes.append((shape.link, mesh))
            self._colours.append(own)
        self._hit = ''

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return self._root.visible

    @visible.setter
    def visible(self, shown: bool) -> None:
        self._root.visible = shown

    def pose(self, link: str) -> pin.SE3:
        """Return where a link is shown."""
        return self._data.oMf[self._frames[link][1]].copy()

    def move(self, q: Array) -> None:
        """Show the joints at positions [rad], shape ``(n,)``."""
        if self._shown is not None and np.abs(q - self._shown).max() < STILL:
            return
        self._shown = q.copy()
        pin.framesForwardKinematics(self._model, self._data, q)
        for node, frame in self._frames.values():
            place = self._data.oMf[frame]
            turn = pin.Quaternion(place.rotation)
            node.position = place.translation
            node.wxyz = np.array([turn.w, turn.x, turn.y, turn.z])

    def light_up(self, link: str) -> None:
        """Let one link stand out, or none."""
        if link == self._hit:
            return
        for (own, mesh), colour in zip(self.meshes, self._colours, strict=True):
            if own in (link, self._hit):
                mesh.color = HIT_COLOUR if own == link else colour
        self._hit = link

    def remove(self) -> None:
        """Take it out of the scene."""
        self._root.remove()
