"""Drawing functions that all figures of a run share."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
import msgspec
import numpy as np

from ..bimanual.planner import STOPPED
from ..core.values import Array

DOTS_PER_INCH = 110
BLUE, RED, PURPLE = '#56A8E8', '#B81D13', '#AA3377'  # light under dark: for any eye
GREY = '#666666'
NEAR_END = 0.9
"""Share of an axis from which on labels stand left of their lines."""
URGENT = (STOPPED, 'collision', 'divergence')
"""Labels of marks that are shown before all others."""


class Mark(msgspec.Struct, frozen=True):
    """An event, drawn as a vertical line at a time [s] with a label."""

    time: float
    label: str


def empty_figure(
    rows: int, columns: int, axes_height: float, more_above: float = 0.0
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its axes, column by column.

    All measures are in inches: matplotlib's own layouts take seconds for a dozen axes, and so
    does its sharing of axes for many.

    :param more_above: room for a higher legend.
    """
    left, right, top, bottom = 0.75, 0.2, 0.9 + more_above, 0.55
    across, down = 0.85, 0.42
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
    heading: str,
    columns: int | None = None,
) -> None:
    """Write the heading of a figure and, below it, its legend.

    :param columns: of the legend; all entries in one row where none are given.
    """
    height = figure.get_figheight()
    figure.text(0.5, 1.0 - 0.1 / height, heading, ha='center', va='top', parse_math=False)
    figure.legend(
        lines,
        labels,
        loc='upper center',
        bbox_to_anchor=(0.5, 1.0 - 0.3 / height),
        ncols=columns or len(lines),
        fontsize=9,
        frameon=False,
    )


def draw_marks(ax: Axes, marks: Sequence[Mark], labelled: bool) -> None:
    """Draw events; with room for the labels above the curves."""
    if marks and labelled:
        low, high = ax.get_ylim()
        line = 10 / 72 * DOTS_PER_INCH / ax.bbox.height
        room = min(0.45, line * min(len(marks), 3))
        ax.set_ylim(low, low + (high - low) / (1.0 - room))
    for i, mark in enumerate(marks):
        ax.axvline(mark.time, color=GREY, lw=0.9, ls=':')
        if labelled:
            begin, end = ax.get_xlim()
            at_end = mark.time - begin > NEAR_END * (end - begin)
            ax.annotate(
                mark.label,
                (mark.time, 1.0),
                xycoords=('data', 'axes fraction'),
                xytext=(-3 if at_end else 3, -2 - 10 * (i % 3)),  # neighbours on own lines
                textcoords='offset points',
                fontsize=8,
                ha='right' if at_end else 'left',
                va='top',
                parse_math=False,
            )


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
    return sorted(kept, key=lambda mark: mark.time)
