"""Signals over time beside the scene, in a window that scrolls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import viser
from viser import uplot

from ...core.values import Array
from ..description import Description
from ..frame import Frame

WINDOW = 10.0
"""Time that is shown [s]."""
POINTS = 300
"""Points of a curve that are drawn: more cannot be seen."""
HEIGHT = 170
"""Of a picture [pixel]."""
TIME_ERROR = 1e-9
"""Rounding of times [s]."""
COLOURS = ('#0077BB', '#EE7733', '#009988', '#CC3311', '#AA3377', '#33BBEE', '#999933')
REDRAW = 0.2
"""Least simulated time between two drawings [s]."""


class Plots:
    """Curves of one joint, and of the scalars, over the last ``WINDOW`` seconds.

    What a source does not have, NaN, has no curve.

    :param gui: where they are added.
    """

    def __init__(self, gui: viser.GuiApi, description: Description):
        self._gui = gui
        columns, self._names = description.columns, description.model.joint_names
        self._signals: Array = np.zeros((0, len(columns), len(self._names)))
        self._scalars: Array = np.zeros((0, len(description.scalars)))
        self._times: Array = np.zeros(0)
        self._drawn = -np.inf
        self._joint = gui.add_dropdown('joint', self._names, initial_value=self._names[0])
        self._joint.on_update(lambda _: self._draw())
        self._pictures = [
            *(Picture(gui, unit, columns, group) for unit, group in _groups(columns)),
            *(
                Picture(gui, unit, description.scalars, [i], scalar=True)
                for i, (_, unit) in enumerate(description.scalars)
            ),
        ]

    def take(self, frame: Frame) -> None:
        """Take the steps of a frame, and draw now and then."""
        back = len(self._times) and frame.time < self._times[-1] - TIME_ERROR
        if back or (len(frame.times) and len(self._times) and frame.times[0] <= self._times[-1]):
            self._cut(frame.times[0] if len(frame.times) else frame.time + TIME_ERROR)
        if len(frame.times) == 0:
            return
        self._times = np.concatenate([self._times, frame.times])
        self._signals = np.concatenate([self._signals, frame.trace])
        self._scalars = np.concatenate([self._scalars, frame.scalars])
        self._keep(slice(int(np.searchsorted(self._times, self._times[-1] - WINDOW)), None))
        if self._times[-1] - self._drawn >= REDRAW or not frame.progress.playing:
            self._draw()

    def _cut(self, time: float) -> None:
        """Forget what came at a time [s] or later: time was set back."""
        self._keep(slice(None, int(np.searchsorted(self._times, time))))
        self._draw()

    def _keep(self, kept: slice) -> None:
        self._times, self._signals = self._times[kept], self._signals[kept]
        self._scalars = self._scalars[kept]

    def _draw(self) -> None:
        times = self._times
        self._drawn = float(times[-1]) if len(times) else -np.inf
        joint = self._names.index(self._joint.value)
        for picture in self._pictures:
            values = self._scalars if picture.scalar else self._signals[:, :, joint]
            picture.draw(times, values[:, picture.columns])


class Picture:
    """The curves of one unit; it is there as soon as one of them has a value other than 0.

    :param columns: names and units of all curves.
    :param group: numbers of those that are here.
    :ivar columns: those numbers.
    :ivar scalar: whether they are of the robot, not of a joint.
    """

    def __init__(
        self,
        gui: viser.GuiApi,
        unit: str,
        columns: Sequence[tuple[str, str]],
        group: list[int],
        *,
        scalar: bool = False,
    ):
        self.columns, self.scalar = group, scalar
        names = [columns[i][0] for i in group]
        empty = np.zeros(1)
        series = [uplot.Series(label='s')]
        series += [
            uplot.Series(label=name, stroke=colour, width=1.5)
            for name, colour in zip(names, COLOURS, strict=False)
        ]
        self._plot = gui.add_uplot(
            data=(empty, *(empty for _ in names)),
            series=tuple(series),
            title=f'{names[0]} [{unit}]' if len(names) == 1 else f'{_common(names)} [{unit}]',
            scales={'x': uplot.Scale(time=False, auto=True), 'y': uplot.Scale(auto=True)},
            height=HEIGHT,
            legend=uplot.Legend(live=False),
            visible=False,
        )

    def draw(self, times: Array, values: Array) -> None:
        """Draw curves [unit], shape ``(steps, curves)``."""
        finite = np.isfinite(values)
        if not self._plot.visible:
            if not (values[finite] != 0.0).any():
                return
            self._plot.visible = True
        if not finite.all():
            values = np.where(finite, values, 0.0)
        self._plot.data = _thinned(times, values)


def _thinned(times: Array, values: Array) -> tuple[Array, ...]:
    """Return times and curves with no more points than can be seen, extremes kept."""
    every = -(-len(times) // POINTS)
    if every <= 1:
        return times, *values.T
    count = len(times) // every
    blocks = values[: count * every].reshape(count, every, -1)
    place = np.abs(blocks - blocks.mean(axis=1, keepdims=True)).argmax(axis=1)
    kept = np.take_along_axis(blocks, place[:, None], axis=1)[:, 0]
    return times[: count * every : every], *kept.T


def _groups(columns: Sequence[tuple[str, str]]) -> list[tuple[str, list[int]]]:
    """Return the columns by unit, what is external apart."""
    kinds = [(unit, 'external' in name) for name, unit in columns]
    return [
        (kind[0], [i for i, own in enumerate(kinds) if own == kind])
        for kind in dict.fromkeys(kinds)
    ]


def _common(names: list[str]) -> str:
    """Return the words at the end that names have in common."""
    words = [name.split() for name in names]
    count = 0
    while count < min(map(len, words)) and len({tuple(w[-count - 1 :]) for w in words}) == 1:
        count += 1
    return ' '.join(words[0][len(words[0]) - count :]) or ', '.join(names)
