"""Positions that were not measured, between two that were."""

from __future__ import annotations

import numpy as np

from ..core.values import Array


def filled(before: Array, last: Array, now: Array, steps: int) -> Array:
    """Return the positions between two samples that are some steps apart, ``(steps - 1, n)``.

    With one acceleration all the way, and no jump in speed at its beginning::

        q_i = q_0 + i d + a i (i + 1)/2,    d = q_0 - q_-1,   q_steps = q

    so the second difference is ``a`` in every step: the residual of a monitor is the mean over
    the gap, without a peak of its own.

    :param before: the sample before the last one ``q_-1`` [rad], shape ``(n,)``.
    :param last: the last one before the gap ``q_0``.
    :param now: the first one after it ``q``.
    """
    way = last - before
    acceleration = (now - last - steps * way) / (0.5 * steps * (steps + 1))
    i = np.arange(1, steps)[:, None]
    return last + i * way + 0.5 * i * (i + 1) * acceleration
