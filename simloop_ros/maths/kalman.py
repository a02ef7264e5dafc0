"""Steady-state Kalman filters on the position of a joint."""

from __future__ import annotations

import numpy as np

from ..core.values import Array

GAIN_TOLERANCE = 1e-13
"""Relative change of the gains at which the Riccati iteration has settled: near rounding."""


def kalman_gains(period: float, bandwidth: float) -> tuple[float, float, float]:
    """Return the gains for position [1], velocity [1/s] and acceleration [1/s^2].

    The model is a double integrator in semi-implicit steps whose acceleration wanders; the wander
    has the density that gives the filter in continuous time its poles at the bandwidth [rad/s],
    as a Butterworth filter of third order. Solves the discrete Riccati equation by iteration, in
    time units of one period so that the numbers stay near one.
    """
    transition = np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
    wander = np.diag([0.0, 0.0, (bandwidth * period) ** 6])
    covariance = np.eye(3)
    gains = np.zeros(3)
    while True:
        covariance = transition @ covariance @ transition.T + wander
        last, gains = gains, covariance[:, 0] / (covariance[0, 0] + 1.0)
        covariance -= np.outer(gains, covariance[0])
        if np.all(np.abs(gains - last) <= GAIN_TOLERANCE * np.abs(gains)):
            break
    return float(gains[0]), float(gains[1] / period), float(gains[2] / period**2)


def disturbance_filter(period: float, bandwidth: float) -> Array:
    """Return ``(F, g)`` of the filter of a disturbed double integrator, shape ``(3, 4)``.

    The state ``x`` is the error of position and velocity, and the disturbance. A joint that
    accelerates by ``e`` more than its model moves away from it by ``v+ = v + h e``,
    ``q+ = q + h v+``; the filter subtracts the disturbance ``d`` that it believes in and corrects
    all three by the gains of the Kalman filter for white noise of the positions and a wandering
    disturbance. One step is ``x <- F x + g e``; its last row is ``d``.

    The poles are those of a third-order Butterworth filter with this bandwidth [rad/s], for steps
    that are short against it: no filter of the positions is less noisy for the same wander.
    """
    gain = kalman_gains(period, bandwidth)
    h = period
    # The error after a step, before its correction, is the innovation.
    predicted = np.array([[1.0, h, -h * h, h * h], [0.0, 1.0, -h, h], [0.0, 0.0, 1.0, 0.0]])
    return predicted - np.outer((gain[0], gain[1], -gain[2]), predicted[0])


def motion_filter(period: float, bandwidth: float) -> Array:
    """Return ``(F, g)`` of the filter of position, velocity and acceleration, shape ``(3, 4)``.

    The same filter with nothing known of the acceleration: ``x <- F x + g q`` with the measured
    position ``q``.
    """
    gain = np.array(kalman_gains(period, bandwidth))
    h = period
    predicted = np.array([[1.0, h, h * h], [0.0, 1.0, h], [0.0, 0.0, 1.0]])
    return np.column_stack((predicted - np.outer(gain, predicted[0]), gain))
