"""The figures of the comparison of controllers as PNG files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
import msgspec
import numpy as np

from simloop_ros.core.values import Array
from simloop_ros.report.figures import DOTS_PER_INCH

STYLES = {
    'pid': ('#999999', 'v', 'PID'),
    'pd_gravity': ('#444444', '^', 'PD with gravity'),
    'computed_torque': ('#33658A', 's', 'computed torque'),
    'computed_torque_observer': ('#56A8E8', 'D', 'computed torque, observer'),
    'measured': ('#D98E04', 'X', 'simulation in the loop, measured'),
    'observer': ('#B81D13', 'o', 'simulation in the loop, observer'),
}
"""Colour, marker and name of each controller: told apart without colour too."""
SMALLEST = 1e-8
"""Error that the map's colours begin with [m]: without disturbance there is rounding only."""


class Mark(msgspec.Struct, frozen=True):
    """One controller at one rate.

    :ivar rate: [Hz].
    :ivar error: rms of the tips [m].
    :ivar ripple: [N m].
    """

    motion: str
    controller: str
    friction: bool
    rate: float
    error: float
    ripple: float


class ConditionPanel(msgspec.Struct, frozen=True):
    """Errors of one motion.

    :ivar error: rms of the tips [m], shape ``(conditions, controllers)``.
    :ivar unstable: the same shape.
    """

    motion: str
    conditions: tuple[str, ...]
    controllers: tuple[str, ...]
    error: Array
    unstable: np.ndarray


def draw_tradeoff(marks: Sequence[Mark], path: Path) -> None:
    """Draw error against torque ripple, a panel per motion; a line joins the rates."""
    motions = list(dict.fromkeys(mark.motion for mark in marks))
    figure = Figure(
        figsize=(4.6 * max(1, len(motions)), 4.8), dpi=DOTS_PER_INCH, layout='constrained'
    )
    FigureCanvasAgg(figure)
    grid = figure.subplots(1, max(1, len(motions)), squeeze=False)[0]
    for axes, motion in zip(grid, motions, strict=False):
        for controller in STYLES:
            for friction in (False, True):
                key = motion, controller, friction
                mine = [m for m in marks if (m.motion, m.controller, m.friction) == key]
                _joined(axes, mine, friction)
        axes.set(xscale='log', yscale='log', title=motion)
        axes.set_xlabel('torque ripple, rms [N m]')
        axes.grid(alpha=0.3, lw=0.5)
    grid[0].set_ylabel('tip error, rms [m]')
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc='outside lower center', ncols=3, fontsize=8)
    figure.suptitle(
        'Mass +10 %, encoder noise 1e-5 rad; empty: with friction; the larger, the higher the '
        'rate',
        fontsize=10,
    )
    figure.savefig(path)


def _joined(axes: Axes, marks: Sequence[Mark], friction: bool) -> None:
    """Draw one controller's marks, larger with the rate, and the line between them."""
    if not marks:
        return
    colour, marker, name = STYLES[marks[0].controller]
    ripple, error = [m.ripple for m in marks], [m.error for m in marks]
    axes.plot(ripple, error, color=colour, lw=0.8, ls='--' if friction else '-', alpha=0.7)
    axes.scatter(
        ripple,
        error,
        s=[6.0 * np.log10(m.rate) ** 2 - 20.0 for m in marks],
        marker=marker,
        edgecolors=colour,
        facecolors='white' if friction else colour,
        zorder=3,
        label=None if friction else name,
    )


def draw_conditions(panels: Sequence[ConditionPanel], path: Path) -> None:
    """Draw every condition as a map of errors, a panel per motion; a cross is unstable."""
    rows = max((len(panel.conditions) for panel in panels), default=1)
    figure = Figure(
        figsize=(2.5 + 4.0 * max(1, len(panels)), 2.2 + 0.22 * rows),
        dpi=DOTS_PER_INCH,
        layout='constrained',
    )
    FigureCanvasAgg(figure)
    grid = figure.subplots(1, max(1, len(panels)), squeeze=False)[0]
    norm = LogNorm(SMALLEST, 1e-1)
    for axes, panel in zip(grid, panels, strict=False):
        error = np.clip(np.nan_to_num(panel.error, posinf=1.0), SMALLEST, None)
        image = axes.imshow(error, norm=norm, cmap='viridis', aspect='auto')
        for i, j in np.argwhere(panel.unstable):
            axes.text(j, i, '×', color='white', ha='center', va='center', weight='bold')
        best = np.argmin(error, axis=1)
        axes.scatter(best, np.arange(len(best)), marker='*', color='white', s=18)
        axes.set_xticks(range(len(panel.controllers)), panel.controllers, rotation=60, ha='right')
        axes.set_yticks(range(len(panel.conditions)), panel.conditions, fontsize=7)
        axes.tick_params(axis='x', labelsize=8)
        axes.set_title(panel.motion)
        if axes is not grid[0]:
            axes.set_yticklabels([])
    if panels:
        figure.colorbar(image, ax=grid, label='tip error, rms [m]')
    figure.suptitle('Star: the smallest error; cross: unstable', fontsize=10)
    figure.savefig(path)
