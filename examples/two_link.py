"""The textbook's two-link arm beside Pinocchio: ``python examples/two_link.py [FOLDER]``.

Prints every D term of 004 and the torque at a pose, then lets the arm go and prints how well its
energy is kept. Writes ``swing.png`` and ``energy.png`` to FOLDER; see ``docs/dynamics.md``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
import sys

import msgspec
import numpy as np
import pinocchio as pin

from simloop_ros.core.errors import USER_ERROR, ConfigError, SimloopError
from simloop_ros.core.values import Array, JointState
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.scenario.robot_files import robot_config
from textbook.dynamics_figures import EnergyStudy, draw_contributions, draw_energy
from textbook.free_swing import Swing, free_swing, runge_kutta, semi_implicit_euler
from textbook.read_arm import read_arm
from textbook.two_link import (
    Contributions,
    DTerms,
    TwoLinkArm,
    d_terms,
    forward_dynamics,
    lagrange,
    newton_euler,
)

DURATION = 2.0
"""Of the free swing [s]; it starts at rest, stretched out to the side."""
STEPS = (1 / 200, 1 / 400, 1 / 800, 1 / 1600)
"""Of both integrators [s]."""
SHOWN = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""When the parts of the swing are printed [s]."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print, draw, and return the exit status."""
    parser = argparse.ArgumentParser(description='The two-link arm in closed form.')
    parser.add_argument('folder', nargs='?', type=Path, default=Path('runs/two_link'))
    for name, default in (('theta', (0.5, 1.0)), ('velocity', (2, -3)), ('acceleration', (4, 5))):
        parser.add_argument(f'--{name}', nargs=2, type=float, default=default, metavar='X')
    options = parser.parse_args(arguments)
    try:
        model = load_fit_robot(robot_config('two_link'))
        show_arm(read_arm(model))
        theta, velocity, acceleration = (
            finite(name, getattr(options, name)) for name in ('theta', 'velocity', 'acceleration')
        )
        show_terms(model, theta)
        show_torque(model, theta, velocity, acceleration)
        study = let_go(model)
        show_swing(study)
        draw(study, options.folder)
    except SimloopError as error:
        print(f'two_link: {error}', file=sys.stderr)
        return USER_ERROR
    except OSError as error:
        print(f'two_link: {options.folder}: {error.strerror}; name another', file=sys.stderr)
        return USER_ERROR
    return 0


def finite(name: str, values: Sequence[float]) -> Array:
    """Return two numbers as an array."""
    if not np.isfinite(values).all():
        raise ConfigError(f'--{name} {values[0]} {values[1]}: give two finite numbers')
    return np.array(values, float)


def show_arm(arm: TwoLinkArm) -> None:
    """Print the numbers of the arm."""
    numbers = msgspec.structs.asdict(arm)
    print('arm   ' + '  '.join(f'{name} = {value:.6g}' for name, value in numbers.items()))


def pinocchio_terms(model: RobotModel, theta: Array) -> DTerms:
    """Return every D as Pinocchio has it: from torques of chosen motions.

    ``V(v) = rnea(q, v, 0) - g(q)`` is ``D_ijj`` for a unit velocity of joint ``j``; what both
    joints together need beyond that is ``D_i12 + D_i21``.
    """
    data = model.pin_model.createData()
    gravity = pin.computeGeneralizedGravity(model.pin_model, data, theta)

    def turning(v: Array) -> Array:
        return np.array(pin.rnea(model.pin_model, data, theta, v, np.zeros(2)) - gravity)

    first, second = np.eye(2)
    D_ijk = np.empty((2, 2, 2))
    D_ijk[:, 0, 0], D_ijk[:, 1, 1] = turning(first), turning(second)
    mixed = turning(first + second) - turning(first) - turning(second)
    D_ijk[:, 0, 1] = D_ijk[:, 1, 0] = 0.5 * mixed
    inertia = pin.crba(model.pin_model, data, theta)
    return DTerms(np.array(inertia), D_ijk, np.array(gravity))


