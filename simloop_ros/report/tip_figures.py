"""The paths of the tips in space and in a plane, as figures 7 and 8 of 002, from the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox
import msgspec
import numpy as np

from ..core.values import Array
from ..record.mcap import McapReader, read_mcap
from ..robot.model import link_positions
from ..robot.urdf import kinematic_tree
from .drawing import BLUE, DOTS_PER_INCH, RED, WHITE, Mark, finite, head, readable
from .ranges import rounding_text
from .units import scale_for

AXES = 'xyz'
DESIRED_STYLE: Mapping[str, Any] = {'color': BLUE, 'lw': 4.0, 'label': 'desired'}
"""Thick and light, under the actual path: where they agree, both are seen."""
ACTUAL_STYLE: Mapping[str, Any] = {'color': RED, 'lw': 1.3, 'ls': (0, (5, 3)), 'label': 'actual'}
WINDOW_MARGIN = 0.18
"""Room around a path, as a share of its extent."""
LEAST_EXTENT = 1e-2
"""Extent that is shown at least [m]: a tip at rest is a point."""
LEAST_MOTION = 1e-3
"""Extent from which on a tip moves [m]."""
LABEL_DISTANCE = 24.0
"""Distance on paper below which two points have one label [dot]: that of two lines of text."""
LABELS_PER_LINE = 3
"""Number of labels in one line of text."""
LABEL_PLACES = tuple(
    (side * (5.0 + abs(y) / 4.0), y)
    for y in (4.0, -4.0, 16.0, -16.0, 30.0, -30.0, 44.0, -44.0)
    for side in (1.0, -1.0)
)
"""Places of a label from its point that are tried, in turn [point]."""


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
    figure, ax = _figure(5.2, projection='3d')
    tips = _moving(tips)
    middle, half = _window(tips)
    for axis, name in enumerate(AXES):
        limits = middle[axis] - half, middle[axis] + half
        getattr(ax, f'set_{name}lim')(*limits)
        getattr(ax, f'set_{name}label')(f'{name} [m]', fontsize=9)
        getattr(ax, f'{name}axis').set_major_locator(MaxNLocator(5))
    ax.tick_params(axis='z', pad=6)
    ax.zaxis.labelpad = 8
    ax.set_box_aspect((1, 1, 1))
    _finish(figure, ax, tips, 'Path of the tip in space: desired and actual', title)
    _draw_paths(ax, tips, events, range(3))
    return figure


def _draw_plane(tips: Sequence[TipCurve], title: str, events: Sequence[Mark]) -> Figure:
    """Draw the paths in the plane of the two world axes with their largest extents."""
    figure, ax = _figure(4.6)
    tips = _moving(tips)
    extent = np.max([np.ptp(_points([tip]), axis=0) for tip in tips], axis=0)
    across, up = sorted(np.argsort(-extent, kind='stable')[:2].tolist())
    middle, half = _window(tips)
    ax.set_xlim(middle[across] - half, middle[across] + half)
    ax.set_ylim(middle[up] - half, middle[up] + half)
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.set_aspect('equal')
    ax.set_xlabel(f'{AXES[across]} [m]', fontsize=9)
    ax.set_ylabel(f'{AXES[up]} [m]', fontsize=9)
    ax.grid(alpha=0.3, lw=0.5)
    seen = f'Path of the tip in the {AXES[across]}-{AXES[up]} plane: desired and actual'
    _finish(figure, ax, tips, seen, title)
    _draw_paths(ax, tips, events, (across, up))
    return figure


TIP_GRAPHS: Mapping[str, Callable[[Sequence[TipCurve], str, Sequence[Mark]], Figure]] = {
    'tip_path_3d': _draw_space,
    'tip_path_plane': _draw_plane,
}
"""Name of each graph -> its function, of the paths, a title and events."""


def _figure(height: float, projection: str | None = None) -> tuple[Figure, Any]:
    figure = Figure(figsize=(7.2, height), dpi=DOTS_PER_INCH)
    FigureCanvasAgg(figure)
    place = (0.1, 0.12, 0.8, 0.86) if projection is None else (0.05, 0.07, 0.9, 0.93)
    return figure, figure.add_axes(place, projection=projection)


def _moving(tips: Sequence[TipCurve]) -> Sequence[TipCurve]:
    """Return the tips that move; all of them if none does."""
    return [tip for tip in tips if np.ptp(_points([tip]), axis=0).max() > LEAST_MOTION] or tips


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


def _draw_paths(
    ax: Any, tips: Sequence[TipCurve], events: Sequence[Mark], axes: Sequence[int]
) -> None:
    """Draw the paths of all tips with their events; what is at one place has one label."""
    ax.set_autoscale_on(False)
    groups: list[tuple[Array, list[str]]] = []
    drawn = np.concatenate([_on_paper(ax, finite(tip.actual[:, list(axes)])) for tip in tips])
    for tip in tips:
        for path, style in ((tip.desired, DESIRED_STYLE), (tip.actual, ACTUAL_STYLE)):
            ax.plot(*(finite(path[:, axis]) for axis in axes), **style)
        for mark in readable(events, tip.time):
            row = min(int(np.searchsorted(tip.time, mark.time - 1e-9)), len(tip.time) - 1)
            place = finite(tip.actual[row, list(axes)])
            if not np.isfinite(place).all():
                continue
            ax.plot(*([x] for x in place), 'k.', ms=7)
            at = _on_paper(ax, place[None])[0]
            near = (each for other, each in groups if np.linalg.norm(at - other) < LABEL_DISTANCE)
            labels = next(near, None)
            if labels is None:
                groups.append((at, [mark.label]))
            elif mark.label not in labels:
                labels.append(mark.label)
    _write_labels(ax, groups, np.unique(np.round(drawn), axis=0))


def _on_paper(ax: Any, places: Array) -> Array:
    """Return where points are drawn [dot], shape ``(m, 2)``."""
    ax.apply_aspect()
    if places.shape[1] == 3:
        x, y, _, w = ax.get_proj() @ np.vstack((places.T, np.ones(len(places))))
        places = np.stack((x / w, y / w), axis=1)
    at: Array = ax.transData.transform(places)
    return at


def _write_labels(ax: Any, groups: Sequence[tuple[Array, Sequence[str]]], paths: Array) -> None:
    """Write each label beside its point, where it is free of other labels and inside the axes.

    Of those places, where it hides little of the paths and is near its point.

    :param paths: points of them [dot], shape ``(m, 2)``.
    """
    taken: list[Bbox] = []
    for at, labels in groups:
        lines = [labels[i : i + LABELS_PER_LINE] for i in range(0, len(labels), LABELS_PER_LINE)]
        text = ax.annotate(
            ',\n'.join(', '.join(line) for line in lines),
            at,
            xytext=LABEL_PLACES[0],
            xycoords='figure pixels',
            textcoords='offset points',
            fontsize=8,
            parse_math=False,
            bbox={**WHITE, 'alpha': 0.6},
        )
        free = []
        for place in LABEL_PLACES:
            box = _put(text, place)
            if _inside(box, ax.bbox) and not any(box.overlaps(each) for each in taken):
                free.append((_hidden(box, paths) + abs(place[1]), place))
        if free:
            taken.append(_put(text, min(free, key=itemgetter(0))[1]))
        else:
            text.remove()


def _put(text: Any, place: tuple[float, float]) -> Bbox:
    """Put a label at an offset from its point, and return what it covers [dot]."""
    x, y = place
    text.set(position=place, ha='left' if x > 0 else 'right', va=_side(y))
    return text.get_window_extent().padded(2.0)


def _hidden(box: Bbox, paths: Array) -> int:
    """Return how many points are behind a label."""
    inside = (paths >= (box.x0, box.y0)) & (paths <= (box.x1, box.y1))
    return int(inside.all(axis=1).sum())


def _side(y: float) -> str:
    return 'center' if y == 0.0 else 'bottom' if y > 0.0 else 'top'


def _inside(box: Bbox, outer: Bbox) -> bool:
    across = outer.x0 <= box.x0 and box.x1 <= outer.x1
    return across and outer.y0 <= box.y0 and box.y1 <= outer.y1


def _finish(figure: Figure, ax: Axes, tips: Sequence[TipCurve], seen: str, title: str) -> None:
    """Write the head of a figure, with the largest distance of each tip from its path."""
    ax.tick_params(labelsize=8)
    more = []
    for tip in tips:
        distance = np.linalg.norm(finite(tip.actual) - finite(tip.desired), axis=1)
        largest = float(np.fmax.reduce(distance, initial=0.0))
        scale = scale_for(largest, 'm')
        found = rounding_text(largest, 1.0, 'm') or f'{largest / scale.factor:.2g} {scale.unit}'
        more.append(f'{tip.name}, largest distance between the two: {found}')
    styles = (DESIRED_STYLE, ACTUAL_STYLE)
    lines = [Line2D([], [], **style) for style in styles]
    labels = [style['label'] for style in styles]
    head(figure, lines, labels, seen, title, above=0.1, more=more)
