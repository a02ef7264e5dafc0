"""An arm with flexible joints, its motors simulated one physics step after the other."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array
from ..robot.model import RobotModel
from .flexible_plant import FlexiblePlant, count_steps, known_motors
from .torque_stage import TorqueStage

ELASTIC_PHASE = 0.5
"""Largest phase of the fastest elastic mode in a physics step [rad]: its frequency is right to
1 %, that of a mode n times as slow n^2 times better."""
MAX_ELASTIC_PHASE = 1.0
"""The same in a step that is configured: at 2 it is not stable, and damping lowers that limit."""


class MotorDrivenPlant(FlexiblePlant):
    """Flexible joints with friction in the motors, and drives that compute a torque at each step.

    Half a step of motion, a change of velocity, the other half: of second order for links and
    springs, whose energy it keeps. Friction is solved at the end of the step, so that a motor
    sticks::

        q_m = q + h/2 v,   tau_m = tau + h/2 tau'
        q'' = aba(q_m, v, tau_m + D K_m^-1 tau' + tau_ext),   v+ = v + h q''
        J_m (w+ - w) = h (tau_motor - tau_m - D K_m^-1 tau' - f - c w+)
        f = F sign(w+)  where w+ != 0,    |f| <= F  where w+ = 0
        tau'+ = K_m (w+ - v+)
        q+ = q_m + h/2 v+,   tau+ = tau_m + h/2 tau'+

    With torque control an effort is the desired torque of the drives, and ``tau_motor`` that of
    ``TorqueStage``; without, an effort is ``tau_motor`` itself.

    :param stage: the drives' torque control; ``None`` where an effort is the motor torque.
    :param coulomb: friction ``F`` of every motor that does not depend on speed [N m].
    :param viscous: friction ``c`` of every motor per speed [N m s/rad].
    :param substeps: where none are given, as many as keep the phase of the fastest elastic mode
        below ``ELASTIC_PHASE``.
    :raises ConfigError: the physics steps are too long for the fastest elastic mode.
    """

    def __init__(
        self,
        model: RobotModel,
        period: float,
        stage: TorqueStage | None,
        coulomb: float = 0.0,
        viscous: float = 0.0,
        substeps: int | None = None,
    ):
        fastest = max(elastic_frequency(model, model.home), stage.frequency if stage else 0.0)
        super().__init__(model, period, substeps or count_steps(fastest, period, ELASTIC_PHASE))
        if fastest * self._h > MAX_ELASTIC_PHASE:
            raise ConfigError(
                f'plant.step: {self._h:.4g} s is too long for joints that oscillate with '
                f'{fastest:.4g} rad/s; {MAX_ELASTIC_PHASE / fastest:.4g} s at most'
            )
        self._stage = stage
        self._half = 0.5 * self._h
        self._held = float(self._h)
        self._dry = self._held * coulomb
        self._inertia = self._joints.motor_inertia
        self._damped = self._inertia + self._h * viscous

    @property
    def lag(self) -> float:
        """Return one half: each physics step moves by its mean velocity."""
        return 0.5

    def _substep(self, effort: Array) -> None:
        """Take one physics step; ``effort`` is that of the motors without torque control."""
        h, half, rate, stiffness = self._h, self._half, self._rate, self._joints.stiffness
        q, torque = self._q + half * self._v, self._torque + half * rate
        gear = torque + self._damping_time * rate
        acceleration = self._acceleration(q, gear)
        if self._stage:
            effort = self._stage.motor_torque(effort, torque, rate, acceleration, self._held)
        momentum = self._inertia * (self._v + rate / stiffness) + h * (effort - gear)
        if self._dry:
            momentum = momentum - np.minimum(np.maximum(momentum, -self._dry), self._dry)
        self._v = self._v + h * acceleration
        self._rate = stiffness * (momentum / self._damped - self._v)
        self._q, self._torque = q + half * self._v, torque + half * self._rate


def elastic_frequency(model: RobotModel, q: Array) -> float:
    """Return the frequency of the fastest elastic mode at joint positions ``q`` [rad/s].

    Without damping and torque ``(theta - q)'' = -(J_m^-1 + M^-1) K_m (theta - q)`` near rest.
    """
    joints = known_motors(model)
    # Of one joint it is a vector, so it is made a matrix.
    inertia = pin.crba(model.pin_model, model.pin_model.createData(), q).reshape(model.n, -1)
    root = np.sqrt(joints.stiffness)
    mobility = np.linalg.inv(inertia) + np.diag(1.0 / joints.motor_inertia)
    return sqrt(np.linalg.eigvalsh(root[:, None] * mobility * root).max())
