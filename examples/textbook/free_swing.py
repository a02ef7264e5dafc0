"""The arm let go: nothing but gravity moves it, so that its energy must stay what it was."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import Array, JointState
from simloop_ros.plants.pinocchio_plant import PinocchioPlant
from simloop_ros.robot.model import RobotModel

from .two_link import TwoLinkArm, forward_dynamics, kinetic_energy, potential_energy

Advance = Callable[[JointState], JointState]
"""One step of an integrator: from the state before it to the state after it."""


class Swing(msgspec.Struct, frozen=True):
    """How the arm swings.

    :ivar time: [s], shape ``(steps + 1,)``.
    :ivar theta: [rad], shape ``(steps + 1, 2)``.
    :ivar velocity: [rad/s], shape ``(steps + 1, 2)``.
    """

    time: Array
    theta: Array
    velocity: Array

    def energy(self, arm: TwoLinkArm) -> Array:
        """Return ``K + P`` [J], shape ``(steps + 1,)``."""
        moving = kinetic_energy(arm, self.theta, self.velocity)
        return moving + potential_energy(arm, self.theta)

    def energy_error(self, arm: TwoLinkArm) -> float:
        """Return how far the energy goes from its first value [J]."""
        energy = self.energy(arm)
        return float(np.abs(energy - energy[0]).max())


def free_swing(advance: Advance, start: JointState, step: float, duration: float) -> Swing:
    """Let the arm go and take steps until ``duration`` is over.

    :param advance: the integrator, made for ``step``.
    :param step: [s].
    :param duration: a whole number of steps [s].
    """
    if not 0.0 < step <= duration < np.inf:
        raise ConfigError(
            f'a swing of {duration:g} s in steps of {step:g} s: give a step above 0, and a '
            'duration that is not shorter'
        )
    steps = round(duration / step)
    if not np.isclose(steps * step, duration, rtol=1e-9, atol=0.0):
        raise ConfigError(
            f'a swing of {duration:g} s is no whole number of steps of {step:g} s: give '
            f'{steps * step:g} s, or steps of {duration / steps:g} s'
        )
    states = [start]
    for _ in range(steps):
        states.append(advance(states[-1]))
    return Swing(
        np.arange(steps + 1) * np.float64(step),
        np.array([state.position for state in states]),
        np.array([state.velocity for state in states]),
    )


def semi_implicit_euler(model: RobotModel, step: float) -> Advance:
    """Return the steps of the simulated robot: its energy error is of the first order in ``step``.

    Semi-implicit Euler of ``PinocchioPlant``, 000 (5.3) and (5.4).
    """
    plant = PinocchioPlant(model, step)
    nothing = np.zeros(model.n)

    def advance(state: JointState) -> JointState:
        plant.start(state)
        plant.step(nothing)
        return plant.truth

    return advance


def runge_kutta(arm: TwoLinkArm, step: float) -> Advance:
    """Return the classic steps of the fourth order, with the closed forms."""
    nothing = np.zeros(2)

    def rate(state: Array) -> Array:
        acceleration = forward_dynamics(arm, state[0], state[1], nothing)
        return np.stack([state[1], acceleration])

    def advance(state: JointState) -> JointState:
        x = np.stack([state.position, state.velocity])
        k1 = rate(x)
        k2 = rate(x + 0.5 * step * k1)
        k3 = rate(x + 0.5 * step * k2)
        k4 = rate(x + step * k3)
        position, velocity = x + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        return JointState(position, velocity)

    return advance
