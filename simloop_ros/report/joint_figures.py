"""All joints of a run in one picture, as figures 10 and 11 of 002."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
import msgspec
import numpy as np

from ..core.values import Array
from .drawing import Mark, draw_marks, empty_figure, finite, head, readable, say, shortened
from .ranges import ROUNDING, rounding_text
from .series import Series
from .units import scale_for

COLOURS = ('#0077BB', '#EE7733', '#009988', '#CC3311', '#AA3377', '#000000', '#33BBEE')
"""For the joints in turn; safe for colour-blind readers."""
STYLES = ('-', '--', ':')
"""For the first seven joints, and so on."""
STANDSTILL = 0.1
"""Largest motion of a joint, as a part of the distance between all joints, below which the change
since the start is drawn."""


class _JointGraph(msgspec.Struct, frozen=True):
    """One of the graphs: the column of the log, and the suffix of the joints' unit."""

    seen: str
    quantity: str
    column: str
    per: str = ''


_GRAPHS = {
    'joint_angles': _JointGraph(
        'How the joints move: their positions', 'position', 'measured_position'
    ),
    'joint_velocities': _JointGraph('How fast the joints move', 'velocity', 'velocity', '/s'),
}
JOINT_GRAPHS: Mapping[str, str] = {name: graph.seen for name, graph in _GRAPHS.items()}
"""Name of each graph -> its heading."""


def draw_joints(name: str, series: Series, title: str, events: Sequence[Mark]) -> Figure:
    """Draw all joints over time, those in rad and those in m on axes of their own.

    :param name: one of ``JOINT_GRAPHS``.
    """
    graph = _GRAPHS[name]
    values = finite(series.curves[graph.column])
    units = sorted(set(series.units), reverse=True)
    names = [shortened(joint) for joint in series.joint_names]
    figure, grid = empty_figure(len(units), 1, 3.6)
    # From thick to thin: where joints move alike, all are seen.
    widths = np.linspace(3.2, 1.0, len(names))
    marks = readable(events, series.time)
    above = []
    for ax, unit in zip(grid, units, strict=True):
        here = [own == unit for own in series.units]
        moved = _change(values[:, here])
        drawn = values[:, here] if moved is None else moved
        largest = float(np.fmax.reduce(np.abs(drawn).ravel(), initial=0.0))
        scale = scale_for(largest if moved is not None or graph.per else 0.0, unit)
        note = rounding_text(largest, 0.0, unit + graph.per)
        curves = iter(drawn.T / scale.factor)
        for i, joint in enumerate(names):
            curve = next(curves) if here[i] else np.empty(0)
            ax.plot(
                series.time if here[i] and not note else [],
                curve if not note else [],
                color=COLOURS[i % len(COLOURS)],
                ls=STYLES[i // len(COLOURS) % len(STYLES)],
                lw=widths[i],
                label=joint,
            )
        since = '' if moved is None else ' since the start'
        ax.set_ylabel(f'{graph.quantity}{since} [{scale.unit}{graph.per}]', fontsize=9)
        ax.set_xlabel('time [s]', fontsize=9)
        ax.grid(alpha=0.3, lw=0.5)
        ax.tick_params(labelsize=8)
        if len(series.time) > 1:
            ax.set_xlim(0.0, float(series.time[-1]))
        if note:
            say(ax, note)
        above.append(draw_marks(ax, marks, labelled=ax is grid[0]))
    lines, labels = grid[0].get_legend_handles_labels()
    head(figure, lines, labels, graph.seen, title, above=max(above))
    return figure


def _change(values: Array) -> Array | None:
    """Return the change since the first row, where that is small beside the values themselves.

    Else their lines would be parallel: two hands that close on a beam move joints by 10 mrad.
    """
    known = values[np.isfinite(values).all(axis=1)]
    if len(known) < 2:
        return None
    moved = np.ptp(known, axis=0).max()
    spread = np.ptp(known)
    return values - known[0] if ROUNDING * spread < moved < STANDSTILL * spread else None
