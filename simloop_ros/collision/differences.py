"""The residuals of 000, section 7.1: other positions than planned, other forces than sent."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel
from .collision_monitor import CollisionMonitor, MonitorLimits
from .observation import Observation

POSITION_ROUNDING = 1e-9
"""Difference of positions that may be rounding [rad]."""


class PositionDifference(CollisionMonitor):
    """The residual ``q - q_d`` [rad].

    Control that takes an acceleration ``a`` it did not command for an error leaves
    ``q - q_d = c a``, with the compliance ``c = h^2`` of the deadbeat law. So the external
    torque is about ``M(q) (q - q_d) / c``, and the residual of a push shrinks with the period.

    :param compliance: ``c`` [s^2]; that of the deadbeat law where none is given.
    """

    kind = 'position_difference'

    def __init__(
        self,
        model: RobotModel,
        period: float,
        limits: MonitorLimits | None = None,
        compliance: float | None = None,
    ):
        self._stiffness = 1.0 / (period**2 if compliance is None else compliance)
        self._data = model.pin_model.createData()
        super().__init__(model, period, limits)

    @property
    def least_threshold(self) -> Array:
        """Return what rounding may make of a position [rad], shape ``(n,)``."""
        return np.full(self.model.n, POSITION_ROUNDING)

    def _probe(self, observation: Observation) -> float:
        return float(observation.desired.dot(observation.desired))

    def _update(self, observation: Observation) -> None:
        self.residuals = (self.validator.position - observation.desired)[None]

    def _torque(self) -> Array:
        difference = self.residuals[0]
        inertia: Array = pin.crba(self.model.pin_model, self._data, self.validator.position)
        return inertia.reshape(difference.size, -1).dot(difference) * self._stiffness


class ForceDifference(CollisionMonitor):
    """The residual ``tau - tau'`` [N m], 000 (5.2) and (5.7).

    The external torque is the opposite, ``tau' - tau``. It is the whole model error too, and
    as noisy as the control state's acceleration.
    """

    kind = 'force_difference'

    def _probe(self, observation: Observation) -> float:
        return float(observation.effort.dot(observation.rollback_effort))

    def _update(self, observation: Observation) -> None:
        self.residuals = (observation.effort - observation.rollback_effort)[None]

    def _torque(self) -> Array:
        return -self.residuals[0]
