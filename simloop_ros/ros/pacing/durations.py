"""Durations that are collected while the loop runs, as percentiles."""

from __future__ import annotations

import numpy as np

RESOLUTION = 2_000
"""Width of a bin [ns]."""
BINS = 50_000
"""Bins of this width: up to 0.1 s; of longer durations only the maximum is known."""
PERCENTILES = {'p50': 0.5, 'p99': 0.99, 'p99.9': 0.999}


class Durations:
    """A histogram: its memory does not grow, and a summary is cheap."""

    def __init__(self) -> None:
        self._bins = np.zeros(BINS + 1, np.int64)
        self._longest = 0
        self.count = 0

    def add(self, duration: int) -> None:
        """Add a duration [ns]."""
        self._bins[min(duration // RESOLUTION, BINS)] += 1
        if duration > self._longest:
            self._longest = duration
        self.count += 1

    def summary(self, name: str) -> dict[str, str]:
        """Return count, percentiles (ends of their bins) and maximum in ms, as text."""
        if not self.count:
            return {}
        ranks = np.ceil(np.array(list(PERCENTILES.values())) * self.count)
        bins = np.searchsorted(np.cumsum(self._bins), ranks)
        longest = self._longest
        times = {
            key: longest if i == BINS else min(RESOLUTION * (int(i) + 1), longest)
            for key, i in zip(PERCENTILES, bins, strict=True)
        }
        return {
            f'{name} count': str(self.count),
            **{
                f'{name} {key} [ms]': f'{1e-6 * time:.3f}'
                for key, time in {**times, 'max': longest}.items()
            },
        }
