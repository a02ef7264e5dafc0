"""Noise of the encoders, estimated while the robot moves, and what the filters make of it."""

from __future__ import annotations

import numpy as np

from ..core.values import Array
from ..maths.kalman import disturbance_filter

THIRD_DIFFERENCE = 20.0
"""Variance of the third difference of white noise of variance one: 1 + 9 + 9 + 1."""
NOISE_MEMORY = 400
"""Samples that the estimate remembers."""
OUTLIER = 9.0
"""Multiple of the mean square beyond which a sample counts no more: a knock is no noise."""
RESPONSE_TIME = 12.0
"""Length of the impulse response that is summed, in periods of the bandwidth."""


def noise_gain(period: float, bandwidth: float) -> float:
    """Return the rms of a disturbance filter's output per rms of white noise of a position.

    For one joint of unit inertia [1/s^2]: the response to ``(n+ - 2 n + n-)/h^2``.
    """
    step = disturbance_filter(period, bandwidth)
    inputs = np.zeros(max(4, round(RESPONSE_TIME / (bandwidth * period))))
    inputs[:3] = np.array([1.0, -2.0, 1.0]) / period**2
    state, total = np.zeros(3), 0.0
    for each in inputs:
        state = step[:, :3] @ state + step[:, 3] * each
        total += state[2] ** 2
    return float(np.sqrt(total))


def encoder_noise(positions: Array) -> Array:
    """Return the rms noise of encoders [rad], shape ``(n,)``.

    The third difference of positions has nearly no motion in it, and 20 times the variance.

    :param positions: measured in each step [rad], shape ``(steps, n)``.
    """
    return np.sqrt(np.mean(np.diff(positions, n=3, axis=0) ** 2, axis=0) / THIRD_DIFFERENCE)


def followed(mean: Array, count: int, deviation: Array, before: Array) -> Array:
    """Return the mean square noise of each encoder after another sample [rad^2], shape ``(n,)``.

    The third difference of positions has nearly no motion in it, and 20 times the noise.

    :param mean: so far.
    :param count: samples that it comes from.
    :param deviation: second difference of the positions now [rad], shape ``(n,)``.
    :param before: that of the last step.
    """
    square = (deviation - before) ** 2 / THIRD_DIFFERENCE
    if count > NOISE_MEMORY // 10:
        square = np.minimum(square, OUTLIER * mean)
    return mean + (square - mean) / min(count + 1, NOISE_MEMORY)
