"""Durations that are collected while the loop runs: how long, how regular."""

from __future__ import annotations

import numpy as np

CAPACITY = 1 << 16
PERCENTILES = {'p50': 50.0, 'p99': 99.0, 'p99.9': 99.9, 'max': 100.0}


class Durations:
    """The last 65536 durations; memory does not grow.

    :ivar count: number of durations so far.
    """

    def __init__(self) -> None:
        self._values = np.zeros(CAPACITY, np.int64)
        self.count = 0

    def add(self, duration: int) -> None:
        """Add a duration [ns]."""
        self._values[self.count % CAPACITY] = duration
        self.count += 1

    def summary(self, name: str) -> dict[str, str]:
        """Return median, high percentiles and maximum in ms, as text; empty if there are none."""
        if not self.count:
            return {}
        values = np.percentile(
            self._values[: min(self.count, CAPACITY)], list(PERCENTILES.values())
        )
        return {
            f'{name} {key} [ms]': f'{1e-6 * value:.3f}'
            for key, value in zip(PERCENTILES, values, strict=True)
        }
