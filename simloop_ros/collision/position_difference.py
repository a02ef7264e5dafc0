"""The first sign of 000, section 7.1: the robot is not where it should be."""

from __future__ import annotations

import pinocchio as pin

from ..model import RobotModel
from ..values import Array
from .collision_monitor import CollisionMonitor, Limits
from .observation import Observation


class PositionDifference(CollisionMonitor):
    """Watches ``q - q_d`` [rad].

    Control that takes an acceleration ``a`` it did not command for an error leaves
    ``q - q_d = c a``, with the compliance ``c = h^2`` of the deadbeat law. So the torque from
    outside is about ``M(q) (q - q_d) / c``, and the sign of a push shrinks with the period.

    :param compliance: ``c`` [s^2]; that of the deadbeat law where none is given.
    """

    kind = 'position_difference'

    def __init__(
        self,
        model: RobotModel,
        period: float,
        limits: Limits | None = None,
        compliance: float | None = None,
    ):
        self._stiffness = 1.0 / (period**2 if compliance is None else compliance)
        self._data = model.pin_model.createData()
        super().__init__(model, period, limits)

    def _probe(self, observation: Observation) -> float:
        return float(observation.desired.dot(observation.desired))

    def _update(self, observation: Observation) -> None:
        self.signs = (self.intake.position - observation.desired)[None]

    def _residual(self) -> Array:
        return self.signs[0]

    def _torque(self) -> Array:
        difference = self.signs[0]
        inertia: Array = pin.crba(self.model.pin_model, self._data, self.intake.position)
        return inertia.reshape(difference.size, -1).dot(difference) * self._stiffness
