"""Friction that changes while the robot moves, or with its speed."""

from __future__ import annotations

import numpy as np

from simloop_ros.core.values import UNDISTURBED, Array, Disturbance
from simloop_ros.plants.friction import JointFriction
from simloop_ros.plants.plant import Plant
from simloop_ros.robot.model import RobotModel

STRIBECK_SPEED = 0.02
"""Speed, as a part of the limit, at which the added friction has fallen to ``1/e``."""


class ChangingFriction(JointFriction):
    """Coulomb and viscous friction times a factor, with a Stribeck part that falls with speed.

    ::

        F(v, t) = s(t) F (1 + B exp(-(v / v_s)^2)),    c(t) = s(t) c

    ``s`` goes from one to ``scale`` within ``ramp`` seconds, or is ``scale`` at once. Within a
    step ``F`` is that of the velocity at its begin.

    :param stribeck: ``B``.
    """

    _remembered = ('_plant', '_steps')

    def __init__(
        self,
        plant: Plant,
        model: RobotModel,
        period: float,
        coulomb: Array,
        viscous: Array,
        *,
        scale: float,
        ramp: float,
        stribeck: float,
    ):
        super().__init__(plant, model, period, coulomb, viscous)
        self._dry, self._wet = self._coulomb, self._viscous
        self._rotors = np.array(self.damped.armature) - period * self._viscous
        self._scale, self._ramp, self._stribeck = scale, ramp, stribeck
        self._slow = 1.0 / (STRIBECK_SPEED * model.velocity_limit)
        self._begin()

    def _begin(self) -> None:
        self._steps = 0
        self._apply(self._now())

    def restore(self, snapshot: object) -> None:
        """Go back to an earlier snapshot."""
        super().restore(snapshot)
        self._apply(self._now())

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts less the friction [N m], and a disturbance, for one period."""
        scale = self._now()
        if self._ramp:
            self._apply(scale)
        if self._stribeck:
            speed = self._plant.truth.velocity * self._slow
            self._coulomb = scale * self._dry * (1.0 + self._stribeck * np.exp(-(speed**2)))
            self._impulse = self._h * self._coulomb
        self._steps += 1
        super().step(effort, disturbance)

    def _now(self) -> float:
        share = min(1.0, self._steps * self._h / self._ramp) if self._ramp else 1.0
        return 1.0 + share * (self._scale - 1.0)

    def _apply(self, scale: float) -> None:
        self._coulomb, self._viscous = scale * self._dry, scale * self._wet
        self._impulse = self._h * self._coulomb
        self._damping = np.diag(self._h * self._viscous)
        self.damped.armature = self._rotors + self._h * self._viscous
