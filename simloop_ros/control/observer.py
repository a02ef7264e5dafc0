"""A steady-state Kalman filter per joint: position, velocity and disturbance from positions."""

from __future__ import annotations

import msgspec

from ..core.errors import ConfigError
from ..core.values import Array, JointState
from ..maths.kalman import kalman_gains

LEAST_RADIUS, LARGEST_RADIUS = 1e-3, 100.0
"""Range of bandwidth times period in which the gains are well conditioned."""


class Estimate(msgspec.Struct, frozen=True, gc=False):
    """Joint state and disturbance acceleration [rad/s^2] that explain the measurements."""

    state: JointState
    disturbance: Array


class Observer:
    """Joint states from noisy encoders and the commanded acceleration.

    Each joint is a double integrator driven by the commanded acceleration plus an unknown,
    slowly wandering disturbance ``d``, in the semi-implicit form of the simulation::

        v+ = v + h (a + d),   q+ = q + h v+,   d+ = d + w

    so a constant model error leaves no error in position or velocity. The gains are those of the
    Kalman filter in steady state. They depend on one number only, the ratio of wander to encoder
    noise, which is set by the bandwidth: ``w`` has the density that gives the filter in continuous
    time its poles at that radius (third-order Butterworth).

    :param period: step [s].
    :param bandwidth: [rad/s].
    """

    def __init__(self, period: float, bandwidth: float):
        radius = bandwidth * period
        if not LEAST_RADIUS <= radius <= LARGEST_RADIUS:
            raise ConfigError(
                f'control.bandwidth: {bandwidth:g} rad/s at a period of {period:g} s; between '
                f'{LEAST_RADIUS / period:g} and {LARGEST_RADIUS / period:g} rad/s are possible'
            )
        self._h = period
        self.gains = kalman_gains(period, bandwidth)

    def update(self, estimate: Estimate, acceleration: Array, measured: Array) -> Estimate:
        """Return the estimate one step later.

        :param acceleration: commanded in this step [rad/s^2], shape ``(n,)``.
        :param measured: positions at its end [rad], shape ``(n,)``.
        """
        h = self._h
        gain_q, gain_v, gain_d = self.gains
        velocity = acceleration + estimate.disturbance
        velocity *= h
        velocity += estimate.state.velocity
        position = h * velocity
        position += estimate.state.position
        innovation = measured - position
        position += gain_q * innovation
        velocity += gain_v * innovation
        return Estimate(JointState(position, velocity), estimate.disturbance + gain_d * innovation)
