"""The generalised-momentum residual of De Luca and Mattone (2003), in discrete time."""

from __future__ import annotations

from math import exp

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array, JointState
from ..robot.model import RobotModel
from .collision_monitor import CollisionMonitor, MonitorLimits
from .observation import Observation

GAIN = 50.0
"""Gain K of the residual [1/s], as in the published observers: a time constant of 20 ms."""


class MomentumFilters(msgspec.Struct, frozen=True):
    """The control state before the next step, and the residual so far [N m]."""

    state: JointState
    residual: Array


class MomentumObserver(CollisionMonitor):
    """A first-order filter of the external torque that needs no acceleration.

    With ``p = M(q) v`` and ``dp/dt = tau + C^T v - g + tau_ext``::

        r(t) = K (p(t) - p(0) - int (tau + C^T v - g + r) dt),   so   dr/dt = K (tau_ext - r)

    Over one step with constant torques the residual is, without Euler's error::

        r+ = e^(-K h) r + (1 - e^(-K h)) s,    s = (p+ - p)/h - (tau + C^T v - g)

    The robot of the control simulation steps by ``M(q) (v+ - v) = h (tau - C v - g + tau_ext)``,
    000 (5.3). With ``C + C^T = dM/dt`` taken over that step,
    ``C^T v = (M(q+) - M(q)) v+ / h - C v``, and the mean torque over it becomes
    ``s = rnea(q, v, (v+ - v)/h) - tau``: one call, exact for such a robot, and no matrix.

    :param gain: ``K`` [1/s].
    """

    kind = 'momentum_observer'
    settling = 8.0 / GAIN

    def __init__(
        self,
        model: RobotModel,
        period: float,
        limits: MonitorLimits | None = None,
        gain: float = GAIN,
    ):
        self._keep = np.array(exp(-gain * period))
        self._take = 1.0 - self._keep
        self._rate = np.array(1.0 / period)
        self._data = model.pin_model.createData()
        self._pin_model = model.pin_model
        super().__init__(model, period, limits)

    def _probe(self, observation: Observation) -> float:
        state = observation.state
        return float(observation.effort.dot(state.position) + state.velocity.dot(state.velocity))

    def _start(self, observation: Observation) -> MomentumFilters:
        return MomentumFilters(observation.state, self._zero)

    def _update(self, observation: Observation) -> None:
        old: MomentumFilters = self._filters
        q, v = old.state.position, old.state.velocity
        a = observation.state.velocity - v
        a *= self._rate
        residual = pin.rnea(self._pin_model, self._data, q, v, a)
        residual -= observation.effort
        residual *= self._take
        residual += self._keep * old.residual
        self._filters = MomentumFilters(observation.state, residual)
        self.residuals = residual[None]

    def _torque(self) -> Array:
        return self.residuals[0]
