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
APART, TOGETHER = 3e-3, 2e-3
"""Distance of some point from which a link of the twin is shown, and below which it is hidden
again [m]: what lies on each other only hides the robot's colour."""


class RobotNodes:
    """Nodes of a robot below a path of the scene.

    :param shapes: of the links.
    :param colour: of all shapes; their own where none is given.
    :param beside: a robot from which this one is told only where it is apart.
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
        beside: RobotNodes | None = None,
    ):
        self._model = model.pin_model
        self._data = self._model.createData()
        self._shown: Array | None = None
        self._beside = beside
        self._reach = _reaches(shapes)
        self._apart: dict[str, bool] = {}
        self._root = scene.add_frame(path, show_axes=False, visible=visible)
        self._frames = {
            link: (scene.add_frame(f'{path}/{link}', show_axes=False), model.frame(link))
            for link in self._reach
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
                cast_shadow=opacity is None,
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
        if self._beside is None:
            if self._shown is not None and np.abs(q - self._shown).max() < STILL:
                return
            self._shown = q.copy()
        pin.framesForwardKinematics(self._model, self._data, q)
        for link, (node, frame) in self._frames.items():
            place = self._data.oMf[frame]
            if self._beside is not None:
                apart = self._is_apart(link, place, self._beside.pose(link))
                if apart != self._apart.get(link):
                    node.visible = self._apart[link] = apart
                if not apart:
                    continue
            turn = pin.Quaternion(place.rotation)
            node.position = place.translation
            node.wxyz = np.array([turn.w, turn.x, turn.y, turn.z])

    def _is_apart(self, link: str, place: pin.SE3, other: pin.SE3) -> bool:
        """Return whether a point of a link is away from where another robot has it."""
        motion = pin.log6(other.actInv(place))
        distance = float(
            np.linalg.norm(motion.linear) + self._reach[link] * np.linalg.norm(motion.angular)
        )
        return distance > (TOGETHER if self._apart.get(link) else APART)

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


def _reaches(shapes: Sequence[LinkShape]) -> dict[str, float]:
    """Return the distance of the farthest point of each link from its origin [m]."""
    reaches: dict[str, float] = {}
    for shape in shapes:
        farthest = float(np.sqrt((shape.vertices**2).sum(axis=1).max(initial=0.0)))
        reaches[shape.link] = max(farthest, reaches.get(shape.link, 0.0))
    return reaches
