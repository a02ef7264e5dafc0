"""All joints of a run in one picture, as figures 10 and 11 of 002."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
import msgspec
import numpy as np

from .drawing import Mark, draw_marks, empty_figure, finite, head, readable, shortened
from .series import Series

COLOURS = ('#0077BB', '#EE7733', '#009988', '#CC3311', '#AA3377', '#000000', '#33BBEE')
"""For the joints in turn; safe for colour-blind readers."""
STYLES = ('-', '--', ':')
"""For the first seven joints, and so on."""
LEGEND_WIDTH, LINE_WIDTH, LETTER_WIDTH = 8.6, 0.75, 0.085
"""Of the legend, of an entry without its name, and of a letter [inch]."""


class _JointGraph(msgspec.Struct, frozen=True):
    """One of the graphs: the column of the log, and the suffix of the joints' unit."""

    heading: str
    quantity: str
    column: str
    per: str = ''


_GRAPHS = {
    'joint_angles': _JointGraph('Joint positions', 'position', 'measured_position'),
    'joint_velocities': _JointGraph('Joint velocities', 'velocity', 'velocity', '/s'),
}
JOINT_GRAPHS: Mapping[str, str] = {name: graph.heading for name, graph in _GRAPHS.items()}
"""Name of each graph -> its heading."""


def draw_joints(name: str, series: Series, title: str, events: Sequence[Mark]) -> Figure:
    """Draw all joints over time, those in rad and those in m on axes of their own.

    :param name: one of ``JOINT_GRAPHS``.
    """
    graph = _GRAPHS[name]
    values = finite(series.curves[graph.column])
    units = sorted(set(series.units), reverse=True)
    names = [shortened(joint) for joint in series.joint_names]
    entry = LINE_WIDTH + LETTER_WIDTH * max(map(len, names))
    legend_columns = min(len(names), max(1, int(LEGEND_WIDTH / entry)))
    legend_rows = -(-len(names) // legend_columns)
    figure, grid = empty_figure(len(units), 1, 3.6, more_above=0.2 * (legend_rows - 1))
    # From thick to thin: where joints move alike, all are seen.
    widths = np.linspace(3.2, 1.0, len(names))
    marks = readable(events, series.time)
    for ax, unit in zip(grid, units, strict=True):
        for i, joint in enumerate(names):
            here = series.units[i] == unit
            ax.plot(
                series.time if here else [],
                values[:, i] if here else [],
                color=COLOURS[i % len(COLOURS)],
                ls=STYLES[i // len(COLOURS) % len(STYLES)],
                lw=widths[i],
                label=joint,
            )
        ax.set_ylabel(f'{graph.quantity} [{unit}{graph.per}]', fontsize=9)
        ax.set_xlabel('time [s]', fontsize=9)
        ax.grid(alpha=0.3, lw=0.5)
        ax.tick_params(labelsize=8)
        if len(series.time) > 1:
            ax.set_xlim(0.0, float(series.time[-1]))
        draw_marks(ax, marks, labelled=True)
    lines, labels = grid[0].get_legend_handles_labels()
    head(figure, lines, labels, f'{graph.heading}: {title}', columns=legend_columns)
    return figure
