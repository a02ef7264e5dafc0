"""Braking and holding within the effort limits of the motors."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..core.values import Array, JointState
from ..maths.effort_share import largest_share
from ..robot.model import RobotModel

LEAST_SHARE = 0.05
"""Share of a limit that braking may use where gravity takes the rest of it."""

FOLLOWING_LIMITS = 2.0
"""Multiple of the effort limits that control may demand before a robot counts as kept from its
path: a wrong mass or noise may exceed a limit, an obstacle exceeds it many times."""


class Motors:
    """Efforts that motions need, against the effort limits.

    :param period: of the loop [s].
    :param margin: share of the limits that braking uses.
    :param compliance: position error that the control law leaves per acceleration that the model
        does not explain [s^2]: ``period^2`` under deadbeat control.
    """

    def __init__(self, model: RobotModel, period: float, margin: float, compliance: float):
        self._model = model.pin_model
        self._data = model.pin_model.createData()
        self._h = period
        self._limit = model.effort_limit
        self._braking_limit = margin * model.effort_limit
        self._stiffness = 1.0 / compliance
        self._nothing: Array = np.zeros(model.n)

    def gravity(self, q: Array) -> Array:
        """Return the effort against gravity [N m], within the limits."""
        effort = pin.computeGeneralizedGravity(self._model, self._data, q)
        return np.clip(effort, -self._limit, self._limit)

    def decaying(self, state: JointState, time: float) -> Array:
        """Return the effort under which the motion decays with a time constant [N m]."""
        decay = -np.expm1(-self._h / time) / self._h
        effort = self._rnea(state.position, state.velocity, -decay * state.velocity)
        return np.clip(effort, -self._limit, self._limit)

    def can_reach(self, state: JointState, position: Array, times: float = 1.0) -> bool:
        """Return whether control can move to a position [rad] without reaching a limit.

        ``tau = rnea(q, v, (q_d - q - h v)/c)`` with the compliance ``c``; under deadbeat control
        that is the effort of the next step. False too if it is not a number.

        :param times: multiple of the limits that is allowed.
        """
        q, v = state.position, state.velocity
        effort = self._rnea(q, v, self._stiffness * (position - q - self._h * v))
        return bool((np.abs(effort) <= times * self._limit).all())

    def stopping_share(self, state: JointState) -> float:
        """Return the largest share, up to 1, of the velocity that one step can take away.

        With ``a = -s v/h`` the effort is ``rnea(q, v, 0) - s M v/h``. One share for all joints
        keeps the direction of the motion: clipped one by one, joints would push each other.
        """
        q, v = state.position, state.velocity
        drift = self._rnea(q, v, self._nothing)
        change = self._rnea(q, v, v / -self._h) - drift
        return float(min(1.0, self._share(drift, change)))

    def braking(self, q: Array, slope: Array, bend: Array, rate: float) -> float:
        """Return the largest deceleration of the time along a path [1/s].

        On the path ``q(s)`` with ``s' = r``: ``tau = rnea(q, q' r, q'' r^2) + M q' r'``, and
        ``-r'`` is as large as every joint allows.

        :param slope: ``q'`` [rad/s], shape ``(n,)``.
        :param bend: ``q''`` [rad/s^2], shape ``(n,)``.
        :param rate: ``r``; 1 is the planned speed.
        """
        v, a = rate * slope, rate * rate * bend
        drift = self._rnea(q, v, a)
        return self._share(drift, self._rnea(q, v, a - slope) - drift)

    def _share(self, drift: Array, change: Array) -> float:
        """Return how many times ``change`` can be added to ``drift`` within the margin."""
        needed = np.minimum(self._limit, np.abs(drift) + LEAST_SHARE * self._limit)
        return largest_share(drift, change, np.maximum(self._braking_limit, needed))

    def _rnea(self, q: Array, v: Array, a: Array) -> Array:
        return pin.rnea(self._model, self._data, q, v, a)
