"""Make the pictures of ``docs/bimanual.md``.

``PYTHONPATH=benchmarks:examples python docs/make_bimanual_pictures.py [NAME ...]``;
``make pictures`` makes those of all pages.

Without names all are made, as PNG files in ``docs/images``: figures 12 to 15 and 17 of 003, a
carry, a grip by friction with and without force control, and the stop of one arm.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import sys
import tempfile
from time import perf_counter

from matplotlib.figure import Figure
import numpy as np

from simloop_bench.bimanual_runs import STIFFNESSES
from simloop_bench.hands_run import HandsRun, run_hands
from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.report.bimanual_figures import (
    draw_carry,
    draw_correction,
    draw_hands,
    draw_internal_forces,
)
from simloop_ros.report.contact_peak import ForceCourse
from simloop_ros.report.drawing import DOTS_PER_INCH, GREY, RED, Mark
from simloop_ros.report.hand_curves import HandCurves, hand_curves
from simloop_ros.report.joint_figures import COLOURS
from simloop_ros.scenario.loading import load_scenario

IMAGES = Path(__file__).parent / 'images'
HOLD, GRIP = 'workerbot_hold', 'workerbot_grip'
STIFF = 'plant.object.stiffness=5e5'
NO_BEAM = (
    'plant.object=null',
    'bimanual.tasks=[{do: approach, path: cp, clearance: 0.005, durations: [0.5]}, '
    '{do: grasp, press: 0.001, squeeze: 0.5, durations: [0.3], expect: false}, '
    '{do: hold, duration: 1}]',
)
"""Settings of the hold: nothing is there, and nobody expects it."""
STOP, STOPPED = 2.5, 'palm_l'
"""When an arm stops [s], and which: where the carry is fastest."""
BEFORE, AFTER = 0.02, 0.15
"""Time that is shown around a stop [s]."""


def main() -> None:
    """Draw what is asked for, or everything."""
    IMAGES.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name]().savefig(IMAGES / f'bimanual_{name}.png')
        print(name, flush=True)


def joints() -> Figure:
    """Draw how the joints move without a beam and with one: 003, 12 and 13."""
    runs = {
        'without a beam (003, figure 12)': run_hands(HOLD, NO_BEAM),
        'with a beam, K = 5e5 N/m (003, figure 13)': run_hands(HOLD, (STIFF,)),
    }
    figure = Figure(figsize=(10.0, 6.4), dpi=DOTS_PER_INCH, layout='constrained')
    grid = figure.subplots(2, 2, sharex=True, sharey=True)
    for column, (title, found) in zip(grid.T, runs.items(), strict=True):
        change = 1e3 * (found.true - found.true[0])
        half = change.shape[1] // 2
        for axes, part, arm in zip(
            column, (change[:, :half], change[:, half:]), ('left', 'right'), strict=True
        ):
            # From thick to thin: where joints move alike, all are seen.
            for i, width in enumerate(np.linspace(3.2, 1.0, half)):
                axes.plot(
                    found.time, part[:, i], color=COLOURS[i], lw=width, label=f'joint {i + 1}'
                )
            axes.set_title(f'{arm} arm, {title}', fontsize=9)
            axes.set_ylabel('change [mrad]', fontsize=9)
            axes.grid(alpha=0.3, lw=0.5)
        column[-1].set_xlabel('time [s]', fontsize=9)
    figure.suptitle('Joint positions since the start: workerbot_hold', fontsize=11)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), loc='outside lower center', ncols=7)
    return figure


def force() -> Figure:
    """Draw the internal force for three beams: 003, 14."""
    courses = []
    for stiffness in STIFFNESSES:
        found = run_hands(HOLD, (f'plant.object.stiffness={stiffness}',))
        courses.append(ForceCourse(f'K = {stiffness} N/m', found.time, found.squeeze))
    return draw_internal_forces(courses, f'{HOLD}, three beams', setpoint=0.5)


def correction() -> Figure:
    """Draw by how much the left hand leaves its path: 003, 15."""
    return draw_correction(_curves(HOLD, STIFF).correction(0), 'left hand, K = 5e5 N/m')


def uneven() -> Figure:
    """Draw both hands where the right one is faster: 003, 17."""
    return draw_hands(_curves('workerbot_uneven').hands, 'the right arm is faster')


def carry() -> Figure:
    """Draw the errors of squeeze and path in a carry, of both robots."""
    runs = [_curves(f'{robot}_carry').carry(robot) for robot in ('workerbot', 'yumi')]
    title = '0.3 m and 30° in 2 s; robot 10 % heavier, sensors with noise and bias'
    return draw_carry(runs, title)


def grip() -> Figure:
    """Draw a beam that is held by friction and pushed, with and without force control."""
    push = load_scenario(GRIP).plant.pushes[0]
    off = ('bimanual.force_control=false',)
    runs = {'force control': run_hands(GRIP), 'no force control': run_hands(GRIP, off)}
    figure = Figure(figsize=(8.8, 5.4), dpi=DOTS_PER_INCH, layout='constrained')
    above, below = figure.subplots(2, 1, sharex=True)
    for (label, found), colour in zip(runs.items(), (COLOURS[0], COLOURS[1]), strict=True):
        height = 1e3 * (found.object[:, 2] - found.object[0, 2])
        above.plot(found.time, height, color=colour, lw=1.6, label=label)
        below.plot(found.time, found.squeeze, color=colour, lw=1.2, label=label)
    above.set_ylabel('height over the table [mm]', fontsize=9)
    below.set_ylabel('internal force [N]', fontsize=9)
    below.set_xlabel('time [s]', fontsize=9)
    for axes in (above, below):
        axes.axvspan(
            push.start,
            push.start + push.duration,
            color=GREY,
            alpha=0.3,
            lw=0.0,
            label=f'pushed down by {-push.force[2]:g} N',
        )
        axes.grid(alpha=0.3, lw=0.5)
        axes.set_xlim(0.0, found.time[-1])
    above.legend(fontsize=9, loc='upper left')
    figure.suptitle(f'{GRIP}: a beam 1.9 mm shorter than known, held by friction', fontsize=11)
    return figure


def stop() -> Figure:
    """Draw what happens when the brakes of one arm engage while both carry the object."""
    found = run_hands(
        'workerbot_carry',
        (f'plant.stops=[{{tip: {STOPPED}, start: {STOP}}}]', f'duration={STOP + AFTER}'),
    )
    shown = found.time > STOP - BEFORE
    time = 1e3 * (found.time[shown] - STOP)
    figure = Figure(figsize=(8.8, 5.4), dpi=DOTS_PER_INCH, layout='constrained')
    above, below = figure.subplots(2, 1, sharex=True)
    for speed, label, colour in zip(
        found.speeds[shown].T,
        ('left arm: its brakes engage', 'right arm'),
        (COLOURS[1], COLOURS[0]),
        strict=True,
    ):
        above.plot(time, speed, color=colour, lw=1.6, label=label)
    above.set_ylabel('speed of the palm [m/s]', fontsize=9)
    above.set_ylim(bottom=0.0)
    below.plot(time, found.squeeze[shown], color=COLOURS[2], lw=1.6, label='internal force')
    below.axhline(20.0, color=GREY, lw=0.9, ls='--', label='setpoint')
    below.axhline(40.0, color=RED, lw=0.9, ls='--', label='limit')
    below.set_ylim(0.0, 45.0)
    below.set_ylabel('internal force [N]', fontsize=9)
    below.set_xlabel('time since the brakes engage [ms]', fontsize=9)
    for axes in (above, below):
        for mark in _stop_marks(found):
            axes.axvline(mark.time, color=GREY, lw=0.9, ls=':')
        axes.grid(alpha=0.3, lw=0.5)
        axes.set_xlim(-1e3 * BEFORE, 1e3 * AFTER)
    above.legend(fontsize=9, loc='center right')
    below.legend(fontsize=9, loc='lower right')
    for mark in _stop_marks(found):
        above.annotate(
            mark.label,
            (mark.time, 0.02),
            xycoords=('data', 'axes fraction'),
            xytext=(3, 0),
            textcoords='offset points',
            rotation=90,
            fontsize=8,
            va='bottom',
        )
    figure.suptitle('One arm stops in the middle of workerbot_carry', fontsize=11)
    return figure


def _stop_marks(found: HandsRun) -> list[Mark]:
    """Return what happened, in ms since the stop."""
    assert found.halt is not None
    return [Mark(0.0, 'brakes'), Mark(1e3 * (found.halt[0] - STOP), 'detected')]


def _curves(name: str, *settings: str) -> HandCurves:
    """Return what two hands did in a shipped scenario."""
    with tempfile.TemporaryDirectory() as folder:
        summary = run(assemble(load_scenario(name, settings)), Path(folder), perf_counter)
        return hand_curves(Path(folder), summary)


PICTURES: dict[str, Callable[[], Figure]] = {
    'joints': joints,
    'force': force,
    'correction': correction,
    'uneven': uneven,
    'carry': carry,
    'grip': grip,
    'stop': stop,
}

if __name__ == '__main__':
    main()
