"""The paths of the tips in space and in a plane, as figures 7 and 8 of 002, from the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
import msgspec
import numpy as np

from ..core.values import Array
from ..record.mcap import McapReader, read_mcap
from ..robot.model import link_positions
from ..robot.urdf import kinematic_tree
from .drawing import BLUE, DOTS_PER_INCH, RED, Mark, finite, head, readable

AXES = 'xyz'
DESIRED_STYLE: Mapping[str, Any] = {'color': BLUE, 'lw': 4.0, 'label': 'desired'}
"""Thick and light, under the actual path: where they agree, both are seen."""
ACTUAL_STYLE: Mapping[str, Any] = {'color': RED, 'lw': 1.3, 'ls': (0, (5, 3)), 'label': 'actual'}
WINDOW_MARGIN = 0.18
"""Room around a path, as a share of its extent."""
LEAST_EXTENT = 1e-3
"""Extent that is shown at least [m]: a tip at rest is a point."""
LABEL_DISTANCE = 0.12
"""Share of half the width shown below which two points have one label: a line of text is 0.06."""
LABELS_PER_LINE = 3
"""Number of labels in one line of text."""


class TipCurve(msgspec.Struct, frozen=True):
    """The path of one tip in the world.

    :ivar time: [s], shape ``(points,)``.
    :ivar desired: of the desired joints [m], shape ``(points, 3)``.
    :ivar actual: of the true joints [m], shape ``(points, 3)``.
    """

    name: str
    time: Array
    desired: Array
    actual: Array


def tip_curves(log: McapReader, tips: Sequence[str], points: int = 4000) -> tuple[TipCurve, ...]:
    """Return the paths of tips, by the robot description in the log.

    :param points: about how many rows of a long log are kept.
    """
    if not tips:
        return ()
    tree = kinematic_tree(log.description)
    found = read_mcap(log.path, stride=max(1, log.rows // points))
    return tuple(
        TipCurve(
            tip,
            found.time,
            *(
                link_positions(tree, tip, found.column(f'{which}_position'))
                for which in ('desired', 'true')
            ),
        )
        for tip in tips
    )


def _draw_space(tips: Sequence[TipCurve], title: str, events: Sequence[Mark]) -> Figure:
    figure, ax = _figure(6.6, projection='3d')
    tips = _moving(tips)
    middle, half = _window(tips)
    for tip in tips:
        _draw_path(ax, tip, events, range(3), LABEL_DISTANCE * half)
    for axis, name in enumerate(AXES):
        limits = middle[axis] - half, middle[axis] + half
        getattr(ax, f'set_{name}lim')(*limits)
        getattr(ax, f'set_{name}label')(f'{name} [m]', fontsize=9)
    ax.set_box_aspect((1, 1, 1))
    _finish(figure, ax, tips, f'Path of the tip in space: {title}')
    return figure


def _draw_plane(tips: Sequence[TipCurve], title: str, events: Sequence[Mark]) -> Figure:
    """Draw the paths in the plane of the two world axes with their largest extents."""
    figure, ax = _figure(5.6)
    tips = _moving(tips)
    extent = np.max([np.ptp(_points([tip]), axis=0) for tip in tips], axis=0)
    across, up = sorted(np.argsort(-extent, kind='stable')[:2].tolist())
    middle, half = _window(tips)
    for tip in tips:
        _draw_path(ax, tip, events, (across, up), LABEL_DISTANCE * half)
    ax.set_xlim(middle[across] - half, middle[across] + half)
    ax.set_ylim(middle[up] - half, middle[up] + half)
    ax.set_aspect('equal')
    ax.set_xlabel(f'{AXES[across]} [m]', fontsize=9)
    ax.set_ylabel(f'{AXES[up]} [m]', fontsize=9)
    ax.grid(alpha=0.3, lw=0.5)
    heading = f'Path of the tip in the {AXES[across]}-{AXES[up]} plane: {title}'
    _finish(figure, ax, tips, heading)
    return figure


TIP_GRAPHS: Mapping[str, Callable[[Sequence[TipCurve], str, Sequence[Mark]], Figure]] = {
    'tip_path_3d': _draw_space,
    'tip_path_plane': _draw_plane,
}
"""Name of each graph -> its function, of the paths, a title and events."""


def _figure(height: float, projection: str | None = None) -> tuple[Figure, Any]:
    figure = Figure(figsize=(7.2, height), dpi=DOTS_PER_INCH)
    FigureCanvasAgg(figure)
    place = (0.1, 0.1, 0.8, 0.72) if projection is None else (0.02, 0.04, 0.92, 0.82)
    return figure, figure.add_axes(place, projection=projection)


def _moving(tips: Sequence[TipCurve]) -> Sequence[TipCurve]:
    """Return the tips that move; all of them if none does."""
    return [tip for tip in tips if np.ptp(_points([tip]), axis=0).max() > LEAST_EXTENT] or tips


def _points(tips: Sequence[TipCurve]) -> Array:
    """Return all that is drawn and finite [m], shape ``(m, 3)``; the origin if nothing is."""
    points = np.concatenate([part for tip in tips for part in (tip.desired, tip.actual)])
    points = points[np.isfinite(finite(points)).all(axis=1)]
    return points if len(points) else np.zeros((1, 3))


def _window(tips: Sequence[TipCurve]) -> tuple[Array, float]:
    """Return the middle of the paths [m], shape ``(3,)``, and half the width to show [m]."""
    points = _points(tips)
    low, high = points.min(axis=0), points.max(axis=0)
    extent = max(float((high - low).max()), LEAST_EXTENT)
    return (low + high) / 2.0, (0.5 + WINDOW_MARGIN) * extent


def _draw_path(
    ax: Any, tip: TipCurve, events: Sequence[Mark], axes: Sequence[int], near: float
) -> None:
    """Draw a path with its events.

    :param near: distance below which two points have one label [m].
    """
    for path, style in ((tip.desired, DESIRED_STYLE), (tip.actual, ACTUAL_STYLE)):
        ax.plot(*(finite(path[:, axis]) for axis in axes), **style)
    groups: list[tuple[Array, list[str]]] = []
    for mark in readable(events, tip.time):
        row = min(int(np.searchsorted(tip.time, mark.time - 1e-9)), len(tip.time) - 1)
        place = finite(tip.actual[row, list(axes)])
        ax.plot(*([x] for x in place), 'k.', ms=7)
        labels = next((each for at, each in groups if np.linalg.norm(place - at) < near), None)
        if labels is None:
            groups.append((place, [mark.label]))
        elif mark.label not in labels:
            labels.append(mark.label)
    for place, labels in groups:
        lines = [labels[i : i + LABELS_PER_LINE] for i in range(0, len(labels), LABELS_PER_LINE)]
        text = ',\n'.join('  ' + ', '.join(line) for line in lines)
        ax.text(*place, text, fontsize=8, va='bottom', parse_math=False)


def _finish(figure: Figure, ax: Axes, tips: Sequence[TipCurve], heading: str) -> None:
    ax.tick_params(labelsize=8)
    lines, labels = ax.get_legend_handles_labels()
    head(figure, lines[:2], labels[:2], heading)
    for i, tip in enumerate(tips):
        distance = np.linalg.norm(finite(tip.actual) - finite(tip.desired), axis=1)
        largest = float(np.fmax.reduce(distance, initial=0.0))
        text = f'{tip.name}: largest distance between the two {largest:.2g} m'
        place = 1.0 - (0.62 + 0.17 * i) / figure.get_figheight()
        figure.text(0.5, place, text, ha='center', va='top', fontsize=8, parse_math=False)
