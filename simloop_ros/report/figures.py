"""The graphs of a run as PNG files; here the six of 000, section 6.2, and external torques."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, ScalarFormatter
import msgspec
import numpy as np

from ..core.errors import UnknownNameError
from ..core.values import Array
from ..record.wording import EFFORT_UNITS
from .drawing import (
    BLUE,
    DOTS_PER_INCH,
    GREY,
    PURPLE,
    RED,
    Mark,
    draw_marks,
    empty_figure,
    finite,
    head,
    readable,
    shortened,
)
from .joint_figures import JOINT_GRAPHS, draw_joints
from .series import Series
from .tip_figures import TIP_GRAPHS, TipCurve
from .units import Scale, scale_for


class _Graph(msgspec.Struct, frozen=True):
    """One kind of graph: its curves, with legend entries, and the unit of its vertical axis."""

    heading: str
    quantity: str
    curves: tuple[tuple[str, str], ...]

    def unit(self, joint_unit: str) -> str:
        """Return the SI unit for a joint that moves in ``rad`` or ``m``."""
        return {
            'force': EFFORT_UNITS.get(joint_unit, ''),
            'path': joint_unit,
            'velocity': f'{joint_unit}/s',
        }[self.quantity]


_GRAPHS = {
    'force_comparison': _Graph(
        'Force comparison',
        'force',
        (('effort', 'τ  sent to the robot'), ('rollback_effort', 'τ′  that explains its motion')),
    ),
    'force_difference': _Graph(
        'Force difference', 'force', (('force_difference', 'τ − τ′  sent minus explained'),)
    ),
    'path_comparison': _Graph(
        'Path comparison',
        'path',
        (('desired_position', 'q_d  of the planner'), ('measured_position', 'q  of the robot')),
    ),
    'path_difference': _Graph(
        'Path difference', 'path', (('path_difference', 'q − q_d  robot minus planner'),)
    ),
    'velocity_comparison': _Graph(
        'Velocity comparison',
        'velocity',
        (('desired_velocity', 'v_c  required'), ('velocity', 'v  of the robot')),
    ),
    'velocity_difference': _Graph(
        'Velocity difference',
        'velocity',
        (('velocity_difference', 'v − v_c  robot minus required'),),
    ),
    'external_torque': _Graph(
        'External torque',
        'force',
        (('true_external_torque', 'true torque'), ('external_torque', 'estimated')),
    ),
}
GRAPHS = tuple(_GRAPHS)
"""Those that have axes for each joint."""


def possible_graphs(series: Series, tips: Sequence[TipCurve] = ()) -> tuple[str, ...]:
    """Return the graphs whose curves were logged."""
    compared = [
        name
        for name, graph in _GRAPHS.items()
        if all(curve in series.curves for curve, _ in graph.curves)
    ]
    return (*compared, *(TIP_GRAPHS if tips else ()), *JOINT_GRAPHS)


def draw_figures(
    folder: Path,
    graphs: Sequence[str],
    series: Series,
    title: str,
    events: Sequence[Mark] = (),
    tips: Sequence[TipCurve] = (),
) -> list[Path]:
    """Draw each graph into ``folder`` as ``NAME.png`` and return the paths.

    :param graphs: some of ``possible_graphs``.
    :param title: of the run, see ``run_title``.
    :param tips: paths of the tips, for their graphs.
    """
    possible = possible_graphs(series, tips)
    for name in graphs:
        if name not in possible:
            raise UnknownNameError('graph', name, possible)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name in graphs:
        path = folder / f'{name}.png'
        if name in TIP_GRAPHS:
            figure = TIP_GRAPHS[name](tips, title, events)
        elif name in JOINT_GRAPHS:
            figure = draw_joints(name, series, title, events)
        else:
            figure = _draw(_GRAPHS[name], series, title, events)
        figure.savefig(path)
        paths.append(path)
    return paths


def grid_shape(n: int) -> tuple[int, int]:
    """Return rows and columns of small axes for ``n`` joints, to be filled column by column."""
    columns = 1 if n <= 3 else 2 if n <= 16 else 3 if n <= 30 else 4
    return -(-n // columns), columns


def _draw(graph: _Graph, series: Series, title: str, events: Sequence[Mark]) -> Figure:
    n = len(series.joint_names)
    rows, columns = grid_shape(n)
    figure, grid = empty_figure(rows, columns, 3.6 if n == 1 else 1.2)
    scales = _scales(graph, series)
    marks = readable(events, series.time)
    for place, ax in enumerate(grid):
        if place >= n:
            ax.set_visible(False)
            continue
        _draw_joint(ax, graph, series, place, scales[place])
        draw_marks(ax, marks, labelled=place % rows == 0)
        ax.yaxis.set_major_locator(MaxNLocator(nbins=7 if n == 1 else 4))
        if place + 1 == n or (place + 1) % rows == 0:
            ax.set_xlabel('time [s]', fontsize=9)
        else:
            ax.tick_params(labelbottom=False)
    head(figure, *grid[0].get_legend_handles_labels(), f'{graph.heading}: {title}')
    return figure


def _scales(graph: _Graph, series: Series) -> list[Scale]:
    """Return each joint's scale: one for all with the same unit.

    A joint with less than a twentieth of the largest values has its own.
    """
    largest = [_largest(graph, series, joint) for joint in range(len(series.joint_names))]
    scales = []
    for unit, own in zip(series.units, largest, strict=True):
        common = max(x for u, x in zip(series.units, largest, strict=True) if u == unit)
        scales.append(scale_for(common if own >= 0.05 * common else own, graph.unit(unit)))
    return scales


def _largest(graph: _Graph, series: Series, joint: int) -> float:
    values = np.concatenate([np.abs(finite(series.curves[c][:, joint])) for c, _ in graph.curves])
    return float(np.fmax.reduce(values, initial=0.0))


def _draw_joint(ax: Axes, graph: _Graph, series: Series, joint: int, scale: Scale) -> None:
    curves = [finite(series.curves[name][:, joint]) / scale.factor for name, _ in graph.curves]
    compared = len(curves) > 1
    # The second is thinner, dashed and on top: where they agree, both are seen.
    styles: tuple[dict[str, Any], ...] = (
        ({'color': BLUE, 'lw': 3.0}, {'color': RED, 'lw': 1.3, 'ls': (0, (5, 3))})
        if compared
        else ({'color': PURPLE, 'lw': 1.1},)
    )
    if not compared:
        ax.axhline(0.0, color=GREY, lw=0.8)
        largest = _largest(graph, series, joint) / scale.factor
        text = f'max |{graph.curves[0][1].split("  ")[0]}| = {largest:.3g} {scale.unit}'
        ax.set_title(text, fontsize=8, loc='right', color=GREY, pad=4)
    ax.set_autoscale_on(False)
    for curve, style, (_, label) in zip(curves, styles, graph.curves, strict=True):
        ax.plot(series.time, curve, label=label, **style)
    _set_range(ax, np.concatenate(curves), compared)
    name = shortened(series.joint_names[joint])
    ax.set_title(name, fontsize=9, loc='left', parse_math=False, pad=4)
    ax.set_ylabel(f'[{scale.unit}]', fontsize=9)
    ax.yaxis.set_label_coords(-0.56 * DOTS_PER_INCH / ax.bbox.width, 0.5)
    ax.grid(alpha=0.3, lw=0.5)
    ax.tick_params(labelsize=8)
    formatter = ScalarFormatter(useOffset=False)
    formatter.set_powerlimits((-4, 5))
    ax.yaxis.set_major_formatter(formatter)
    if len(series.time) > 1:
        begin, end = float(series.time[0]), float(series.time[-1])
        ax.set_xlim(0.0 if 0.0 < begin < 0.1 * end else begin, end)


def _set_range(ax: Axes, values: Array, compared: bool) -> None:
    """Show every value; a difference with its zero, a constant as a flat line."""
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
    if not compared:
        low, high = min(low, 0.0), max(high, 0.0)
    least = 1e-3 * max(abs(low), abs(high))
    middle, half = (low + high) / 2.0, max((high - low) / 2.0, least)
    half = 1.12 * half if half > 0.0 else 1.0
    ax.set_ylim(middle - half, middle + half)
