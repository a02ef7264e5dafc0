"""A page: it shows what a source gives, and tells it what a person does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
import logging
from typing import Literal

import viser

from ..actions import Action
from ..description import Description
from ..source import PageNotice, Source
from .camera import FOV, view_of
from .controls import Controls
from .drags import Drags
from .held_forces import HeldForces
from .plots import Plots
from .scene import Scene

LOGGER = logging.getLogger(__name__)
RATE = 32.0
"""Frames per second."""
IDLE = 0.1
"""Time between two looks for browsers while there is none [s]."""
Colour = Literal['blue', 'yellow', 'red']
COLOURS: dict[str, Colour] = {'info': 'blue', 'warning': 'yellow', 'error': 'red'}
TITLES = {'info': 'note', 'warning': 'warning', 'error': 'not done'}
TOLD = 6.0
"""Time for which a note is shown [s]; an error stays."""
PLOT_WIDTH, CONTROL_WIDTH = 340, 300
"""Of the panels [pixel]."""


class Page:
    """Polls a source while a browser is there, and draws its frames.

    :param server: of viser.
    :param scenarios: that can be chosen.
    :ivar frames: number of frames drawn so far.
    :ivar description: of the scene that is shown.
    """

    def __init__(self, server: viser.ViserServer, source: Source, scenarios: Sequence[str] = ()):
        self._server, self._source, self._scenarios = server, source, scenarios
        self._actions: deque[Action] = deque()
        self.frames = 0
        self._build(source.description())
        server.on_client_disconnect(lambda client: self._drags.let_go(client.client_id))

    def take(self, *actions: Action) -> None:
        """Do what a person asks for; from any thread."""
        self._actions.extend(actions)

    def holds(self, hand: int) -> bool:
        """Return whether a browser's hand holds a link."""
        return self._drags.holds(hand)

    def run(
        self,
        clock: Callable[[], float],
        sleep: Callable[[float], object],
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
        if description is not self.description:
            self._build(description)
        for notice in self._source.notices():
            self._say(notice)
        frame = self._source.frame()
        if frame is None:
            return
        frame = self._held.over(frame)
        with self._server.atomic():
            self._scene.show(frame, self._drags.cursors)
            self._controls.show(frame)
            self._plots.take(frame)
        self.frames += 1

    def _build(self, description: Description) -> None:
        """Make scene and controls for another scene."""
        gui = self._server.gui
        gui.reset()
        self._scene = Scene(self._server.scene, description)
        self._held = HeldForces()
        gui.set_panel_label(description.title)
        gui.configure_theme(show_logo=False, show_share_button=False)
        gui.main_panel.dock_right()
        gui.main_panel.set_width(CONTROL_WIDTH)
        tabs = gui.add_tab_group()
        with tabs.add_tab('Run'):
            self._controls = Controls(gui, description, self.take, self._scenarios)
        with tabs.add_tab('Show'):
            self._add_shown(description.notes)
        plots = gui.add_panel()
        plots.dock_left()
        plots.set_width(PLOT_WIDTH)
        with plots.add_tab('Plots'):
            self._plots = Plots(gui, description)
        meshes = self._scene.robot if description.abilities.grips else None
        self._drags = Drags(meshes, self._controls, self.take)
        self._place_camera()
        if self._scene.notes:
            LOGGER.warning('%s', self._scene.notes)
        self.description = description

    def _place_camera(self) -> None:
        """Let the camera look at the whole robot."""
        view, first = view_of(self._scene.bounds), self._server.initial_camera
        first.fov, first.position, first.look_at = FOV, view.position, view.look_at
        for client in self._server.get_clients().values():
            client.camera.position, client.camera.look_at = view.position, view.look_at

    def _add_shown(self, notes: Sequence[str]) -> None:
        gui, scene = self._server.gui, self._scene
        twin = gui.add_checkbox('twin', True, hint='the control simulation, where it is apart')
        twin.on_update(lambda _: setattr(scene.twin, 'visible', twin.value))
        collision = gui.add_checkbox('collision shapes', False)
        collision.on_update(lambda _: scene.show_collision(collision.value))
        forces = gui.add_checkbox('forces', True)
        forces.on_update(lambda _: setattr(scene.forces, 'visible', forces.value))
        masses = gui.add_checkbox('effective masses', True)
        masses.on_update(lambda _: setattr(scene.masses, 'visible', masses.value))
        for note in (*notes, *([scene.notes] if scene.notes else [])):
            gui.add_markdown(note)

    def _say(self, notice: PageNotice) -> None:
        for client in self._server.get_clients().values():
            client.add_notification(
                title=TITLES[notice.level],
                body=notice.text,
                color=COLOURS[notice.level],
                auto_close_seconds=None if notice.level == 'error' else TOLD,
            )
