"""Model-based control laws: the acceleration that brings the robot to the desired position."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ..core.state import StateValue
from ..core.values import Array, JointState


class Law(StateValue):
    """Base of control laws: from control state and next desired position to a command."""

    _state: Any = None

    def start(self, state: JointState, effort: Array | None = None) -> None:
        """Forget the past.

        :param effort: present one [N m], shape ``(n,)``, where it is known.
        """


class AccelerationLaw(Law, ABC):
    """A law that gives an acceleration, which inverse dynamics turns into the effort."""

    @abstractmethod
    def acceleration(self, state: JointState, velocity: Array) -> Array:
        """Return the acceleration [rad/s^2], shape ``(n,)``.

        :param velocity: velocity that reaches the desired position in one step, 000 (5.1).
        """


class Deadbeat(AccelerationLaw):
    """000, algorithm 2: be at the desired position after one step.

    ``a = (v_d - v)/h`` with ``v_d = (q_d - q)/h``; ``rnea`` of it is the exact inverse of a
    semi-implicit Euler step.
    """

    def __init__(self, period: float):
        self._rate = np.array(1.0 / period)

    def acceleration(self, state: JointState, velocity: Array) -> Array:
        """Return ``(v_d - v)/h``."""
        a = velocity - state.velocity
        a *= self._rate
        return a


class ComputedTorque(AccelerationLaw):
    """000 (3.5): ``a = a_d + K_v (v_d - v) + K_p (q_d - q)``.

    The desired motion is the sequence of desired positions: ``v_d`` and ``a_d`` are its first and
    second differences, 000 (3.7), and the error is that of the present desired position.

    :param natural_frequency: of the error equation [rad/s], whose square is ``K_p``.
    :param damping_ratio: of the error equation; ``K_v`` is twice its product with the frequency.
    """

    _state: JointState

    def __init__(self, period: float, natural_frequency: float, damping_ratio: float):
        self._h = period
        self._kp = natural_frequency**2
        self._kv = 2.0 * damping_ratio * natural_frequency

    def start(self, state: JointState, effort: Array | None = None) -> None:  # noqa: ARG002
        """Start from a desired motion that is where the robot is."""
        self._state = state

    def acceleration(self, state: JointState, velocity: Array) -> Array:
        """Return the acceleration of (3.5)."""
        now = self._state
        desired = state.position + self._h * velocity
        desired_velocity = (desired - now.position) / self._h
        self._state = JointState(desired, desired_velocity)
        return (
            (desired_velocity - now.velocity) / self._h
            + self._kv * (now.velocity - state.velocity)
            + self._kp * (now.position - state.position)
        )
