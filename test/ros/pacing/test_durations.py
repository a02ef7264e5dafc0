"""The histogram of durations tells what the sorted list would."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.ros.pacing.durations import SHARE_BITS, Durations

KEYS = {'p50': 50.0, 'p99': 99.0, 'p99.9': 99.9, 'max': 100.0}
WIDTH = 2.0**-SHARE_BITS  # of a bin, relative to its durations
ROUNDING = 0.0005
"""Of the text [ms]."""


def summary(values: list[int]) -> dict[str, float]:
    """Return the summary [ms] by percentile, and the count."""
    durations = Durations()
    for value in values:
        durations.add(value)
    return {key.split()[1]: float(text) for key, text in durations.summary('x').items()}


@pytest.mark.parametrize('count', [1, 3, 97, 5003])
def test_percentiles_are_those_of_the_list_up_to_the_resolution(count: int) -> None:
    rng = np.random.default_rng(count)
    values = rng.lognormal(13.0, 3.0, count).astype(int).tolist()
    told = summary(values)
    assert told['count'] == count
    for key, percent in KEYS.items():
        exact = 1e-6 * np.percentile(values, percent, method='inverted_cdf')
        assert exact - ROUNDING <= told[key] <= (1.0 + WIDTH) * exact + ROUNDING


def test_the_longest_is_exact_and_bounds_the_percentiles() -> None:
    longest = 3_600_000_123_456_789
    told = summary([0, longest, longest])
    assert told['max'] == told['p50'] == told['p99'] == pytest.approx(1e-6 * longest, abs=ROUNDING)


def test_nothing_has_no_summary() -> None:
    assert Durations().summary('x') == {}