def show_terms(model: RobotModel, theta: Array) -> None:
    """Print every D beside Pinocchio's."""
    print(f'\nat theta = {pretty(theta)} rad')
    print('term     closed form     Pinocchio  difference')
    ours, theirs = d_terms(read_arm(model), theta), pinocchio_terms(model, theta)
    for name in DTerms.__struct_fields__:
        for index, value in np.ndenumerate(getattr(ours, name)):
            label = 'D' + ''.join(str(i + 1) for i in index)
            show_pair(label, float(value), float(getattr(theirs, name)[index]))


def show_torque(model: RobotModel, theta: Array, velocity: Array, acceleration: Array) -> None:
    """Print the torque of a motion, by Lagrange and by Newton-Euler, beside Pinocchio's."""
    print(f"\nwith theta' = {pretty(velocity)} rad/s, theta'' = {pretty(acceleration)} rad/s^2")
    arm, motion = read_arm(model), (theta, velocity, acceleration)
    expected = pin.rnea(model.pin_model, model.pin_model.createData(), *motion)
    for label, torque in (
        ('Lagr.', lagrange(arm, *motion).torque),
        ('N.-E.', newton_euler(arm, *motion).torque),
    ):
        for i in range(2):
            show_pair(f'{label} {i + 1}', float(torque[i]), float(expected[i]))


def show_pair(label: str, ours: float, theirs: float) -> None:
    """Print two numbers that should be the same."""
    # Adding zero makes a negative zero a positive one.
    print(f'{label:7} {ours + 0.0:12.6f}  {theirs + 0.0:12.6f}  {abs(ours - theirs):10.0e}')


def let_go(model: RobotModel) -> EnergyStudy:
    """Let the arm swing, with each step and both integrators."""
    arm, start = read_arm(model), JointState(np.zeros(2), np.zeros(2))
    return EnergyStudy(
        arm=arm,
        first={h: free_swing(semi_implicit_euler(model, h), start, h, DURATION) for h in STEPS},
        fourth={h: free_swing(runge_kutta(arm, h), start, h, DURATION) for h in STEPS},
    )


def show_swing(study: EnergyStudy) -> None:
    """Print what the torque is made of along the swing, and how well the energy is kept."""
    swing = study.fourth[STEPS[-1]]
    parts = swing_parts(study.arm, swing)
    print('\nfree swing from rest at theta = (0, 0): torques [N m], which add up to nothing')
    print('time [s]  joint  inertia  coupling  centrifugal  Coriolis  gravity      sum')
    for time in SHOWN:
        k = round(time / STEPS[-1])
        for i in range(2):
            values = [getattr(parts, name)[k, i] + 0.0 for name in Contributions.__struct_fields__]
            inertia, coupling, centrifugal, coriolis, gravity = values
            print(
                f'{time:8.1f}  {i + 1:5d}  {inertia:7.2f}  {coupling:8.2f}  {centrifugal:11.2f}'
                f'  {coriolis:8.2f}  {gravity:7.2f}  {abs(parts.torque[k, i]):7.2f}'
            )
    print('\nstep [s]  energy error of the plant [J]  of Runge-Kutta [J]')
    for h in STEPS:
        first, fourth = (
            swings[h].energy_error(study.arm) for swings in (study.first, study.fourth)
        )
        print(f'1/{1 / h:<6.0f}  {first:29.4f}  {fourth:18.1e}')


def swing_parts(arm: TwoLinkArm, swing: Swing) -> Contributions:
    """Return what the torques of a free swing are made of."""
    nothing = np.zeros_like(swing.theta)
    acceleration = forward_dynamics(arm, swing.theta, swing.velocity, nothing)
    return lagrange(arm, swing.theta, swing.velocity, acceleration)


def draw(study: EnergyStudy, folder: Path) -> None:
    """Write the pictures."""
    swing = study.fourth[STEPS[-1]]
    now = swing.time <= 1.0
    shown = Swing(swing.time[now], swing.theta[now], swing.velocity[now])
    parts = swing_parts(study.arm, shown)
    title = 'Free swing: the parts of each torque cancel'
    draw_contributions(study.arm, shown.time, shown.theta, parts, title, folder / 'swing.png')
    draw_energy(study, folder / 'energy.png')
    print(f'\nwritten: {folder / "swing.png"}, {folder / "energy.png"}')


def pretty(values: Array) -> str:
    """Return two numbers in brackets."""
    return f'({values[0]:g}, {values[1]:g})'


if __name__ == '__main__':
    sys.exit(main())
