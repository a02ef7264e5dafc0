"""Gains of the steady-state Kalman filter on the position of one joint."""

from __future__ import annotations

import numpy as np

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
