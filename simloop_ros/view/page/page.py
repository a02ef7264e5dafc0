"""A page: it shows what a source gives, and tells it what a person does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import viser

from ..actions import Action, Grip, LetGo
from ..description import Description
from ..source import Notice, Source
from .controls import Controls
from .plots import Plots
from .scene import Scene

RATE = 30.0
"""Frames per second."""
IDLE = 0.1
"""Time between two looks for browsers while there is none [s]."""
COLOURS = {'info': 'blue', 'warning': 'yellow', 'error': 'red'}
TITLES = {'info': 'note', 'warning': 'warning', 'error': 'not done'}
EYE = np.array([1.6, -1.6, 1.2])
"""Of the camera at first, for a robot with a reach of 1 m [m]."""


class Page:
    """Polls a source while a browser is there, and draws its frames.

    :param server: of viser.
    :param scenarios: that can be chosen.
    :ivar frames: number of frames drawn so far.
    """

    def __init__(self, server: viser.ViserServer, source: Source, scenarios: Sequence[str] = ()):
        self._server, self._source, self._scenarios = server, source, scenarios
        self._actions: deque[Action] = deque()
        self.frames = 0
        self._description: Description | None = None
        self._build(source.description())
        server.on_client_disconnect(lambda client: self._actions.append(LetGo(client.client_id)))

    def run(
        self,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
        goes_on: Callable[[], bool],
    ) -> None:
        """Show the source until ``goes_on`` returns False."""
        due = clock()
        while goes_on():
            attached = bool(self._server.get_clients())
            self.turn(attached=attached)
            due = max(due + (1.0 / RATE if attached else IDLE), clock())
            sleep(max(0.0, due - clock()))

    def turn(self, *, attached: bool = True) -> None:
        """Pass actions on and, where a browser is there, draw what is new."""
        while self._actions:
            self._source.send(self._actions.popleft())
        if not attached:
            return
        description = self._source.description()
        if description is not self._description:
            self._build(description)
        for notice in self._source.notices():
            self._say(notice)
        frame = self._source.frame()
        if frame is None:
            return
        with self._server.atomic():
            self._scene.show(frame)
            self._controls.show(frame)
            self._plots.take(frame)
        self.frames += 1

    def _build(self, description: Description) -> None:
        """Make scene and controls for another scene."""
        self._description = description
        gui = self._server.gui
        gui.reset()
        self._scene = Scene(self._server.scene, description)
        gui.set_panel_label(description.title)
        tabs = gui.add_tab_group()
        with tabs.add_tab('Run'):
            self._controls = Controls(gui, description, self._actions.append, self._scenarios)
        with tabs.add_tab('Plots'):
            self._plots = Plots(gui, description)
        with tabs.add_tab('Show'):
            self._add_shown()
        reach = max(
            0.5,
            float(
                np.abs(description.model.tip_positions(description.model.home)).max(initial=0.5)
            ),
        )
        self._server.initial_camera.position = reach * EYE
        self._server.initial_camera.look_at = np.array([0.0, 0.0, 0.4 * reach])
        if description.abilities.grips:
            for link, mesh in self._scene.robot.meshes:
                self._let_drag(link, mesh)
        if self._scene.notes:
            self._say(Notice(self._scene.notes, 'warning'))

    def _add_shown(self) -> None:
        gui, scene = self._server.gui, self._scene
        twin = gui.add_checkbox('twin (control simulation)', True)
        twin.on_update(lambda _: setattr(scene.twin, 'visible', twin.value))
        collision = gui.add_checkbox('collision shapes', False)
        collision.on_update(lambda _: scene.show_collision(collision.value))
        forces = gui.add_checkbox('forces', True)
        forces.on_update(lambda _: setattr(scene.forces, 'visible', forces.value))
        masses = gui.add_checkbox('effective masses', True)
        masses.on_update(lambda _: setattr(scene.masses, 'visible', masses.value))

    def _let_drag(self, link: str, mesh: Any) -> None:
        held: dict[int, tuple[float, float, float]] = {}

        async def drag(event: viser.SceneNodeDragEvent[Any]) -> None:
            hand = event.client_id
            if event.phase == 'end':
                held.pop(hand, None)
                self._actions.append(LetGo(hand))
                return
            if hand not in held:
                pose = self._scene.robot.pose(link)
                held[hand] = tuple(pose.actInv(np.array(event.start_position)).tolist())
            controls = self._controls
            self._actions.append(
                Grip(
                    hand,
                    link,
                    held[hand],
                    event.end_position,
                    controls.stiffness,
                    controls.max_force,
                )
            )

        mesh.on_drag(drag)

    def _say(self, notice: Notice) -> None:
        for client in self._server.get_clients().values():
            client.add_notification(
                title=TITLES[notice.level],
                body=notice.text,
                color=COLOURS[notice.level],  # type: ignore[arg-type]
                auto_close_seconds=None if notice.level == 'error' else 8.0,
            )
