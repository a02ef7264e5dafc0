"""The figure of the study of reactions as a PNG file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
import msgspec
import numpy as np

from simloop_ros.core.values import Array
from simloop_ros.report.figures import DOTS_PER_INCH

COLUMNS = 3
DECADES = 3.0
"""Orders of magnitude below the largest value that an axis shows."""
_BOX, _MEDIAN, _DOT = '#CFE5F8', '#B81D13', '#33658A'


class Panel(msgspec.Struct, frozen=True):
    """One quantity, by reaction.

    :ivar label: with its unit.
    :ivar values: one per collision.
    """

    label: str
    values: Mapping[str, Array]


def draw_reactions(panels: Sequence[Panel], path: Path) -> None:
    """Draw a box plot per quantity: median, quartiles, whiskers at 5 and 95 %, every collision."""
    rows = -(-len(panels) // COLUMNS)
    figure = Figure(figsize=(11.0, 3.0 * rows), dpi=DOTS_PER_INCH, layout='constrained')
    FigureCanvasAgg(figure)
    for i, panel in enumerate(panels):
        _draw(figure.add_subplot(rows, COLUMNS, i + 1), panel)
    count = len(next(iter(panels[0].values.values())))
    figure.suptitle(
        f'The same {count} collisions with each reaction (boxes: quartiles; whiskers: 5 and 95 %; '
        'number: median)',
        fontsize=10,
    )
    figure.savefig(path)


def _draw(ax: Axes, panel: Panel) -> None:
    names = list(panel.values)
    most = max(float(values.max()) for values in panel.values.values())
    least = most * 10.0**-DECADES if most > 0.0 else 1.0
    # Nothing at all has no place on a logarithmic axis; it is drawn at its left edge.
    columns = [np.maximum(panel.values[name], least) for name in names]
    places = np.arange(len(names))[::-1]
    ax.boxplot(
        columns,
        positions=places,
        orientation='horizontal',
        whis=(5, 95),
        widths=0.6,
        showfliers=False,
        patch_artist=True,
        boxprops={'facecolor': _BOX, 'lw': 0.8},
        medianprops={'color': _MEDIAN, 'lw': 2.0},
    )
    for place, values, name in zip(places, columns, names, strict=True):
        # A fixed pattern spreads the dots: no dice in a figure.
        spread = 0.2 * np.sin(2.4 * np.arange(len(values)))
        ax.plot(values, place + spread, '.', ms=3.0, color=_DOT, alpha=0.5)
        median = float(np.median(panel.values[name]))
        ax.annotate(
            f'{median:.0f}' if median >= 100.0 else f'{median:.2g}',
            (1.01, place),
            xycoords=('axes fraction', 'data'),
            va='center',
            fontsize=8,
            color=_MEDIAN,
        )
    ax.set_xscale('log')
    ax.set_xlim(0.8 * least, 1.5 * most if most > 0.0 else 10.0)
    ax.set_yticks(places, names, fontsize=9)
    ax.set_title(panel.label, fontsize=10)
    ax.grid(axis='x', alpha=0.3, lw=0.5)
