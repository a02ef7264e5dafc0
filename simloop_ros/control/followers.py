"""The control state follows the measurements, raw or through an observer."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from ..core.state import StateValue
from ..core.values import Array, JointState
from .observer import Estimate, Observer


class Follower(StateValue, ABC):
    """From the commanded acceleration and the measurement to the next control state."""

    _state: Array | None = None

    def start(self, state: JointState) -> None:
        """Forget the past; the robot is in ``state``."""

    @abstractmethod
    def follow(self, state: JointState, acceleration: Array, measured: Array) -> JointState:
        """Return the control state after the step.

        :param acceleration: commanded in the step [rad/s^2].
        :param measured: position after the step [rad].
        """


class Measured(Follower):
    """000 as written: ``(q, v) <- (q_r, (q_r - q)/h)``, (5.6)."""

    def __init__(self, period: float):
        self._rate = np.array(1.0 / period)

    def follow(self, state: JointState, acceleration: Array, measured: Array) -> JointState:  # noqa: ARG002
        """Return the measured position and its difference quotient."""
        velocity = measured - state.position
        velocity *= self._rate
        return JointState(measured, velocity)


class Observed(Follower):
    """The estimate of an observer; its own state is the disturbance."""

    _state: Array

    def __init__(self, observer: Observer):
        self._observer = observer

    def start(self, state: JointState) -> None:
        """Start with no disturbance."""
        self._state = np.zeros_like(state.position)

    def follow(self, state: JointState, acceleration: Array, measured: Array) -> JointState:
        """Return the observer's estimate."""
        estimate = self._observer.update(Estimate(state, self._state), acceleration, measured)
        self._state = estimate.disturbance
        return estimate.state
