"""The graphs of a run; here the six of 000, section 6.2, and external torques."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, ScalarFormatter
import msgspec
import numpy as np

from ..core.errors import UnknownNameError
from ..robot.model import EFFORT_UNITS
from .drawing import (
    BLUE,
    DOTS_PER_INCH,
    GREY,
    PURPLE,
    RED,
    WHITE,
    Mark,
    draw_marks,
    empty_figure,
    finite,
    head,
    readable,
    say,
    shortened,
)
from .joint_figures import JOINT_GRAPHS, draw_joints
from .ranges import Extent, Range, rounding_text, shared_ranges, without_side
from .series import Series
from .tip_figures import TIP_GRAPHS, TipCurve
from .units import scale_for


class _Graph(msgspec.Struct, frozen=True):
    """One kind of graph: its curves, with legend entries, and the unit of its vertical axis.

    :ivar seen: what one sees: the heading.
    :ivar curves: those to draw; two are compared, one is a difference.
    """

    seen: str
    quantity: Literal['force', 'path', 'velocity']
    curves: tuple[tuple[str, str], ...]

    def unit(self, joint_unit: str) -> str:
        """Return the SI unit for a joint that moves in ``rad`` or ``m``."""
        return {
            'force': EFFORT_UNITS.get(joint_unit, ''),
            'path': joint_unit,
            'velocity': f'{joint_unit}/s',
        }[self.quantity]

    @property
    def compares(self) -> bool:
        """Return whether curves are compared; else there is one, of a difference."""
        return len(self.curves) > 1


_SCALES = {
    'force': ('effort', 'rollback_effort'),
    'path': ('desired_position', 'measured_position'),
    'velocity': ('velocity',),
}
"""Quantity -> the curves whose largest value says what is rounding."""
_GRAPHS = {
    'force_comparison': _Graph(
        'Force: what was sent to the robot, and what explains its motion by the model',
        'force',
        (('effort', 'τ  sent to the robot'), ('rollback_effort', 'τ′  that explains its motion')),
    ),
    'force_difference': _Graph(
        'Force difference: what the model does not explain, as wrong mass, friction or contact',
        'force',
        (('force_difference', 'τ − τ′  sent minus explained'),),
    ),
    'path_comparison': _Graph(
        'Joint positions: where the planner wants the robot, and where it is',
        'path',
        (('desired_position', 'q_d  of the planner'), ('measured_position', 'q  of the robot')),
    ),
    'path_difference': _Graph(
        'Path difference: how far the joints are from where the planner wants them',
        'path',
        (('path_difference', 'q − q_d  robot minus planner'),),
    ),
    'velocity_comparison': _Graph(
        'Joint velocities: what would reach the planned position in one step, and what they are',
        'velocity',
        (('desired_velocity', 'v_c = (q_d − q) / h  required'), ('velocity', 'v  of the robot')),
    ),
    'velocity_difference': _Graph(
        'Velocity difference: the joints minus what would reach the planned position in one step',
        'velocity',
        (('velocity_difference', 'v − v_c  robot minus required'),),
    ),
    'external_torque': _Graph(
        'External torque: what the hand exerts, and what the observer estimates',
        'force',
        (('true_external_torque', 'true torque'), ('external_torque', 'estimated')),
    ),
}
_ESTIMATED_TORQUE = _Graph(
    'External torque as the observer estimates it: of a hand, or of what the model lacks',
    'force',
    (('external_torque', 'estimated'),),
)
"""That of a real robot, where the true one is not known."""
GRAPHS = tuple(_GRAPHS)
"""Those that have axes for each joint."""


def possible_graphs(series: Series, tips: Sequence[TipCurve] = ()) -> tuple[str, ...]:
    """Return the graphs whose curves were logged."""
    compared = [
        name
        for name in _GRAPHS
        if all(curve in series.curves for curve, _ in _graph(name, series).curves)
    ]
    return (*compared, *(TIP_GRAPHS if tips else ()), *JOINT_GRAPHS)


def draw_figures(
    graphs: Sequence[str],
    series: Series,
    title: str,
    events: Sequence[Mark] = (),
    tips: Sequence[TipCurve] = (),
) -> Iterator[tuple[str, Figure]]:
    """Yield the name of each graph and its figure.

    :param graphs: some of ``possible_graphs``.
    :param title: of the run, see ``run_title``.
    :param tips: paths of the tips, for their graphs.
    """
    possible = possible_graphs(series, tips)
    for name in graphs:
        if name not in possible:
            raise UnknownNameError('graph', name, possible)
    for name in graphs:
        if name in TIP_GRAPHS:
            yield name, TIP_GRAPHS[name](tips, title, events)
        elif name in JOINT_GRAPHS:
            yield name, draw_joints(name, series, title, events)
        else:
            yield name, _draw(_graph(name, series), series, title, events)


def _graph(name: str, series: Series) -> _Graph:
    """Return the graph of a name that fits the curves."""
    known = name != 'external_torque' or 'true_external_torque' in series.curves
    return _GRAPHS[name] if known else _ESTIMATED_TORQUE


def grid_shape(n: int) -> tuple[int, int]:
    """Return rows and columns of small axes for ``n`` joints, to be filled column by column."""
    columns = 1 if n <= 3 else 2 if n <= 16 else 3 if n <= 30 else 4
    return -(-n // columns), columns


def _draw(graph: _Graph, series: Series, title: str, events: Sequence[Mark]) -> Figure:
    n = len(series.joint_names)
    extents = [_extent(graph, series, joint) for joint in range(n)]
    notes = _notes(graph, series, extents)
    drawn = [joint for joint in range(n) if notes[joint] is None]
    if not drawn:
        return _draw_nothing(graph, series, title, extents)
    rows, columns = grid_shape(n)
    figure, grid = empty_figure(rows, columns, 3.6 if n == 1 else 1.2)
    shared = shared_ranges([extents[j] for j in drawn], same_limits=not graph.compares)
    ranges = dict(zip(drawn, shared, strict=True))
    marks = readable(events, series.time)
    above = []
    for place, ax in enumerate(grid):
        if place >= n:
            ax.set_visible(False)
            continue
        _frame(ax, series, place)
        if place in ranges:
            _draw_joint(ax, graph, series, place, ranges[place])
            ax.yaxis.set_major_locator(MaxNLocator(nbins=7 if n == 1 else 4))
        else:
            say(ax, str(notes[place]))
        above.append(draw_marks(ax, marks, labelled=place % rows == 0))
        if place + 1 == n or (place + 1) % rows == 0:
            ax.set_xlabel('time [s]', fontsize=9)
        else:
            ax.tick_params(labelbottom=False)
    legend = grid[drawn[0]].get_legend_handles_labels()
    head(figure, *legend, graph.seen, title, above=max(above))
    return figure


def _draw_nothing(graph: _Graph, series: Series, title: str, extents: Sequence[Extent]) -> Figure:
    """Say of all joints in one line that their curves are rounding."""
    figure, (ax,) = empty_figure(1, 1, 0.6)
    n, lines = len(extents), []
    for unit in sorted(set(series.units)):
        largest = max(each.largest for each in extents if each.unit == unit)
        lines.append(rounding_text(largest, np.inf, graph.unit(unit)))
    what = graph.curves[0][1] if not graph.compares else 'both'
    say(ax, f'{what}: {" or ".join(map(str, lines))}' + (f', all {n} joints' if n > 1 else ''))
    ax.set_xticks([])
    head(figure, (), (), graph.seen, title)
    return figure


def _extent(graph: _Graph, series: Series, joint: int) -> Extent:
    """Return what the curves of a joint cover; of a difference with its zero."""
    values = np.concatenate([finite(series.curves[name][:, joint]) for name, _ in graph.curves])
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
    if not graph.compares:
        low, high = min(low, 0.0), max(high, 0.0)
    return Extent(low, high, series.units[joint], without_side(series.joint_names[joint]))


def _notes(graph: _Graph, series: Series, extents: Sequence[Extent]) -> list[str | None]:
    """Return for each joint what to write instead of its curves, if they are only rounding."""
    values = [np.abs(finite(series.curves[name])) for name in _SCALES[graph.quantity]]
    largest = np.fmax.reduce(np.concatenate(values), axis=0, initial=0.0)
    found = []
    for each in extents:
        same = [x for x, unit in zip(largest, series.units, strict=True) if unit == each.unit]
        found.append(rounding_text(each.largest, max(same), graph.unit(each.unit)))
    return found


def _frame(ax: Axes, series: Series, joint: int) -> None:
    """Write the joint's name above its axes, and set the time that they show."""
    name = shortened(series.joint_names[joint])
    ax.set_title(name, fontsize=9, loc='left', parse_math=False, pad=4, bbox=WHITE)
    ax.grid(alpha=0.3, lw=0.5)
    ax.tick_params(labelsize=8)
    if len(series.time) > 1:
        begin, end = float(series.time[0]), float(series.time[-1])
        ax.set_xlim(0.0 if 0.0 < begin < 0.1 * end else begin, end)


