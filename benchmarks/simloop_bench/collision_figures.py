"""The figures of the collision study as PNG files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
import msgspec
import numpy as np

from simloop_ros.core.values import Array
from simloop_ros.report.figures import DOTS_PER_INCH

STYLES = {
    'position_difference': ('#BBBBBB', ':'),
    'force_difference': ('#56A8E8', '-.'),
    'momentum_observer': ('#AA3377', '--'),
    'disturbance_observer': ('#B81D13', '-'),
}
"""Colour and line of each monitor: told apart without colour too."""
NEVER = 1e-2
"""Where no alarm at all is drawn on an axis of alarms per hour."""


class Curve(msgspec.Struct, frozen=True):
    """One monitor's curve."""

    monitor: str
    x: Array
    y: Array


def draw_roc(curves: Sequence[Curve], what: str, path: Path) -> None:
    """Draw the contacts found against the false alarms per hour.

    :param what: the robot, the number of contacts and the duration of the free motion.
    """
    figure, ax = _figure()
    for curve in curves:
        _plot(ax, curve, np.maximum(curve.x, NEVER), 100.0 * curve.y)
    ax.set_xscale('log')
    ax.set_xlabel(f'false alarms per hour (none is drawn at {NEVER:g})')
    ax.set_ylabel('contacts of 30 N found within 15 ms of 10 N [%]')
    ax.set_title(f'Contacts found in time, thresholds times 0.2 to 5\n{what}', fontsize=10)
    ax.legend(fontsize=8, loc='lower right')
    figure.savefig(path)


def draw_delays(curves: Sequence[Curve], what: str, path: Path) -> None:
    """Draw the share of contacts found by the time since they began.

    :param what: the robot and the number of contacts.
    """
    figure, ax = _figure()
    for curve in curves:
        seen = np.isfinite(curve.x)
        _plot(ax, curve, 1e3 * curve.x[seen], 100.0 * curve.y[seen], drawstyle='steps-post')
    ax.set_xscale('symlog', linthresh=1.0)
    ax.set_xlim(left=0.0)
    ax.set_xlabel('time since the first contact [ms]')
    ax.set_ylabel('contacts of 30 N found [%]')
    ax.set_title(f'How soon contacts are found\n{what}', fontsize=10)
    ax.legend(fontsize=8, loc='lower right')
    figure.savefig(path)


def _figure() -> tuple[Figure, Axes]:
    figure = Figure(figsize=(6.5, 4.2), dpi=DOTS_PER_INCH, layout='constrained')
    FigureCanvasAgg(figure)
    ax = figure.add_subplot()
    ax.grid(alpha=0.3, lw=0.5)
    ax.set_ylim(0.0, 102.0)
    return figure, ax


def _plot(ax: Axes, curve: Curve, x: Array, y: Array, **style: Any) -> None:
    colour, line = STYLES[curve.monitor]
    name = curve.monitor.replace('_', ' ')
    ax.plot(x, y, color=colour, ls=line, lw=1.8, label=name, **style)
