"""Motion and torque of a log, averaged over short windows that belong together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.values import Array

AVERAGING_TIME = 0.02
"""Time over which motion and torque are averaged [s]: long enough for clean velocities from
encoders, short against any motion."""


@dataclass(frozen=True)
class Motions:
    """Averages over windows of a motion.

    :ivar torque: mean torque that was sent [N m], shape ``(rows, n)``.
    :ivar position: [rad], shape ``(rows, n)``.
    :ivar velocity: [rad/s], shape ``(rows, n)``.
    :ivar acceleration: [rad/s^2], shape ``(rows, n)``.
    """

    torque: Array
    position: Array
    velocity: Array
    acceleration: Array


def average(effort: Array, measured: Array, period: float) -> Motions:
    """Return averages of a motion over windows of two times ``AVERAGING_TIME``.

    In steps ``v+ = v + h a``, ``q+ = q + h v+`` the second difference of positions over ``B``
    steps is a mean of the accelerations with triangular weights, so the torques get the same::

        q_i+B - 2 q_i + q_i-B = h^2 sum_s (B - |s|) a_i+1+s,    |s| < B

    :param effort: [N m] in each step, shape ``(steps, n)``.
    :param measured: position after it [rad], shape ``(steps, n)``.
    """
    b = max(1, round(AVERAGING_TIME / period))
    middle = np.arange(b, len(measured) - b, b)
    before, now, after = (measured[middle + shift] for shift in (-b, 0, b))
    weights = (b - np.abs(np.arange(1 - b, b))) / b**2
    torque = np.array([weights @ effort[i + 2 - b : i + 1 + b] for i in middle])
    span = b * period
    return Motions(
        torque=torque.reshape(-1, effort.shape[1]),
        position=(before + 10.0 * now + after) / 12.0,
        velocity=(after - before) / (2.0 * span),
        acceleration=(after - 2.0 * now + before) / span**2,
    )