def _draw_joint(ax: Axes, graph: _Graph, series: Series, joint: int, shown: Range) -> None:
    unit = graph.unit(series.units[joint])
    scale = scale_for(shown.largest, unit)
    curves = [finite(series.curves[name][:, joint]) / scale.factor for name, _ in graph.curves]
    # The second is thinner, dashed and on top: where they agree, both are seen.
    styles: tuple[dict[str, Any], ...] = (
        ({'color': BLUE, 'lw': 3.0}, {'color': RED, 'lw': 1.3, 'ls': (0, (5, 3))})
        if graph.compares
        else ({'color': PURPLE, 'lw': 1.1},)
    )
    if not graph.compares:
        ax.axhline(0.0, color=GREY, lw=0.8)
        largest = float(np.fmax.reduce(np.abs(scale.factor * curves[0]), initial=0.0))
        own = scale_for(largest, unit)
        symbol = graph.curves[0][1].split('  ')[0]
        text = f'max |{symbol}| = {largest / own.factor:.3g} {own.unit}'
        ax.set_title(text, fontsize=8, loc='right', color=GREY, pad=4, bbox=WHITE)
    ax.set_autoscale_on(False)
    for curve, style, (_, label) in zip(curves, styles, graph.curves, strict=True):
        ax.plot(series.time, curve, label=label, **style)
    ax.set_ylim(shown.low / scale.factor, shown.high / scale.factor)
    ax.set_ylabel(f'[{scale.unit}]', fontsize=9)
    ax.yaxis.set_label_coords(-0.68 * DOTS_PER_INCH / ax.bbox.width, 0.5)
    formatter = ScalarFormatter(useOffset=False)
    formatter.set_powerlimits((-4, 5))
    ax.yaxis.set_major_formatter(formatter)
