"""Forces and effective masses as arrows, each with its number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import viser

from ...core.values import Array
from ..frame import Force

LENGTH = 0.008
"""Length of an arrow for a force [m/N]."""
LONGEST, SHORTEST = 0.35, 0.04
"""Between which an arrow is drawn [m]."""
LEAST = 0.1
"""Force below which nothing is drawn [N]."""
MASS_LENGTH = 0.03
"""Length of an arrow for an effective mass [m/kg]."""
COLOURS = {
    'mouse': (0, 119, 187),
    'hand': (0, 119, 187),
    'contact': (180, 10, 30),
    'push': (180, 10, 30),
    'ball': (180, 10, 30),
    'estimated': (250, 170, 0),
}
MASS_COLOUR = (0, 153, 136)
WORDS = {'mouse': 'you', 'hand': 'hand', 'estimated': 'estimated'}
"""What is written beside the number; otherwise the kind of the force."""
PULLS = ('mouse', 'hand')
"""Forces that are drawn away from the robot."""
BESIDE = 0.05
"""Distance between a pull and what is estimated of it [m]."""


class Arrow:
    """One arrow with a label, or nothing."""

    def __init__(self, scene: viser.SceneApi, path: str, colour: tuple[int, int, int]):
        self._arrow = scene.add_arrows(
            path,
            np.zeros((1, 2, 3), np.float32),
            np.array(colour, np.uint8),
            shaft_radius=0.008,
            head_radius=0.02,
            head_length=0.04,
            visible=False,
        )
        self._label = scene.add_label(f'{path}/label', '', visible=False, depth_test=False)
        self._shown = False

    def show(self, start: Array, way: Array, text: str, beside: Array | None = None) -> None:
        """Draw it from a point along a way [m], shape ``(3,)`` each.

        :param beside: where its number is written; at its head where none is given.
        """
        self._arrow.points = np.stack([start, start + way])[None].astype(np.float32)
        self._label.text = text
        self._label.position = start + way if beside is None else beside
        if not self._shown:
            self._arrow.visible = self._label.visible = self._shown = True

    def hide(self) -> None:
        """Draw nothing."""
        if self._shown:
            self._arrow.visible = self._label.visible = self._shown = False


class ForceArrows:
    """Arrows of forces.

    A pull begins where it acts, and its number is at the cursor; what pushes ends there. The
    estimated force is beside a pull, or behind a push, so that both can be compared.
    """

    def __init__(self, scene: viser.SceneApi, path: str):
        self._scene, self._path = scene, path
        self._arrows: dict[str, list[Arrow]] = {}
        self.visible = True

    def show(self, forces: Sequence[Force], cursors: Mapping[str, Array]) -> None:
        """Draw the forces, and nothing else.

        :param cursors: of the persons that hold the robot, by link [m], shape ``(3,)`` each.
        """
        used = dict.fromkeys(self._arrows, 0)
        pulled = any(force.kind in PULLS for force in forces)
        for force in forces if self.visible else ():
            size = float(np.linalg.norm(force.vector))
            if size < LEAST:
                continue
            number = used.get(force.kind, 0)
            used[force.kind] = number + 1
            way = force.vector / size * min(max(LENGTH * size, SHORTEST), LONGEST)
            estimated = force.kind == 'estimated'
            begins = estimated or force.kind in PULLS
            start = force.point if begins else force.point - way
            if estimated and pulled:
                start = start + BESIDE * _across(way)
            text = f'{WORDS.get(force.kind, force.kind)} {size:.1f} N'
            beside = cursors.get(force.link) if force.kind == 'mouse' else None
            if not begins:
                beside = start
            self._arrow(force.kind, number).show(start, way, text, beside)
        for kind, arrows in self._arrows.items():
            for arrow in arrows[used.get(kind, 0) :]:
                arrow.hide()

    def _arrow(self, kind: str, number: int) -> Arrow:
        arrows = self._arrows.setdefault(kind, [])
        while len(arrows) <= number:
            path = f'{self._path}/{kind}_{len(arrows)}'
            arrows.append(Arrow(self._scene, path, COLOURS[kind]))
        return arrows[number]


def _across(way: Array) -> Array:
    """Return the unit vector across a way that goes up most, shape ``(3,)``."""
    along = way / np.linalg.norm(way)
    up = np.eye(3)[2 if abs(along[2]) < 0.9 else 0]
    across: Array = up - (up @ along) * along
    return across / np.linalg.norm(across)


class MassArrows:
    """The effective mass of each tip, 001 section 5.2, as an arrow."""

    def __init__(self, scene: viser.SceneApi, path: str, tips: Sequence[str]):
        self._arrows = [Arrow(scene, f'{path}/{tip}', MASS_COLOUR) for tip in tips]
        self.visible = True

    def show(self, tips: Array, masses: Array | None) -> None:
        """Draw masses times their directions [kg] from the tips [m], shape ``(tips, 3)`` each."""
        for i, arrow in enumerate(self._arrows):
            size = 0.0 if masses is None else float(np.linalg.norm(masses[i]))
            if masses is None or not self.visible or not 0.0 < size < np.inf:
                arrow.hide()
                continue
            way = masses[i] / size * min(MASS_LENGTH * size, LONGEST)
            arrow.show(tips[i], way, f'{size:.2f} kg')
