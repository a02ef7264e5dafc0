"""Drawing functions that all figures of a run share."""

from __future__ import annotations

from collections.abc import Sequence
import textwrap
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.transforms import Bbox
import msgspec
import numpy as np

from ..bimanual.planner import STOPPED
from ..core.values import Array

DOTS_PER_INCH = 110
BLUE, RED, PURPLE = '#56A8E8', '#B81D13', '#AA3377'  # light under dark: for any eye
GREY = '#666666'
URGENT = (STOPPED, 'collision', 'divergence')
"""Labels of marks that are shown before all others."""
LANES, LANE, TITLE_ROW = 4, 10.5, 16.0
"""Rows of labels above axes at most, their height, and that of a title below them [point]."""
MARGIN, HEADING_LINE, RUN_LINE, MORE_LINE = 0.1, 0.2, 0.19, 0.16
"""Heights in the head of a figure [inch]."""
LETTER = 0.088
"""Mean width of a letter of the heading [inch]."""
WHITE: dict[str, Any] = {'color': 'white', 'pad': 0.6}
"""Background of texts that lines pass behind."""
OVERHANG = 15.0
"""How far a label may reach beyond the right end of its axes [dot]."""


class Mark(msgspec.Struct, frozen=True):
    """An event, drawn as a vertical line at a time [s] with a label."""

    time: float
    label: str


