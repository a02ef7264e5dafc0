"""The figures of the two-link arm as PNG files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
import msgspec
import numpy as np

from simloop_ros.core.values import Array
from simloop_ros.report.figures import DOTS_PER_INCH

from .free_swing import Swing
from .two_link import Contributions, TwoLinkArm

PARTS = {
    'inertia': ('inertia', '#33658A', '-'),
    'coupling': ('coupling', '#56A8E8', '--'),
    'centrifugal': ('centrifugal', '#D98E04', '-'),
    'coriolis': ('Coriolis', '#AA3377', '--'),
    'gravity': ('gravity', '#2E8B57', '-'),
}
"""Name in the legend, colour and line of each part of a torque."""
_FIRST, _FOURTH = '#B81D13', '#33658A'


class EnergyStudy(msgspec.Struct, frozen=True, kw_only=True):
    """The same free swing with smaller and smaller steps.

    :ivar arm: what swings.
    :ivar first: swings of the simulated robot, by step [s].
    :ivar fourth: swings of the integrator of fourth order, by step [s].
    """

    arm: TwoLinkArm
    first: Mapping[float, Swing]
    fourth: Mapping[float, Swing]


def draw_energy(study: EnergyStudy, path: Path) -> None:
    """Draw how the energy of a free swing errs, over time and by the step."""
    figure = _figure(11.0, 4.2)
    course, order = figure.subplots(1, 2, width_ratios=(1.25, 1.0))
    shades = np.linspace(1.0, 0.35, len(study.first))
    for (step, swing), shade in zip(study.first.items(), shades, strict=True):
        energy = swing.energy(study.arm)
        course.plot(
            swing.time, energy - energy[0], color=_FIRST, alpha=shade, label=_step(step), lw=1.3
        )
    course.set_title('The simulated robot: energy in excess of the first', fontsize=10)
    course.set_xlabel('time [s]')
    course.set_ylabel('K + P − its first value [J]')
    course.legend(fontsize=9)

    for label, colour, power, swings in (
        ('semi-implicit Euler, the plant', _FIRST, 1, study.first),
        ('Runge-Kutta, the closed forms', _FOURTH, 4, study.fourth),
    ):
        steps = np.array(list(swings))
        errors = np.array([swing.energy_error(study.arm) for swing in swings.values()])
        order.loglog(steps, errors, 'o', color=colour, label=label, ms=5)
        through = errors[-1] * (steps / steps[-1]) ** power
        slope = 'in proportion to h' + (f'^{power}' if power > 1 else '')
        order.loglog(steps, through, color=colour, lw=1.0, label=slope)
    order.set_title('Largest energy error by the step', fontsize=10)
    ticks = sorted({*study.first, *study.fourth})
    order.set_xticks(ticks, [f'1/{1.0 / step:.0f}' for step in ticks], minor=False)
    order.set_xticks([], minor=True)
    order.set_xlabel('step h [s]')
    order.set_ylabel('largest |K + P − its first value| [J]')
    order.legend(fontsize=9)
    _save(figure, path)


def draw_contributions(
    arm: TwoLinkArm, time: Array, theta: Array, parts: Contributions, title: str, path: Path
) -> None:
    """Draw a motion, and what the torque of each joint is made of.

    :param time: [s], shape ``(steps,)``.
    :param theta: [rad], shape ``(steps, 2)``.
    :param parts: shape ``(steps, 2)`` each.
    """
    figure = _figure(13.0, 4.4)
    poses, *joints = figure.subplots(1, 3, width_ratios=(0.9, 1.0, 1.0))
    _draw_poses(poses, arm, time, theta)
    for i, axes in enumerate(joints):
        for name, (label, colour, line) in PARTS.items():
            values = getattr(parts, name)[:, i]
            axes.plot(time, values, line, color=colour, label=label, lw=1.4)
        # Beneath the others, which may be zero as well.
        axes.plot(time, parts.torque[:, i], color='black', label='τ, the sum', lw=2.4, zorder=1.5)
        axes.set_title(f'Torque of joint {i + 1}', fontsize=10)
        axes.set_xlabel('time [s]')
        axes.set_ylabel('[N m]')
    joints[0].legend(fontsize=8, ncols=2)
    figure.suptitle(title, fontsize=11)
    _save(figure, path)


def _draw_poses(axes: Axes, arm: TwoLinkArm, time: Array, theta: Array, count: int = 9) -> None:
    """Draw the arm at equal times, darker as they pass; link 2 twice as long as to its centre."""
    chosen = np.linspace(0, len(time) - 1, count).round().astype(int)
    for place, k in enumerate(chosen):
        first, both = theta[k, 0], theta[k].sum()
        elbow = arm.l1 * np.array([np.cos(first), np.sin(first)])
        end = elbow + 2.0 * arm.c2 * np.array([np.cos(both), np.sin(both)])
        shade = 0.2 + 0.8 * place / (count - 1)
        for begin, finish, colour in ((np.zeros(2), elbow, _FOURTH), (elbow, end, '#2E8B57')):
            axes.plot(*np.stack([begin, finish], axis=1), color=colour, alpha=shade, lw=3.0)
        if place in (0, count - 1):
            box = {'facecolor': 'white', 'edgecolor': 'none', 'alpha': 0.8, 'pad': 1.0}
            beyond = elbow + 1.15 * (end - elbow)
            axes.text(beyond[0], beyond[1], f'{time[k]:.2f} s', fontsize=8, ha='center', bbox=box)
    axes.plot(0.0, 0.0, 's', color='#666666', ms=9)
    axes.set_aspect('equal', adjustable='box')
    axes.margins(0.12)
    axes.set_title(f'The motion, every {time[chosen[1]] - time[0]:.3g} s', fontsize=10)
    axes.set_xlabel('x [m]')
    axes.set_ylabel('z [m]')


def _step(step: float) -> str:
    return f'h = 1/{1.0 / step:.0f} s'


def _figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), dpi=DOTS_PER_INCH, layout='constrained')
    FigureCanvasAgg(figure)
    return figure


def _save(figure: Figure, path: Path) -> None:
    for axes in figure.axes:
        axes.grid(alpha=0.3, lw=0.5)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
