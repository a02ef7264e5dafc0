"""Figures of two arms on one object: 14, 15 and 17 of 003, and the carried object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
import msgspec
import numpy as np

from ..core.values import Array, Flags
from .contact_peak import ForceCourse, peak_of, peak_text
from .drawing import (
    GREY,
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
from .joint_figures import COLOURS
from .ranges import rounding_text
from .units import scale_for

SQUEEZE_BAND = 1.0
"""Allowed difference of the squeeze from its setpoint [N]."""
PATH_BAND = 1.0
"""Allowed distance of the object from its path [mm]."""
BAND_SHARE = 0.3
"""Part of what is allowed from which on errors are drawn beside it."""
ZOOM_BEFORE, ZOOM_AFTER = 0.5, 6.0
"""What is shown of a contact, as multiples of the time in which the force rises."""
_BAND, _BEAM = '#CFE0EE', '#EAD7B8'
_AXES = ('x', 'y', 'z')


class CorrectionCourse(msgspec.Struct, frozen=True):
    """Path correction of one hand, in axes of the object.

    :ivar time: [s], shape ``(steps,)``.
    :ivar position: [m], shape ``(steps, 3)``.
    :ivar rotation: rotation vector [rad], shape ``(steps, 3)``.
    """

    time: Array
    position: Array
    rotation: Array


class HandsCourse(msgspec.Struct, frozen=True):
    """Positions of two hands along the beam, from the planned place of its middle.

    :ivar names: of the hands: their tips.
    :ivar time: [s], shape ``(steps,)``.
    :ivar position: of the palms along the beam's planned axis [m], shape ``(steps, 2)``; NaN where
        the place of the beam is not known.
    :ivar planned: the same without corrections, shape ``(steps, 2)``.
    :ivar ends: of the beam without load, that before each hand [m], shape ``(2,)``.
    """

    names: tuple[str, ...]
    time: Array
    position: Array
    planned: Array
    ends: Array


class CarryCourse(msgspec.Struct, frozen=True):
    """Squeeze and path error of one run.

    :ivar label: of the run, for instance ``mass +10 %``.
    :ivar time: [s], shape ``(steps,)``, as everything below.
    :ivar squeeze: internal force along the line between the hands [N].
    :ivar setpoint: of the squeeze [N]; NaN while the hands are free or halted.
    :ivar carried: whether the object is moved: where the errors count.
    :ivar error: distance of the object from its path [m]; NaN where that is not known.
    """

    label: str
    time: Array
    squeeze: Array
    setpoint: Array
    carried: Flags
    error: Array


def draw_internal_forces(
    runs: Sequence[ForceCourse],
    title: str,
    setpoint: float | Array = 0.0,
    events: Sequence[Mark] = (),
) -> Figure:
    """Draw the internal force of several runs, on the right its peak at the contact: 003, 14.

    :param setpoint: of the force [N]; or in each step of the first run, shape ``(steps,)``, NaN
        while there is none.
    """
    figure, (whole, near) = empty_figure(1, 2, 3.6)
    setpoints = finite(np.atleast_1d(setpoint))
    known = setpoints[np.isfinite(setpoints)]
    aim = float(known[-1]) if known.size else 0.0
    peaks = [peak_of(run, aim) for run in runs]
    for ax in (whole, near):
        for i, (run, peak) in enumerate(zip(runs, peaks, strict=True)):
            label = run.label if peak is None else f'{run.label}: {peak_text(peak, events)}'
            colour = COLOURS[i % len(COLOURS)]
            ax.plot(run.time, finite(run.force), color=colour, lw=1.4, label=label)
        if known.any():
            label = 'setpoint' if np.ptp(known) else f'setpoint: {aim:g} N'
            style: dict[str, Any] = {'color': GREY, 'lw': 0.9, 'ls': '--', 'label': label}
            if isinstance(setpoint, float):
                ax.axhline(setpoint, **style)
            else:
                ax.plot(runs[0].time, setpoints, drawstyle='steps-pre', **style)
        ax.axhline(0.0, color=GREY, lw=0.6)
        _label(ax, 'internal force [N]')
    end = _limit(whole, [run.time for run in runs])
    touched = [peak for peak in peaks if peak is not None]
    if touched:
        begin = min(peak.contact for peak in touched)
        span = max(max(peak.risen for peak in touched) - begin, _shortest_step(runs))
        near.set_xlim(
            max(begin - ZOOM_BEFORE * span, 0.0), min(begin + ZOOM_AFTER * span, end or np.inf)
        )
    else:
        near.clear()
        say(near, 'the hands touch nothing')
        near.set_xticks([])
    whole.set_title('the whole run', fontsize=9, pad=3, bbox=WHITE)
    near.set_title('the contact', fontsize=9, pad=3)
    above = draw_marks(whole, readable(events, _longest(runs)), labelled=True)
    seen = 'Internal force: how hard the two hands press on the object'
    head(figure, *whole.get_legend_handles_labels(), seen, title, above=above)
    return figure


def draw_correction(course: CorrectionCourse, title: str, events: Sequence[Mark] = ()) -> Figure:
    """Draw the path correction of a hand, in axes of the object: 003, 15."""
    figure, grid = empty_figure(2, 1, 2.4)
    marks = readable(events, course.time)
    above = []
    for ax, values, quantity, unit in (
        (grid[0], course.position, 'position', 'm'),
        (grid[1], course.rotation, 'rotation', 'rad'),
    ):
        largest = float(np.fmax.reduce(np.abs(finite(values)).ravel(), initial=0.0))
        scale = scale_for(largest, unit)
        _label(ax, f'{quantity} [{scale.unit}]')
        _limit(ax, [course.time])
        note = rounding_text(largest, 0.0, unit)
        shown = slice(0 if note else None)
        for axis, name in enumerate(_AXES):
            # From thick to thin: where two are the same, both are seen.
            ax.plot(
                course.time[shown],
                finite(values[shown, axis]) / scale.factor,
                color=COLOURS[axis],
                lw=2.4 - 0.6 * axis,
                label=f'{name} of the object',
            )
        if note:
            say(ax, note)
        above.append(draw_marks(ax, marks, labelled=ax is grid[0]))
    seen = 'Path correction: how far force control takes a hand from its plan'
    head(figure, *grid[0].get_legend_handles_labels(), seen, title, above=above[0])
    return figure


def draw_hands(course: HandsCourse, title: str, events: Sequence[Mark] = ()) -> Figure:
    """Draw each hand along the beam over time, and the end of the beam before it: 003, 17.

    The axes are two, because the hands are far apart and their motion is small.
    """
    figure, grid = empty_figure(2, 1, 2.4)
    marks = readable(events, course.time)
    above: list[float] = []
    low, high = 1e3 * np.sort(course.ends)
    whole = bool(np.isfinite(course.position).all())
    hands = 'hand' if whole else 'hand; both while the place of the beam is known'
    for i, (ax, hand) in enumerate(zip(grid, course.names, strict=True)):
        for values, label, style, width in (
            (course.planned, 'planned', '--', 1.0),
            (course.position, hands, '-', 1.6),
        ):
            line = 1e3 * finite(values[:, i])
            ax.plot(course.time, line, color=COLOURS[0], lw=width, ls=style, label=label)
        ax.set_ylim(*_around(ax, 1e3 * float(course.ends[i])))
        ax.axhspan(low, high, color=_BEAM, lw=0.0, label='beam, before it is touched', zorder=0)
        _label(ax, f'{shortened(hand, 14)}, along the beam [mm]')
        _limit(ax, [course.time])
        above.append(draw_marks(ax, marks, labelled=ax is grid[0]))
    seen = 'Both hands along the beam, from its planned middle: as planned, and as corrected'
    head(figure, *grid[0].get_legend_handles_labels(), seen, title, above=above[0])
    return figure


def draw_carry(runs: Sequence[CarryCourse], title: str, events: Sequence[Mark] = ()) -> Figure:
    """Draw the squeeze, its difference from the setpoint, and the path error of the object.

    The setpoint is that of the first run. The difference and the largest errors in the legend are
    those while the object is moved, as in the summary.
    """
    figure, (squeeze, off, error) = empty_figure(3, 1, 2.0)
    for i, run in enumerate(runs):
        colour = COLOURS[i % len(COLOURS)]
        squeeze.plot(run.time, finite(run.squeeze), color=colour, lw=1.2, label=_held(run))
        off.plot(run.time, _off(run), color=colour, lw=1.0)
        error.plot(run.time, 1e3 * finite(run.error), color=colour, lw=1.2)
    for run in runs[:1]:
        setpoint = finite(run.setpoint)
        squeeze.plot(run.time, setpoint, color=GREY, lw=0.9, ls='--', label='setpoint')
    _label(squeeze, 'squeeze [N]')
    _label(off, 'squeeze − setpoint [N]')
    _label(error, 'from its path [mm]')
    _allowed(off, [_off(run) for run in runs], SQUEEZE_BAND, 'N')
    _allowed(error, [1e3 * finite(run.error) for run in runs], PATH_BAND, 'mm')
    marks = readable(events, _longest(runs))
    for ax in (squeeze, error):
        ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    above = []
    for ax in (squeeze, off, error):
        _limit(ax, [run.time for run in runs])
        above.append(draw_marks(ax, marks, labelled=ax is squeeze))
    seen = 'Carried by two arms: how hard they press the object, and how far it is from its path'
    head(figure, *squeeze.get_legend_handles_labels(), seen, title, above=above[0])
    return figure


def _allowed(ax: Axes, curves: Sequence[Array], limit: float, unit: str) -> None:
    """Draw the allowed band, where the curves do not vanish beside it, and say what it is."""
    values = np.concatenate([*curves, np.zeros(0)])
    text = f'allowed: {limit:g} {unit}'
    if not np.isfinite(values).any():
        say(ax, 'the object is not carried')
    elif np.nanmax(np.abs(values)) > BAND_SHARE * limit:
        # Distances are never negative.
        low = -limit if np.nanmin(values) < 0.0 else 0.0
        ax.axhspan(low, limit, color=_BAND, lw=0.0, zorder=0)
    else:
        text += ', beyond these axes'
    ax.set_title(text, fontsize=8, loc='right', color=GREY, pad=3)


def _off(run: CarryCourse) -> Array:
    """Return squeeze minus setpoint while the object is moved [N]."""
    return finite(np.where(run.carried, run.squeeze - run.setpoint, np.nan))


def _held(run: CarryCourse) -> str:
    """Return the label of a run, with its largest errors while the object is moved."""
    distance = 1e3 * finite(np.where(run.carried, run.error, np.nan))
    worst = [
        f'{np.nanmax(values):.2g} {unit}'
        for values, unit in ((np.abs(_off(run)), 'N'), (distance, 'mm'))
        if np.isfinite(values).any()
    ]
    return f'{run.label}: at most {" and ".join(worst)} off' if worst else run.label


def _around(ax: Axes, value: float) -> tuple[float, float]:
    """Return limits of the vertical axis that hold its lines and a value, with some room."""
    low, high = ax.get_ylim()
    room = 0.15 * (max(high, value) - min(low, value))
    return min(low, value - room), max(high, value + room)


def _label(ax: Axes, quantity: str) -> None:
    ax.set_ylabel(quantity, fontsize=9, parse_math=False)
    ax.set_xlabel('time [s]', fontsize=9)
    ax.grid(alpha=0.3, lw=0.5)
    ax.tick_params(labelsize=8)


def _limit(ax: Axes, times: Sequence[Array]) -> float | None:
    """Show all of the time, and return its end [s]; ``None`` where there is none."""
    end = max((float(time[-1]) for time in times if len(time) > 1), default=None)
    if end is not None:
        ax.set_xlim(0.0, end)
    return end


def _longest(runs: Sequence[ForceCourse] | Sequence[CarryCourse]) -> Array:
    return max((run.time for run in runs), key=len, default=np.empty(0))


def _shortest_step(runs: Sequence[ForceCourse]) -> float:
    return min(
        (float(run.time[1] - run.time[0]) for run in runs if len(run.time) > 1), default=1.0
    )
