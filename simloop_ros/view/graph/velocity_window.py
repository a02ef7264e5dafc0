"""Velocities from positions that were heard."""

from __future__ import annotations

from collections import deque

import numpy as np

from ...core.values import Array

WINDOW = 0.01
"""Time over which a velocity is a mean [s]: noise of encoders is divided by it."""


class VelocityWindow:
    """The mean velocity of the joints over the last ``WINDOW``."""

    def __init__(self) -> None:
        self._heard: deque[tuple[float, Array]] = deque()

    def add(self, time: float, position: Array) -> None:
        """Take a position [rad], shape ``(n,)``, at a time [s]."""
        heard = self._heard
        if heard and time <= heard[-1][0]:
            heard.clear()
        heard.append((time, position))
        while len(heard) > 2 and time - heard[1][0] >= WINDOW:
            heard.popleft()

    @property
    def velocity(self) -> Array:
        """Return the velocity [rad/s], shape ``(n,)``."""
        (begin, first), (end, last) = self._heard[0], self._heard[-1]
        return (last - first) / (end - begin) if end > begin else np.zeros_like(last)
