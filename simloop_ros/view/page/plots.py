"""Signals over time beside the scene, in a window that scrolls."""

from __future__ import annotations

import numpy as np
import viser
from viser import uplot

from ...core.values import Array
from ..description import Description
from ..frame import Frame

WINDOW = 10.0
"""Time that is shown [s]."""
POINTS = 600
"""Points of a curve that are drawn: more cannot be seen."""
COLOURS = ('#0077BB', '#EE7733', '#009988', '#CC3311', '#AA3377', '#33BBEE', '#999933')
REDRAW = 0.1
"""Least simulated time between two drawings [s]."""


class Plots:
    """Curves of one joint, or of the scalars, over the last ``WINDOW`` seconds.

    :param gui: where they are added.
    """

    def __init__(self, gui: viser.GuiApi, description: Description):
        self._gui, self._description = gui, description
        self._times: Array = np.zeros(0)
        columns, names = description.columns, description.model.joint_names
        self._trace: Array = np.zeros((0, len(columns), len(names)))
        self._scalars: Array = np.zeros((0, len(description.scalars)))
        self._drawn = -np.inf
        self._joint = gui.add_dropdown('joint', names, initial_value=names[0])
        self._joint.on_update(lambda _: self._redraw_all())
        self._groups = _groups(columns)
        self._plots = [
            self._add(unit, [columns[i][0] for i in group]) for unit, group in self._groups
        ]
        self._singles = [self._add(unit, [name]) for name, unit in description.scalars]

    def take(self, frame: Frame) -> None:
        """Take the steps of a frame, and draw now and then."""
        if len(frame.times) == 0:
            if frame.time < self._drawn:
                self.clear()
            return
        if len(self._times) and frame.times[0] <= self._times[-1]:
            self.clear()
        self._times = np.concatenate([self._times, frame.times])
        self._trace = np.concatenate([self._trace, frame.trace])
        self._scalars = np.concatenate([self._scalars, frame.scalars])
        kept = int(np.searchsorted(self._times, self._times[-1] - WINDOW))
        if kept:
            self._times, self._trace = self._times[kept:], self._trace[kept:]
            self._scalars = self._scalars[kept:]
        if self._times[-1] - self._drawn >= REDRAW or not frame.progress.playing:
            self._redraw_all()

    def clear(self) -> None:
        """Forget all: time was set back."""
        self._times, self._trace = self._times[:0], self._trace[:0]
        self._scalars, self._drawn = self._scalars[:0], -np.inf

    def _redraw_all(self) -> None:
        if not len(self._times):
            return
        self._drawn = float(self._times[-1])
        joint = self._description.model.joint_names.index(self._joint.value)
        for plot, (_, group) in zip(self._plots, self._groups, strict=True):
            plot.data = self._data(self._trace[:, group, joint])
        for i, plot in enumerate(self._singles):
            plot.data = self._data(self._scalars[:, [i]])

    def _data(self, values: Array) -> tuple[Array, ...]:
        """Return times and curves with no more points than can be seen, extremes kept."""
        every = -(-len(self._times) // POINTS)
        if every == 1:
            return self._times, *values.T
        count = len(self._times) // every
        blocks = values[: count * every].reshape(count, every, -1)
        place = np.abs(blocks - blocks.mean(axis=1, keepdims=True)).argmax(axis=1)
        kept = np.take_along_axis(blocks, place[:, None], axis=1)[:, 0]
        return self._times[: count * every : every], *kept.T

    def _add(self, unit: str, names: list[str]) -> viser.GuiUplotHandle:
        empty = np.zeros(1)
        series = [uplot.Series(label='time [s]')]
        series += [
            uplot.Series(label=name, stroke=colour, width=1.5)
            for name, colour in zip(names, COLOURS, strict=False)
        ]
        title = f'{names[0] if len(names) == 1 else ", ".join(names)} [{unit}]'
        return self._gui.add_uplot(
            data=(empty, *(empty for _ in names)),
            series=tuple(series),
            title=title,
            scales={'x': uplot.Scale(time=False, auto=True), 'y': uplot.Scale(auto=True)},
            aspect=2.0,
        )


def _groups(columns: tuple[tuple[str, str], ...]) -> list[tuple[str, list[int]]]:
    """Return the columns by unit, two or more of one unit in one picture."""
    units = dict.fromkeys(unit for _, unit in columns)
    return [(unit, [i for i, (_, own) in enumerate(columns) if own == unit]) for unit in units]
