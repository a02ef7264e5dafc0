"""Which joint states of a stand-in arrive, and when: the faults of a network."""

from __future__ import annotations

import numpy as np

from .config import AWAKE, FaultConfig


class StateDelivery:
    """Holds back, loses and bunches messages as the faults ask for.

    :param period: between two messages [s].
    :param rng: which of them are lost.
    """

    def __init__(self, faults: FaultConfig, period: float, rng: np.random.Generator):
        self._faults = faults
        self._period = period
        self._rng = rng
        self._kept: list[bytes] = []
        self._steps = 0

    @property
    def faulty(self) -> bool:
        """Return whether the faults that begin later have begun."""
        return self._steps * self._period >= self._faults.after

    def send(self, message: bytes) -> list[bytes]:
        """Take the message of a step; return those that are sent now."""
        self._steps += 1
        faults, now = self._faults, self._steps * self._period
        frozen = faults.freeze > 0.0 and now % (AWAKE + faults.freeze) > AWAKE
        if now <= faults.late_start:
            return []
        if not self.faulty:
            return [message]
        if frozen:
            return []
        if faults.lost and self._rng.random() < faults.lost:
            return []
        self._kept.append(message)
        if len(self._kept) < faults.bunched:
            return []
        sent, self._kept = self._kept, []
        return sent
