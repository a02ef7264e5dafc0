"""Torque ripple: how much an effort trembles."""

from __future__ import annotations

import numpy as np

from simloop_ros.core.values import Array

WINDOW = 0.05
"""Time over which the mean is taken [s]: what changes more slowly is motion, not ripple."""


def torque_ripple(effort: Array, period: float) -> float:
    """Return the rms of the effort less its moving mean, over all steps and joints [N m].

    The mean is centred and over ``WINDOW``, an odd number of steps. Steps without a whole window
    do not count; an effort that is shorter than the window has no ripple that could be told.

    :param effort: one row per step [N m], shape ``(steps, n)``.
    :param period: between two rows [s].
    """
    half = max(1, round(0.5 * WINDOW / period))
    steps = len(effort) - 2 * half
    if steps < 1:
        return 0.0
    sums = np.vstack((np.zeros((1, effort.shape[1])), np.cumsum(effort, axis=0)))
    mean = (sums[2 * half + 1 :] - sums[:steps]) / (2 * half + 1)
    return float(np.sqrt(np.square(effort[half : half + steps] - mean).mean()))