def empty_figure(rows: int, columns: int, axes_height: float) -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes, column by column; ``head`` makes the room above them.

    All measures are in inches: matplotlib's own layouts take seconds for a dozen axes, and so
    does its sharing of axes for many.
    """
    left, right, top, bottom = 0.85, 0.2, MARGIN, 0.55
    across, down = 0.92, 0.42
    axes_width = 7.9 if columns == 1 else 3.9
    width = left + columns * axes_width + (columns - 1) * across + right
    height = top + rows * axes_height + (rows - 1) * down + bottom
    figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH)
    FigureCanvasAgg(figure)
    places = {
        'left': left / width,
        'right': 1.0 - right / width,
        'top': 1.0 - top / height,
        'bottom': bottom / height,
        'wspace': across / axes_width,
        'hspace': down / axes_height,
    }
    grid = figure.subplots(rows, columns, squeeze=False, gridspec_kw=places)
    return figure, list(grid.T.flat)


def head(
    figure: Figure,
    lines: Sequence[Artist],
    labels: Sequence[str],
    seen: str,
    run: str,
    above: float = 0.0,
    more: Sequence[str] = (),
) -> None:
    """Write heading and legend above the axes; the figure grows by what they need.

    :param seen: what one sees.
    :param run: title of the run, below it.
    :param above: height of what stands between them and the axes, see ``draw_marks`` [inch].
    :param more: lines of text below the legend.
    """
    wrapped = textwrap.wrap(seen, int(figure.get_figwidth() / LETTER))
    legend = _legend(figure, lines, labels) if labels else None
    places = np.cumsum(
        (
            MARGIN,
            HEADING_LINE * len(wrapped),
            RUN_LINE,
            legend.get_window_extent().height / figure.dpi if legend else 0.0,
            MORE_LINE * len(more),
        )
    )
    _grow(figure, float(places[-1]) + above)
    down = 1.0 - places / figure.get_figheight()
    centred: dict[str, Any] = {'ha': 'center', 'va': 'top', 'parse_math': False}
    figure.text(0.5, down[0], '\n'.join(wrapped), linespacing=1.15, **centred)
    figure.text(0.5, down[1], run, fontsize=9, color=GREY, **centred)
    if legend:
        legend.set_bbox_to_anchor((0.5, down[2]))
    if more:
        figure.text(0.5, down[3], '\n'.join(more), fontsize=8, **centred)


def _legend(figure: Figure, lines: Sequence[Artist], labels: Sequence[str]) -> Legend:
    """Return a legend of as few rows as fit, which are read from left to right."""
    for rows in range(1, len(labels) + 1):
        columns = -(-len(labels) // rows)
        # Matplotlib fills columns.
        order = [i for first in range(columns) for i in range(first, len(labels), columns)]
        legend = figure.legend(
            [lines[i] for i in order],
            [labels[i] for i in order],
            loc='upper center',
            ncols=columns,
            fontsize=9,
            frameon=False,
            borderaxespad=0.0,
        )
        if columns == 1 or legend.get_window_extent().width < 0.97 * figure.bbox.width:
            break
        legend.remove()
    return legend


def _grow(figure: Figure, more: float) -> None:
    """Make room above all axes [inch]; their own size stays."""
    height = figure.get_figheight()
    share = height / (height + more)
    figure.set_figheight(height + more)
    for ax in figure.axes:
        box = ax.get_position(original=True)
        ax.set_position((box.x0, box.y0 * share, box.width, box.height * share))


def draw_marks(ax: Axes, marks: Sequence[Mark], labelled: bool) -> float:
    """Draw events, and return the height of what stands above the axes, a title included [inch].

    Labels stand above the axes, right of their lines, each in the lowest row where it is free;
    one for which there is no room in ``LANES`` rows is left out.
    """
    titled = any(ax.get_title(place) for place in ('left', 'center', 'right'))
    first = TITLE_ROW if titled else 3.5
    for mark in marks:
        ax.axvline(mark.time, color=GREY, lw=0.9, ls=':')
    rows: list[list[Bbox]] = [[] for _ in range(LANES)]
    # From the right, so that the line of one above does not cross one below.
    for mark in sorted(marks, key=_order) if labelled else ():
        text = ax.annotate(
            mark.label,
            (mark.time, 1.0),
            xycoords=('data', 'axes fraction'),
            xytext=(3, first),
            textcoords='offset points',
            fontsize=8,
            parse_math=False,
            bbox=WHITE,
        )
        if text.get_window_extent().x1 > ax.bbox.x1 + OVERHANG:
            text.set_horizontalalignment('right')
            text.set_position((-3, first))
        box = text.get_window_extent()
        free = (i for i, row in enumerate(rows) if not any(_meet(box, each) for each in row))
        lane = next(free, None)
        if lane is None:
            text.remove()
            continue
        rows[lane].append(box)
        text.set_position((text.get_position()[0], first + LANE * lane))
        top = 1.0 + (first + LANE * (lane + 0.8)) / 72 * DOTS_PER_INCH / ax.bbox.height
        ax.axvline(mark.time, 1.0, top, color=GREY, lw=0.9, ls=':', clip_on=False)
    used = sum(bool(row) for row in rows)
    return (first * (titled or used > 0) + LANE * used) / 72


def _order(mark: Mark) -> tuple[bool, float]:
    return mark.label not in URGENT, -mark.time


def _meet(box: Bbox, other: Bbox) -> bool:
    """Whether two labels in one row are nearer than a space."""
    return box.x0 < other.x1 + 6 and other.x0 < box.x1 + 6


def say(ax: Axes, text: str) -> None:
    """Write a line in the middle of axes that have nothing to draw."""
    ax.text(
        0.5,
        0.5,
        text,
        transform=ax.transAxes,
        ha='center',
        va='center',
        fontsize=9,
        color=GREY,
        bbox=WHITE,
    )
    ax.set_yticks([])


def finite(curve: Array) -> Array:
    """Return the curve with a gap for values that an axis cannot show."""
    return np.where(np.abs(curve) < 1e300, curve, np.nan)


def shortened(name: str, longest: int = 30) -> str:
    """Return a name, the end of it where it is too long."""
    return name if len(name) <= longest else '…' + name[1 - longest :]


def readable(events: Sequence[Mark], time: Array, limit: int = 12) -> list[Mark]:
    """Return the events within the time shown, without repeats that would overlap.

    :param limit: of their number: the ``URGENT`` ones and then the first are kept.
    """
    if not len(time):
        return []
    apart = 0.06 * (time[-1] - time[0])
    chosen: list[Mark] = []
    for event in sorted(events, key=lambda mark: mark.time):
        near = [mark for mark in chosen if event.time - mark.time < apart]
        if time[0] <= event.time <= time[-1] and not any(m.label == event.label for m in near):
            chosen.append(event)
    kept = sorted(chosen, key=lambda mark: mark.label not in URGENT)[:limit]
    return [mark for mark in chosen if mark in kept]
