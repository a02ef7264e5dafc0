"""Figures of a replayed log: torques against their explanation, and what the monitors said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np

from ..collision.monitor import IntArray
from ..core.values import Array
from ..replay.explained import Curves
from ..replay.monitoring import MonitorRun
from ..replay.replay import Replay
from ..replay.sensitivity import Sensitivity
from .drawing import BLUE, GREY, RED, Mark, empty_figure, head, shortened
from .joint_figures import COLOURS
from .monitor_figures import MonitorCurves, draw_residual

MOST_POINTS = 4000
"""Samples of a curve that are drawn: more cannot be told apart."""
SHADE: dict[str, Any] = {'color': '#DDDDDD', 'alpha': 0.5, 'lw': 0.0}
"""Of the part that thresholds come from."""


def replay_figures(found: Replay, title: str, unit: str) -> Iterator[tuple[str, Figure]]:
    """Yield name and figure of each picture of a replay.

    :param title: log and robot.
    :param unit: of the efforts.
    """
    span = found.settings.calibrate_on.times(found.recording.duration)
    span = span[0], min(span[1], found.recording.duration)
    names = found.recording.joint_names
    yield 'torques', draw_torques(found.curves, names, span, title)
    yield 'torque_errors', draw_torque_errors(found.curves, names, span, title)
    for run in found.runs:
        yield run.kind, _draw_run(run, names, span, title, unit, injected=False)
    for run in found.injected_runs:
        name = f'{run.kind}_injected'
        yield name, _draw_run(run, names, span, f'INJECTED contacts in {title}', unit, True)
    if found.sensitivity:
        yield 'sensitivity_injected', draw_sensitivity(found.sensitivity, title)


def draw_torques(
    curves: Curves, names: Sequence[str], span: tuple[float, float], title: str
) -> Figure:
    """Draw the measured and the explained torque of each joint."""
    figure, grid = _grid(len(names))
    rows = _thinned(len(curves.time))
    time = curves.time[rows]
    for i, (ax, name) in enumerate(zip(grid, names, strict=False)):
        ax.plot(time, curves.measured[rows, i], color=BLUE, lw=2.2, label='measured')
        ax.plot(time, curves.explained[rows, i], color=RED, lw=0.9, label='explained')
        _finish(ax, name, time, span)
    seen = 'Twin against robot: measured torque, and the torque that the model explains [N m]'
    head(figure, *grid[0].get_legend_handles_labels(), seen, title)
    return figure


def draw_torque_errors(
    curves: Curves, names: Sequence[str], span: tuple[float, float], title: str
) -> Figure:
    """Draw what is left of the torque of each joint."""
    figure, grid = _grid(len(names))
    rows = _thinned(len(curves.time))
    time, residual = curves.time[rows], curves.residual[rows]
    for i, (ax, name) in enumerate(zip(grid, names, strict=False)):
        ax.plot(time, residual[:, i], color=GREY, lw=0.9)
        ax.axhline(0.0, color='black', lw=0.6)
        _finish(ax, name, time, span)
    seen = 'What the model does not explain: measured less explained torque [N m]'
    head(figure, [], [], seen, title)
    return figure


def draw_sensitivity(table: Sequence[Sensitivity], title: str) -> Figure:
    """Draw which share of the injected contacts is found, and the delays, over the force."""
    figure, (share, delay) = empty_figure(1, 2, 2.6)
    series = dict.fromkeys((row.monitor, row.link) for row in table)
    for i, (monitor, link) in enumerate(series):
        own = [row for row in table if (row.monitor, row.link) == (monitor, link)]
        force = [row.force for row in own]
        colour = COLOURS[i % len(COLOURS)]
        style: dict[str, Any] = {'color': colour, 'marker': 'o', 'lw': 1.2, 'ms': 4}
        label = f'{monitor.replace("_", " ")}, {shortened(link)}'
        share.plot(force, [100.0 * row.share for row in own], label=label, **style)
        delay.plot(force, [1e3 * row.median_delay for row in own], **style)
        tops = [1e3 * row.p95_delay for row in own]
        delay.plot(force, tops, color=colour, ls=':', lw=1)
    share.set_ylabel('found [%]', fontsize=9)
    share.set_ylim(-4.0, 104.0)
    delay.set_ylabel('delay [ms], median and 95 % (dotted)', fontsize=9)
    delay.set_ylim(bottom=0.0)
    for ax in (share, delay):
        ax.set_xlabel('INJECTED force [N]', fontsize=9)
        ax.grid(alpha=0.3, lw=0.5)
        ax.tick_params(labelsize=8)
    head(figure, *share.get_legend_handles_labels(), 'INJECTED contacts: found, and when', title)
    return figure


def _draw_run(
    run: MonitorRun,
    names: Sequence[str],
    span: tuple[float, float],
    title: str,
    unit: str,
    injected: bool,
) -> Figure:
    """Draw residuals against thresholds and external torques, with the alarms as marks."""
    rows = _peaks(run.share)
    curves = MonitorCurves(
        run.kind, unit, tuple(names), run.time[rows], run.share[rows], run.torque[rows]
    )
    label = 'contact found' if injected else 'alarm'
    marks = [Mark(alarm.start, label) for alarm in run.alarms]
    figure = draw_residual(curves, title, marks)
    for ax in figure.axes:
        ax.axvspan(*span, **SHADE)
    figure.axes[0].annotate(
        'thresholds from here',
        (span[0], 0.02),
        xycoords=('data', 'axes fraction'),
        xytext=(3, 2),
        textcoords='offset points',
        fontsize=8,
        color=GREY,
    )
    return figure


def _grid(n: int) -> tuple[Figure, list[Axes]]:
    rows = (n + 1) // 2
    figure, axes = empty_figure(rows, 2, 1.3)
    for spare in axes[n:]:
        spare.set_visible(False)
    return figure, axes


def _finish(ax: Axes, name: str, time: Array, span: tuple[float, float]) -> None:
    ax.set_title(shortened(name), loc='left', fontsize=9, pad=3)
    ax.axvspan(*span, **SHADE)
    ax.set_xlim(0.0, float(np.nanmax(time)))
    ax.set_xlabel('time [s]', fontsize=8, labelpad=1)
    ax.grid(alpha=0.3, lw=0.5)
    ax.tick_params(labelsize=8)


def _thinned(rows: int) -> IntArray:
    """Return indices of the rows that are drawn."""
    return np.arange(0, rows, max(1, rows // MOST_POINTS))


def _peaks(share: Array) -> IntArray:
    """Return indices of rows to draw, with the largest share of each group among them."""
    stride = max(1, len(share) // MOST_POINTS)
    if stride == 1:
        return np.arange(len(share))
    groups = np.arange(0, len(share), stride)
    known = np.where(np.isnan(share), -1.0, share)
    peaks = [first + int(np.argmax(known[first : first + stride])) for first in groups]
    return np.array(peaks)
