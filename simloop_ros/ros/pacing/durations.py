"""Durations that are collected while the loop runs, as percentiles."""

from __future__ import annotations

import numpy as np

SHARE_BITS = 6
"""Bins of each power of two, as a power of two: a bin is at most 1/64 of its durations wide."""
LARGEST_BITS = 63
"""Of a duration [ns]: centuries."""
BINS = (LARGEST_BITS - SHARE_BITS + 1) << SHARE_BITS
PERCENTILES = {'p50': 0.5, 'p99': 0.99, 'p99.9': 0.999}


class Durations:
    """A histogram: its memory does not grow, and a summary takes microseconds in the loop."""

    def __init__(self) -> None:
        self._bins = np.zeros(BINS, np.int64)
        self._longest = 0
        self.count = 0

    def add(self, duration: int) -> None:
        """Add a duration [ns]."""
        power = max(duration.bit_length() - SHARE_BITS - 1, 0)
        self._bins[(power << SHARE_BITS) + (duration >> power)] += 1
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
        times = {key: min(_end(int(i)), longest) for key, i in zip(PERCENTILES, bins, strict=True)}
        return {
            f'{name} count': str(self.count),
            **{
                f'{name} {key} [ms]': f'{1e-6 * time:.3f}'
                for key, time in {**times, 'max': longest}.items()
            },
        }


def _end(index: int) -> int:
    """Return the end of a bin [ns]."""
    power = max((index >> SHARE_BITS) - 1, 0)
    return (index - (power << SHARE_BITS) + 1) << power
