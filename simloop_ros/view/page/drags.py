"""Links that persons drag with the mouse."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
import numpy as np
import viser

from ...core.values import Array
from ..actions import Action, Grip, LetGo
from .controls import Controls
from .robot_nodes import RobotNodes


class _Hold(msgspec.Struct, frozen=True):
    """What a hand holds.

    :ivar point: on the link, in its axes [m].
    :ivar cursor: in the world [m], shape ``(3,)``.
    """

    link: str
    point: tuple[float, float, float]
    cursor: Array


class Drags:
    """Turns drags of a robot's meshes into grips; each browser has one hand.

    :param robot: that is dragged; ``None`` where nothing can be.
    :param controls: stiffness and limit of the hands.
    :param send: takes grips.
    """

    def __init__(
        self, robot: RobotNodes | None, controls: Controls, send: Callable[[Action], None]
    ):
        self._controls, self._send = controls, send
        self._holds: dict[int, _Hold] = {}
        if robot is not None:
            for link, mesh in robot.meshes:
                self._attach(robot, link, mesh)

    @property
    def cursors(self) -> Mapping[str, Array]:
        """Return where the hands pull, by the links that they hold [m], shape ``(3,)`` each."""
        return {hold.link: hold.cursor for hold in tuple(self._holds.values())}

    def holds(self, hand: int) -> bool:
        """Return whether a hand holds a link."""
        return hand in self._holds

    def let_go(self, hand: int) -> None:
        """Let go with a hand, if it holds something."""
        if self._holds.pop(hand, None) is not None:
            self._send(LetGo(hand))

    def _attach(self, robot: RobotNodes, link: str, mesh: viser.MeshHandle) -> None:
        async def drag(event: viser.SceneNodeDragEvent[viser.MeshHandle]) -> None:
            hand = event.client_id
            if event.phase == 'end':
                self.let_go(hand)
                return
            held, cursor = self._holds.get(hand), np.array(event.end_position)
            if held is None or held.link != link:
                place = robot.pose(link).actInv(np.array(event.start_position))
                held = _Hold(link, tuple(place.tolist()), cursor)
            self._holds[hand] = msgspec.structs.replace(held, cursor=cursor)
            stiffness, limit = self._controls.stiffness, self._controls.max_force
            self._send(Grip(hand, link, held.point, event.end_position, stiffness, limit))

        mesh.on_drag(drag)
