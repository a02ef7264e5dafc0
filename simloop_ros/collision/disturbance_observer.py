"""A bank of Kalman disturbance observers on an identified model, for hard and soft contacts."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..maths.kalman import disturbance_filter, motion_filter
from ..robot.model import RobotModel
from .collision_monitor import CollisionMonitor, MonitorLimits
from .explanation import Explainer, Explanation, nothing_learnt
from .monitor import IntArray
from .observation import Observation

BANDWIDTHS = (600.0, 300.0, 150.0, 50.0)
"""Of the channels [rad/s]: from a hard impact to a soft push, 2 to 20 ms."""
TORQUE_CHANNEL = 2
"""The channel whose torque is the estimate for others: quiet, and a few milliseconds late."""
TURNING_FACTOR = 8.0
"""Multiple of the speed up to which the direction of friction is not certain, below which a joint
turns, sticks or starts."""
TURN_MEMORY = 4.0 / min(BANDWIDTHS)
"""Time for which the filters remember a turn [s]."""
TURN_CHECK = 0.002
"""Time between two checks for joints that turn [s]: short against the filters."""
MOTION_BANDWIDTH = 200.0
"""Of the velocity that friction and Coriolis forces are computed with [rad/s]."""


class FilterState(msgspec.Struct, frozen=True):
    """The filters between two steps.

    :ivar position: last measured position [rad], shape ``(n,)``.
    :ivar filters: position, velocity, acceleration by the kinematic filter; errors and
        disturbance of each channel; shape ``(3 + 3 channels, n)``.
    :ivar velocity: at the last check for joints that turn [rad/s], shape ``(n,)``.
    :ivar turned: checks for which each joint's turn is still remembered, shape ``(n,)``.
    :ivar steps: since the last check.
    """

    position: Array
    filters: Array
    velocity: Array
    turned: IntArray
    steps: int


class DisturbanceObserver(CollisionMonitor):
    """A bank of Kalman filters on the torque that an identified model does not explain.

    ::

        e_k = tau'(q_k, v_k, (q_k+1 - 2 q_k + q_k-1)/h^2) - tau_k          [N m]

    is the external torque plus the encoders' noise, differentiated twice; ``tau'`` is the
    ``Explanation`` from free motion, with mass errors, payload and friction in it. Each channel
    estimates ``tau_ext`` from ``e`` by the Kalman filter for white noise of the positions
    (``disturbance_filter``) and another speed of change of ``tau_ext``. A torque that begins at an
    unknown moment is found first by the channel whose memory is about as long as the time that
    the torque needs to stand out of the noise: few milliseconds for an impact, tens for a push.
    Each channel and joint has its own threshold, and the first one counts.

    A joint that sticks or turns holds any torque up to its dry friction: that cannot be explained,
    so for ``TURN_MEMORY`` after it was that slow, a joint has thresholds of its own (regime 1).
    They are the higher ones, so they also hold for a joint that is faster than any that was
    learnt from.

    Velocity comes from the measured positions alone: the control state relies on a model
    without friction, and is off by ``2 F / (M bandwidth)`` where a joint reverses.

    :param explanation: the identified model; that of control where none is given.
    """

    kind = 'disturbance_observer'
    channels = len(BANDWIDTHS)
    regimes = 2
    settling = 8.0 / min(BANDWIDTHS)
    recovery = 2.0 / min(BANDWIDTHS)

    def __init__(
        self,
        model: RobotModel,
        period: float,
        limits: MonitorLimits | None = None,
        explanation: Explanation | None = None,
    ):
        explanation = explanation or nothing_learnt(model)
        self._explainer = self._make_explainer(model, explanation)
        self._slow = TURNING_FACTOR * np.array(explanation.smoothing)
        self._fast = np.array(explanation.fastest)
        self._stride = max(1, round(TURN_CHECK / period))
        self._hold = max(1, round(TURN_MEMORY / (self._stride * period)))
        self._rate = np.array(1.0 / period**2)
        # All filters are one product; the last two columns are of position and torque.
        size = 3 + 3 * self.channels
        self._matrix = np.zeros((size, size + 2))
        steps = [disturbance_filter(period, bandwidth) for bandwidth in BANDWIDTHS]
        for i, step in enumerate([motion_filter(period, MOTION_BANDWIDTH), *steps]):
            rows = slice(3 * i, 3 * i + 3)
            self._matrix[rows, rows] = step[:, :3]
            self._matrix[rows, -2 if i == 0 else -1] = step[:, 3]
        self._of_regime: IntArray | None = None
        self._chosen: Array = np.empty(0)
        super().__init__(model, period, limits)

    def _make_explainer(self, model: RobotModel, explanation: Explanation) -> Explainer:
        return Explainer(model, explanation)

    @property
    def pin_models(self) -> tuple[pin.Model, ...]:
        """Return the models of control and of the explanation."""
        return (self.model.pin_model, self._explainer.pin_model)

    def _probe(self, observation: Observation) -> float:
        return float(observation.effort.dot(observation.effort))

    def _start(self, observation: Observation) -> FilterState:
        n = self.model.n
        filters = np.zeros((len(self._matrix), n))
        filters[0], filters[1] = observation.measured, observation.state.velocity
        return FilterState(observation.measured, filters, filters[1], np.full(n, self._hold), 0)

    def _update(self, observation: Observation) -> None:
        old: FilterState = self._filters
        position, filters = self.validator.position, old.filters
        a = self.validator.deviation * self._rate
        unexplained = self._unexplained(old, a, observation)
        inputs = np.empty((len(filters) + 2, position.size))
        inputs[:-2], inputs[-2], inputs[-1] = filters, position, unexplained
        new = self._matrix.dot(inputs)
        turned, steps = old.turned, old.steps + 1
        if steps == self._stride:
            turned, steps = self._turned(old, new[1]), 0
        velocity = old.velocity if steps else new[1]
        self._filters = FilterState(position, new, velocity, turned, steps)
        self.residuals = new[5::3]

    def _unexplained(self, old: FilterState, a: Array, observation: Observation) -> Array:
        """Return ``e`` of a step with the acceleration ``a`` [rad/s^2], shape ``(n,)``."""
        unexplained = self._explainer.torque(old.position, old.filters[1], a)
        unexplained -= observation.effort
        return unexplained

    def _turned(self, old: FilterState, velocity: Array) -> IntArray:
        """Check for joints that turn; return for how many checks each is remembered."""
        speed = np.abs(velocity)
        turns = (speed < self._slow) | (speed > self._fast) | (velocity * old.velocity < 0.0)
        turned = np.where(turns, self._hold, old.turned - 1)
        self.regime = (turned > 0).astype(np.int64)
        return turned

    def _inverse_thresholds(self) -> Array:
        if self.regime is not self._of_regime:
            self._of_regime = self.regime
            self._chosen = np.where(self.regime, self._inverse[1], self._inverse[0])
        return self._chosen

    def _torque(self) -> Array:
        return self.residuals[TORQUE_CHANNEL]
