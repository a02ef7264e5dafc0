"""How wrong the estimated torque has been lately, while nothing touched the robot."""

from __future__ import annotations

import numpy as np

from ..core.state import Remembering
from ..core.values import Array

SAMPLING = 0.004
"""Time between two torques that are taken [s]."""
MEMORY = 0.4
"""Time over which the mean is taken [s]: as long as a motion has about the same friction."""
HINDSIGHT = 0.06
"""Time before a contact that is not taken [s]: it may have begun before it was found."""


class Unrest(Remembering):
    """The mean of ``tau tau^T`` over the last ``MEMORY`` seconds without a contact.

    That is the error of the estimate as it is now: a gear that is warmer than it was calibrated, a
    load that nobody told of, a joint in a regime that is not known well. Errors that come together
    in several joints are in it together.

    :ivar mean: [N^2 m^2], shape ``(n, n)``; zero before the first torque.
    """

    _remembered = ('mean', '_count', '_waiting', '_steps')

    def __init__(self, n: int, period: float):
        self._stride = max(1, round(SAMPLING / period))
        spacing = self._stride * period
        self._held = max(1, round(HINDSIGHT / spacing))
        self._longest = max(1, round(MEMORY / spacing))
        self._nothing: Array = np.zeros((n, n))
        self.reset()

    def reset(self) -> None:
        """Forget the past."""
        self.mean = self._nothing
        self._count = 0
        self.interrupt()

    def interrupt(self) -> None:
        """Leave out what came shortly before this step."""
        self._waiting: tuple[Array, ...] = ()
        self._steps = 0

    def step(self, torque: Array) -> None:
        """Take the estimated torque of a step without contact [N m], shape ``(n,)``."""
        self._steps += 1
        if self._steps < self._stride:
            return
        self._steps = 0
        waiting = (*self._waiting, torque)
        if len(waiting) > self._held:
            oldest, *rest = waiting
            waiting = tuple(rest)
            self._count = min(self._count + 1, self._longest)
            self.mean = self.mean + (np.outer(oldest, oldest) - self.mean) / self._count
        self._waiting = waiting
