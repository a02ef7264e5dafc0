"""A robot that takes positions only: its maker's own servo closes the inner loop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array, JointState
from ..robot.model import RobotModel
from .config import Servo
from .plant import Plant

LARGEST_GAIN = 0.5
"""Product of bandwidth and physics step beyond which the sampled servo would ring."""


class PositionRobotState(msgspec.Struct, frozen=True):
    """The plant's state and what the servo remembers.

    :ivar command: last position [rad] and its velocity [rad/s], shape ``(n,)`` each.
    :ivar external: mean torque from outside in the last period [N m], shape ``(n,)``.
    """

    plant: Any
    command: JointState
    external: Array


class PositionRobot:
    """Joints that follow commanded positions, stiffly.

    A command arrives every period. The servo goes there in a straight line and, in each physics
    step, computes a torque from its own, exact model, motors of inertia ``B`` included. It knows
    neither friction nor what pulls from outside, which bends it as a spring of ``(M + B) w^2``::

        a   = a_c + w^2 (q_c - q) + 2 w (v_c - v)
        tau = clip((M + B) a + nle(q, v), effort limits)

    :ivar plant: the robot inside, whose ``step`` is a physics step.
    :ivar external: mean torque from outside in the last period [N m], shape ``(n,)``.
    :param model: the robot as the plant has it, mass bias and motors included.
    :param period: time between two commands [s].
    :param substeps: number of physics steps in a period.
    :param bandwidth: ``w`` [rad/s].
    :raises ConfigError: the servo would not be stable with this physics step.
    """

    def __init__(
        self, plant: Plant, model: RobotModel, period: float, substeps: int, bandwidth: float
    ):
        if bandwidth * period / substeps > LARGEST_GAIN:
            raise ConfigError(
                f'plant.servo.bandwidth: {bandwidth:g} rad/s is too fast for physics steps of '
                f'{period / substeps:g} s; choose at most {LARGEST_GAIN * substeps / period:g}, '
                'or a shorter plant.step'
            )
        self.plant = plant
        self._model = model.pin_model
        self._data = self._model.createData()
        self._limit = model.effort_limit
        self._period = period
        self._substeps = substeps
        self._bandwidth = bandwidth
        self._command = plant.truth
        self.external = plant.external

    @property
    def state(self) -> PositionRobotState:
        """Return all that the next period depends on, and the torque from outside."""
        return PositionRobotState(self.plant.state, self._command, self.external)

    def reset(self, state: JointState | PositionRobotState) -> None:
        """Go to a state; in a ``JointState`` the robot does what it was told to."""
        if isinstance(state, PositionRobotState):
            self.plant.reset(state.plant)
            self._command, self.external = state.command, state.external
        else:
            self.plant.reset(state)
            self._command, self.external = state, self.plant.external

    def track(self, position: Array, external: Array | None = None) -> None:
        """Go to a position within one period.

        :param position: command for the end of the period [rad], shape ``(n,)``.
        :param external: torque from outside on the links [N m], shape ``(n,)``; none for zero.
        """
        now = self._command
        way = (position - now.position) / self._substeps
        velocity = (position - now.position) / self._period
        total = np.zeros_like(way)
        for _ in range(self._substeps):
            self.plant.step(self._effort(now, velocity), external)
            now = JointState(now.position + way, velocity)
            total += self.plant.external
        self._command = JointState(position, velocity)
        self.external = total / self._substeps

    def _effort(self, command: JointState, velocity: Array) -> Array:
        """Return the servo's torque in a physics step [N m], shape ``(n,)``.

        :param command: where and how fast the robot shall be now.
        :param velocity: that it shall have at the end of the step [rad/s], shape ``(n,)``.
        """
        w, truth = self._bandwidth, self.plant.truth
        q, v = truth.position, truth.velocity
        wanted = (velocity - command.velocity) * self._substeps / self._period
        wanted += w * w * (command.position - q) + 2.0 * w * (command.velocity - v)
        effort = pin.rnea(self._model, self._data, q, v, wanted)
        return np.clip(effort, -self._limit, self._limit)


def with_motors(model: RobotModel, servo: Servo) -> RobotModel:
    """Return the robot with motors of the inertia ``effort limit / (give w^2)``.

    The servo's stiffness is then at least the effort limit over the give, on light links too.

    :raises ConfigError: a joint has no effort limit.
    """
    for name, limit in zip(model.joint_names, model.effort_limit, strict=True):
        if not np.isfinite(limit):
            raise ConfigError(
                f'plant.takes: joint {name} has no effort limit, from which a robot that takes '
                'positions has its stiffness; give it one in the URDF'
            )
    pin_model = pin.Model(model.pin_model)
    pin_model.armature = model.effort_limit / (servo.give * servo.bandwidth**2)
    return replace(model, pin_model=pin_model)
