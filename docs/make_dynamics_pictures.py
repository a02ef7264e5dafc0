"""Make the pictures of ``docs/dynamics.md``.

``PYTHONPATH=benchmarks:examples python docs/make_dynamics_pictures.py [NAME ...]``;
``make pictures`` makes those of all pages.

Without names all are made, as PNG files in ``docs/images``. ``move`` and ``missing``
print their tables too.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import runpy
import sys

from matplotlib.figure import Figure
from matplotlib.patches import Arc
import numpy as np

from simloop_ros.control.laws import ComputedTorque
from simloop_ros.core.values import Array, JointState
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.robot_files import robot_config
from textbook.dynamics_figures import PARTS, draw_contributions
from textbook.read_arm import read_arm
from textbook.two_link import Contributions, lagrange

IMAGES = Path(__file__).parent / 'images'
EXAMPLE = Path(__file__).parent.parent / 'examples' / 'two_link.py'
BEGIN, END, DURATION = np.array([-1.2, 2.2]), np.array([0.9, 0.4]), 0.6
"""The driven motion: angles [rad] and time [s]; rest at both ends."""
PERIOD, FREQUENCY = 1 / 1000, 20.0
"""Of the control: step [s], and natural frequency of its error [rad/s], damped critically."""
LAST = 0.4
"""How long the end is held [s]."""
HEAVIER = 0.1
"""The share by which a robot may be heavier than its model."""
LEFT_OUT: dict[str, tuple[str, ...]] = {
    'nothing': (),
    'centrifugal, Coriolis': ('centrifugal', 'coriolis'),
    'coupling': ('coupling',),
    'gravity': ('gravity',),
    'all but inertia': ('coupling', 'centrifugal', 'coriolis', 'gravity'),
}
COLOURS = ('black', '#D98E04', '#56A8E8', '#2E8B57', '#B81D13')


def main() -> None:
    """Draw what is asked for, or everything."""
    IMAGES.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name]()
        print(name, flush=True)


def symbols() -> None:
    """Draw the arm with its symbols."""
    angles, colours = np.cumsum([0.5, 0.65]), ('#33658A', '#2E8B57')
    figure = Figure(figsize=(6.0, 5.0), layout='constrained')
    axes = figure.subplots()
    joint, before = np.zeros(2), 0.0
    for i, (angle, colour) in enumerate(zip(angles, colours, strict=True), start=1):
        along = np.array([np.cos(angle), np.sin(angle)])
        across = np.array([-along[1], along[0]])
        straight = joint + np.outer([0.0, 0.45], [np.cos(before), np.sin(before)])
        axes.plot(*straight.T, 'k:', lw=1.0)
        axes.add_patch(
            Arc(tuple(joint), 0.44, 0.44, theta1=np.rad2deg(before), theta2=np.rad2deg(angle))
        )
        middle = 0.5 * (before + angle)
        place = joint + 0.29 * np.array([np.cos(middle), np.sin(middle)])
        axes.text(*place, f'$\\theta_{i}$', fontsize=13, ha='center', va='center')
        axes.plot(*(joint + np.outer([0.0, 1.0], along)).T, color=colour, lw=14, alpha=0.35)
        axes.text(joint[0] + 0.05, joint[1] - 0.1, f'joint {i}', fontsize=10)
        for name, reach, away in ((f'c_{i}', 0.5, 0.12), ('l_1', 1.0, 0.26))[: 3 - i]:
            span = joint + away * across + np.outer([0.0, reach], along)
            axes.plot(*span.T, color='#666666', lw=1.0, marker='o', ms=3)
            place = joint + (away + 0.06) * across + 0.5 * reach * along
            axes.text(*place, f'${name}$', fontsize=12, ha='center', va='center')
        centre = joint + 0.5 * along
        weight = {'arrowstyle': '->', 'color': '#B81D13', 'lw': 1.6}
        axes.annotate('', xytext=tuple(centre), xy=(centre[0], centre[1] - 0.2), arrowprops=weight)
        axes.text(centre[0] + 0.03, centre[1] - 0.19, f'$m_{i}\\,g$', color='#B81D13', fontsize=12)
        axes.text(centre[0] + 0.07, centre[1] - 0.06, f'$m_{i},\\ I_{i}$', fontsize=12)
        axes.plot(*centre, 'o', color='black', ms=6)
        axes.plot(*joint, 'o', color='black', ms=9, mfc='white', mew=2)
        joint, before = joint + along, angle
    axes.set_aspect('equal')
    axes.margins(0.08)
    axes.set_xlabel('x [m]')
    axes.set_ylabel('z [m], upward')
    axes.grid(alpha=0.3, lw=0.5)
    figure.savefig(IMAGES / 'dynamics_symbols.png', dpi=90)


def example() -> None:
    """Draw the pictures of ``examples/two_link.py``."""
    script = runpy.run_path(str(EXAMPLE))
    script['draw'](script['let_go'](load_fit_robot(robot_config('two_link'))), IMAGES)
    for name in ('swing', 'energy'):
        (IMAGES / f'{name}.png').replace(IMAGES / f'dynamics_{name}.png')


def desired(time: Array) -> tuple[Array, Array, Array]:
    """Return angles, velocities, accelerations of the driven motion, shape ``(steps, 2)`` each.

    ``s = 10 u^3 - 15 u^4 + 6 u^5`` with ``u = t/T``: at rest at both ends, without a jump.
    """
    u = np.clip(time / DURATION, 0.0, 1.0)[:, None]
    way = END - BEGIN
    return (
        BEGIN + way * (10.0 * u**3 - 15.0 * u**4 + 6.0 * u**5),
        way * 30.0 * (u * (1.0 - u)) ** 2 / DURATION,
        way * 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u) / DURATION**2,
    )


def move() -> None:
    """Draw what the torques of the driven motion are made of, and print their largest values."""
    arm, time = read_arm(load_fit_robot(robot_config('two_link'))), _driven_time()
    title = 'A driven motion: what its torques are for'
    picture = IMAGES / 'dynamics_move.png'
    draw_contributions(arm, time, desired(time)[0], driven(), title, picture)
    print('\n'.join(move_rows()))


def driven() -> Contributions:
    """Return the parts of the torques of the driven motion, shape ``(steps, 2)`` each."""
    arm = read_arm(load_fit_robot(robot_config('two_link')))
    return lagrange(arm, *desired(_driven_time()))


def _driven_time() -> Array:
    return np.linspace(0.0, DURATION, 601)


def move_rows() -> list[str]:
    """Return the table of the largest parts [N m], as it stands in the page."""
    parts = driven()
    rows = []
    for i in range(2):
        curves = [*(getattr(parts, name) for name in PARTS), parts.torque]
        cells = [f'{np.abs(curve[:, i]).max():.1f}' for curve in curves]
        rows.append(f'| {i + 1} | ' + ' | '.join(cells) + ' |')
    return rows


def missing() -> None:
    """Draw how computed torque errs if it leaves a part out, and print the errors."""
    figure = Figure(figsize=(10.0, 4.0), layout='constrained')
    joints = figure.subplots(1, 2, sharey=True)
    for (label, left_out), colour in zip(LEFT_OUT.items(), COLOURS, strict=True):
        time, error = controlled(left_out)
        for i, axes in enumerate(joints):
            axes.plot(time, np.rad2deg(error[:, i]), color=colour, label=label, lw=1.4)
    for i, axes in enumerate(joints):
        axes.axvline(DURATION, color='#666666', ls=':', lw=1.0)
        axes.set_title(f'Joint {i + 1}', fontsize=10)
        axes.set_xlabel('time [s]')
        axes.grid(alpha=0.3, lw=0.5)
    joints[0].set_ylabel('desired minus actual angle [°]')
    joints[1].legend(title='left out', fontsize=9)
    figure.suptitle('Computed torque (3.5), with parts of the dynamics left out', fontsize=11)
    figure.savefig(IMAGES / 'dynamics_missing.png', dpi=90)
    print('\n'.join(missing_rows()))


def missing_rows() -> list[str]:
    """Return the table of errors [°], largest and last of each joint, as it stands in the page."""
    errors = {label: controlled(left_out)[1] for label, left_out in LEFT_OUT.items()}
    errors['nothing, but the robot is 10 % heavier'] = controlled((), HEAVIER)[1]
    rows = []
    for label, error in errors.items():
        values = np.rad2deg([*np.abs(error).max(axis=0), *error[-1]])
        cells = [f'{value.round(2) + 0.0:.2f}' for value in values]  # + 0.0: no negative zero
        rows.append(f'| {label} | ' + ' | '.join(cells) + ' |')
    return rows


def controlled(left_out: tuple[str, ...], heavier: float = 0.0) -> tuple[Array, Array]:
    """Return time [s] and position error [rad] under computed torque without some parts.

    :param heavier: share by which the robot is heavier than the model of the control.
    """
    model = load_fit_robot(robot_config('two_link'))
    arm, plant = read_arm(model), PinocchioPlant(model.with_mass_bias(heavier), PERIOD)
    law = ComputedTorque(PERIOD, FREQUENCY, 1.0)
    time = PERIOD * np.arange(round((DURATION + LAST) / PERIOD) + 1)
    wanted = desired(time)[0]
    start = JointState(BEGIN, np.zeros(2))
    plant.start(start)
    law.start(start)
    error = [np.zeros(2)]
    for goal in wanted[1:]:
        state = plant.truth
        a = law.acceleration(state, (goal - state.position) / PERIOD)
        parts = lagrange(arm, state.position, state.velocity, a)
        plant.step(parts.torque - sum(getattr(parts, name) for name in left_out))
        error.append(goal - plant.truth.position)
    return time, np.array(error)


PICTURES: dict[str, Callable[[], None]] = {
    'symbols': symbols,
    'example': example,
    'move': move,
    'missing': missing,
}

if __name__ == '__main__':
    main()
