"""The figures of the study of hand guiding as PNG files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
import msgspec
import numpy as np

from simloop_ros.core.values import Array
from simloop_ros.report.figures import DOTS_PER_INCH

_HAND, _LINE, _LIMIT = '#FCE8C8', '#33658A', '#B81D13'
_STABLE, _UNSTABLE, _HUMAN = '#BFE3C0', '#E9A6A0', '#1F3B57'
_MOST_COLUMNS = 4


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """Experiment 1 with some parameters.

    :ivar time: [s], shape ``(steps,)``, as everything below.
    :ivar position: of the guided joint [rad].
    :ivar torque: true external torque on it [N m].
    :ivar energy: of the operator so far [J].
    :ivar grip: when the hand takes hold [s].
    :ivar release: when it lets go [s].
    """

    title: str
    time: Array
    position: Array
    torque: Array
    energy: Array
    grip: float
    release: float


class ForceBars(msgspec.Struct, frozen=True):
    """Force of a hand by direction.

    :ivar names: of the directions.
    :ivar force: mean while it is steady [N].
    :ivar peak: the largest then [N].
    :ivar limit: what it shall be below [N].
    """

    title: str
    names: tuple[str, ...]
    force: Array
    peak: Array
    limit: float


class StabilityPanel(msgspec.Struct, frozen=True, kw_only=True):
    """Which hands make the robot unstable.

    :ivar stiffness: of the hand [N/m], shape ``(k,)``.
    :ivar delay: [s], shape ``(d,)``.
    :ivar stable: shape ``(k, d)``.
    :ivar human_stiffness: largest of a human arm [N/m].
    :ivar human_delay: up to which that has to be stable [s].
    """

    title: str
    stiffness: Array
    delay: Array
    stable: np.ndarray
    human_stiffness: float
    human_delay: float


class ElbowPush(msgspec.Struct, frozen=True):
    """What pushing the elbow aside does, shape ``(steps,)`` each.

    :ivar time: [s].
    :ivar mass: effective mass of the tip [kg].
    :ivar tip: distance of the tip from where it was [m].
    :ivar elbow: way of the elbow along the hint [m].
    :ivar grip: when the hand takes hold [s].
    :ivar release: when it lets go [s].
    """

    time: Array
    mass: Array
    tip: Array
    elbow: Array
    grip: float
    release: float


def draw_experiment(courses: Sequence[Course], path: Path) -> None:
    """Draw 001's figures 7 and 8: position, torque and energy, the cases side by side."""
    figure = _figure(5.2 * len(courses), 7.4)
    grid = figure.subplots(3, len(courses), sharex=True, sharey='row', squeeze=False)
    rows = (
        ('position of joint 4 [°]', lambda c: np.rad2deg(c.position)),
        ('external torque on it [N m]', lambda c: c.torque),
        ("operator's energy [J]", lambda c: c.energy),
    )
    for column, course in zip(grid.T, courses, strict=True):
        for axes, (label, values) in zip(column, rows, strict=True):
            axes.axvspan(course.grip, course.release, color=_HAND, lw=0.0, label='hand leads')
            axes.plot(course.time, values(course), color=_LINE)
            axes.grid(alpha=0.3, lw=0.5)
            if axes in grid[:, 0]:
                axes.set_ylabel(label)
        at = int(np.searchsorted(course.time, course.release)) - 1
        end = float(course.energy[at])
        column[2].annotate(
            f'{end:.2g} J at the release',
            (course.release, end),
            xytext=(6, -13),
            textcoords='offset points',
            fontsize=9,
        )
        column[0].set_title(course.title)
        column[0].legend(loc='upper right', fontsize=9)
        column[-1].set_xlabel('time [s]')
    figure.suptitle(
        'LWR, joint 4 guided by 90° at link 6 and released (001, experiment 1)', fontsize=11
    )
    figure.savefig(path)


