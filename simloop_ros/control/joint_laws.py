"""Decentralised control laws: PD with gravity, and PID."""

from __future__ import annotations

from abc import ABC, abstractmethod

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array, JointState
from ..robot.model import RobotModel
from .laws import Law
from .tuning import JointGains


class EffortLaw(Law, ABC):
    """A law that gives the effort itself, without the inertia of the model."""

    @abstractmethod
    def effort(self, state: JointState, velocity: Array) -> Array:
        """Return the effort [N m], shape ``(n,)``; limits are not applied yet.

        :param velocity: velocity that reaches the desired position in one step, 000 (5.1).
        """


class PdGravity(EffortLaw):
    """``tau = K_p (q_d - q) + K_v (v_d - v) + g(q)``.

    002 names PD among the laws for robots; with gravity it is 000 (3.5) without the inertia, the
    velocity terms and ``a_d``. As in ``ComputedTorque``, the desired motion is the sequence of
    desired positions.

    :param gains: the diagonals of ``K_p`` and ``K_v``.
    """

    _state: JointState

    def __init__(self, model: RobotModel, period: float, gains: JointGains):
        self._h = period
        self._gains = gains
        self._model = model.pin_model
        self._data = model.pin_model.createData()

    def start(self, state: JointState, effort: Array | None = None) -> None:  # noqa: ARG002
        """Start from a desired motion that is where the robot is."""
        self._state = state

    def effort(self, state: JointState, velocity: Array) -> Array:
        """Return PD and gravity terms."""
        now = self._state
        self._state = _desired(state, velocity, now, self._h)
        effort = pin.computeGeneralizedGravity(self._model, self._data, state.position)
        effort += self._gains.stiffness * (now.position - state.position)
        effort += self._gains.damping * (now.velocity - state.velocity)
        return effort


class PidSnapshot(msgspec.Struct, frozen=True, gc=False):
    """State of a PID law.

    :ivar desired: present desired motion.
    :ivar integral: effort of the integral part [N m], shape ``(n,)``.
    """

    desired: JointState
    integral: Array


class Pid(EffortLaw):
    """``tau = K_p e + K_v e' + z+`` with ``z+ = z + h K_i e``, ``e = q_d - q``, joint by joint.

    It uses no model while the robot moves. It begins like a drive that takes over from the
    brakes: ``z`` is the present effort or, where there is none, gravity at the start.

    Anti-windup: ``z`` stays within the effort limits, and the integral of a joint whose effort is
    beyond its limit does not grow in that direction.

    :param gains: the diagonals of ``K_p``, ``K_v`` and ``K_i``.
    """

    _state: PidSnapshot

    def __init__(self, model: RobotModel, period: float, gains: JointGains):
        self._h = period
        self._gains = gains
        self._limit = model.effort_limit
        self._model = model.pin_model
        self._data = model.pin_model.createData()

    def start(self, state: JointState, effort: Array | None = None) -> None:
        """Start from a desired motion that is where the robot is, with an effort that holds it."""
        if effort is None:
            weight = pin.computeGeneralizedGravity(self._model, self._data, state.position)
            effort = np.clip(weight, -self._limit, self._limit)
        self._state = PidSnapshot(state, effort)

    def effort(self, state: JointState, velocity: Array) -> Array:
        """Return proportional, derivative and integral part."""
        now, before = self._state.desired, self._state.integral
        error = now.position - state.position
        integral = before + self._h * self._gains.integral * error
        effort = integral + self._gains.stiffness * error
        effort += self._gains.damping * (now.velocity - state.velocity)
        outward = (np.abs(effort) > self._limit) & (effort * error > 0.0)
        self._state = PidSnapshot(
            _desired(state, velocity, now, self._h),
            np.where(outward, before, np.clip(integral, -self._limit, self._limit)),
        )
        return effort


def _desired(state: JointState, velocity: Array, before: JointState, period: float) -> JointState:
    position = state.position + period * velocity
    return JointState(position, (position - before.position) / period)
