"""Figures of an identification: torque that was measured, and that models expect."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
import numpy as np

from ..identification.validation import Comparison
from .drawing import BLUE, DOTS_PER_INCH, GREY, RED, empty_figure, finite, head, shortened

BEFORE, AFTER = 'urdf', 'identified'
"""Names of the two models in a comparison."""
GAP = 1.5
"""Multiple of the usual time between two rows from which on there is a gap."""


def draw_identification(
    comparison: Comparison, joint: int, name: str, unit: str, fitted: float, title: str
) -> Figure:
    """Draw the torques of one joint, and below what each model leaves unexplained.

    :param fitted: time up to which the torques were fitted [s]; the rest is held out.
    """
    figure, (torques, errors) = empty_figure(2, 1, 2.2)
    time = comparison.time
    gap = np.append(np.diff(time) > GAP * np.median(np.diff(time)), False)
    measured, before, after = (
        np.where(gap, np.nan, values[:, joint])
        for values in (comparison.measured, *map(comparison.expected.__getitem__, (BEFORE, AFTER)))
    )
    torques.plot(time, finite(measured), color='black', lw=1.6, label='measured')
    torques.plot(time, finite(before), color=BLUE, lw=1.0, label='by the URDF')
    torques.plot(time, finite(after), color=RED, lw=1.0, label='identified')
    errors.plot(time, finite(measured - before), color=BLUE, lw=0.9)
    errors.plot(time, finite(measured - after), color=RED, lw=0.9)
    for ax, label in ((torques, f'torque [{unit}]'), (errors, f'unexplained [{unit}]')):
        ax.axvspan(time[0], fitted, color=GREY, alpha=0.1, lw=0)
        ax.set_xlim(time[0], time[-1])
        ax.set_ylabel(label, fontsize=9)
        ax.set_xlabel('time [s]', fontsize=9)
        ax.grid(alpha=0.3, lw=0.5)
        ax.tick_params(labelsize=8)
    lines, labels = torques.get_legend_handles_labels()
    seen = f'{shortened(name)}: torque measured and expected; grey: the part that was fitted'
    head(figure, lines, labels, seen, title)
    return figure


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure as PNG."""
    figure.savefig(path, dpi=DOTS_PER_INCH, metadata={'Software': None})