def draw_forces(bars: Sequence[ForceBars], path: Path) -> None:
    """Draw how hard a hand pulls in each direction."""
    figure = _figure(11.0, 2.4 * len(bars))
    for axes, each in zip(np.atleast_1d(figure.subplots(len(bars), 1)), bars, strict=True):
        places = np.arange(len(each.names))
        axes.bar(places, each.peak, color='#CFE5F8', label='largest')
        axes.bar(places, each.force, width=0.5, color=_LINE, label='mean')
        axes.axhline(each.limit, color=_LIMIT, ls='--', lw=1.0, label=f'goal: {each.limit:g} N')
        axes.set_xticks(places, each.names, fontsize=9)
        axes.set_ylabel('force [N]')
        axes.set_ylim(0.0, 1.3 * max(each.limit, float(each.peak.max())))
        axes.set_title(
            f'{each.title}: median {np.median(each.force):.1f} N, '
            f'largest {each.force.max():.1f} N',
            fontsize=10,
        )
        axes.grid(axis='y', alpha=0.3, lw=0.5)
        axes.legend(fontsize=8, ncols=3, loc='upper left')
    figure.suptitle('Force of a hand of 1000 N/m that leads the tip at 0.1 m/s', fontsize=11)
    figure.savefig(path)


def draw_stability(panels: Sequence[StabilityPanel], path: Path) -> None:
    """Draw the stable region of each panel, stiffness of the hand by delay."""
    rows = 1 if len(panels) <= _MOST_COLUMNS else 2
    columns = -(-len(panels) // rows)
    figure = _figure(3.4 * columns, 3.3 * rows + 0.9)
    grid = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    for axes, panel in zip(grid.flat, panels, strict=False):
        _draw_map(axes, panel)
    for axes in grid[-1]:
        axes.set_xlabel('delay of the torque [ms]')
    for axes in grid[:, 0]:
        axes.set_ylabel('stiffness of the hand [N/m]')
    figure.legend(
        handles=[
            Patch(color=_STABLE, label='stable'),
            Patch(color=_UNSTABLE, label='unstable'),
            Patch(fill=False, edgecolor=_HUMAN, lw=2.0, label='human arms, up to 4 ms'),
        ],
        loc='outside lower center',
        ncols=3,
        fontsize=9,
    )
    figure.suptitle('A tip that is held by a hand: which motion decays', fontsize=11)
    figure.savefig(path)


def _draw_map(axes: Axes, panel: StabilityPanel) -> None:
    colours = ListedColormap([_UNSTABLE, _STABLE])
    axes.imshow(
        panel.stable.astype(float), origin='lower', aspect='auto', cmap=colours, vmin=0, vmax=1
    )
    rows, columns = panel.stable.shape
    axes.set_xticks(range(columns), [f'{1e3 * delay:g}' for delay in panel.delay], fontsize=8)
    axes.set_yticks(range(rows), [f'{stiffness:g}' for stiffness in panel.stiffness], fontsize=8)
    axes.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
    axes.grid(which='minor', color='white', lw=1.0)
    axes.tick_params(which='minor', length=0)
    wide = float(np.count_nonzero(panel.delay <= panel.human_delay * (1.0 + 1e-9)))
    high = float(np.count_nonzero(panel.stiffness <= panel.human_stiffness))
    axes.add_patch(Rectangle((-0.5, -0.5), wide, high, fill=False, ec=_HUMAN, lw=3.0, zorder=5))
    axes.set_title(panel.title, fontsize=9)


def draw_effective_mass(push: ElbowPush, path: Path) -> None:
    """Draw how the tip gets lighter while the elbow is pushed and the tip stays."""
    figure = _figure(9.0, 6.4)
    mass, elbow, tip = figure.subplots(3, 1, sharex=True)
    mass.plot(push.time, push.mass, color=_LINE)
    mass.set_ylabel('effective mass\nof the tip, y [kg]')
    elbow.plot(push.time, 1e3 * push.elbow, color=_LINE)
    elbow.set_ylabel('elbow, along\nthe hint [mm]')
    tip.plot(push.time, 1e3 * push.tip, color=_LINE)
    tip.set_ylabel('tip, from where\nit was [mm]')
    tip.set_xlabel('time [s]')
    for axes in (mass, elbow, tip):
        axes.axvspan(push.grip, push.release, color=_HAND, lw=0.0, label='hand on the elbow')
        axes.grid(alpha=0.3, lw=0.5)
    mass.legend(fontsize=9)
    figure.suptitle('LWR, elbow pushed aside, flange kept (001, experiment 3)', fontsize=11)
    figure.savefig(path)


def _figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH, layout='constrained')
    FigureCanvasAgg(figure)
    return figure
