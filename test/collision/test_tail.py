"""Thresholds by extreme values: the rate that was asked for, on noise of a known kind."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.collision.tail import BLOCK_DURATION, BlockMaxima, thresholds
from simloop_ros.core.errors import ConfigError

NOTHING = np.zeros(1)  # noise that has no rounding


@pytest.mark.parametrize('power', [0.5, 0.4])
def test_noise_alarms_at_most_at_the_rate_asked_for(power):
    """Thresholds from 20 minutes hold for days, and are not far above what is needed.

    Squares with an exponential tail, as of normal noise, and with one that falls faster.
    """
    rng = np.random.default_rng(0)
    rate, hours = 2.0, 200.0
    seen = rng.exponential(size=(round(1200.0 / BLOCK_DURATION), 1, 1, 3)) ** power
    limit = thresholds(seen, rate, NOTHING)
    later = rng.exponential(size=(round(hours * 3600.0 / BLOCK_DURATION), 3)) ** power
    alarms = int((later >= limit[0, 0]).any(axis=1).sum())
    # A standard error of the 480 largest is 5 %, for each of the two tails: of log(720) that is
    # 0.6, and as much again by chance.
    assert alarms < 1.5 * rate * hours
    if power == 0.5:
        assert alarms > np.exp(-2.0) * rate * hours


def test_few_samples_rather_give_a_threshold_that_is_too_high():
    """One standard error is added: a normal estimate with it is too low one time in six.

    It adds 11 % to both tails here; without it, every second threshold would be too low.
    """
    rng = np.random.default_rng(1)
    rate, blocks, trials = 0.1, 800, 200
    needed = np.sqrt(np.log(3600.0 / BLOCK_DURATION / rate))  # of squares that are exponential
    maxima = rng.exponential(size=(trials, blocks, 1, 1, 1)) ** 0.5
    found = np.array([thresholds(each, rate, NOTHING) for each in maxima])
    assert 0.75 < np.mean(found >= needed) < 0.9


def test_a_lower_rate_is_a_higher_threshold_and_units_do_not_matter():
    seen = np.random.default_rng(2).exponential(size=(1000, 1, 2, 2))
    assert np.all(thresholds(seen, 0.1, NOTHING) > thresholds(seen, 1.0, NOTHING))
    np.testing.assert_allclose(
        thresholds(1e-5 * seen, 0.1, NOTHING), 1e-5 * thresholds(seen, 0.1, NOTHING)
    )


def test_a_regime_that_never_occurred_has_the_threshold_of_the_other():
    seen = np.random.default_rng(3).exponential(size=(1000, 2, 1, 2))
    seen[:, 1, 0, 0] = np.nan
    limit = thresholds(seen, 0.1, NOTHING)
    assert np.isfinite(limit).all()
    assert limit[1, 0, 0] == limit[0, 0, 0]
    assert limit[1, 0, 1] != limit[0, 0, 1]
    seen[:, :, 0, 0] = np.nan  # never occurred at all: no threshold
    assert np.isinf(thresholds(seen, 0.1, NOTHING)[:, 0, 0]).all()


def test_a_robot_without_noise_has_the_thresholds_of_rounding():
    """Not zero, and not infinite: its first contact is found."""
    least = np.array([1e-6, 2e-6])
    np.testing.assert_array_equal(thresholds(np.zeros((1000, 1, 1, 2)), 0.1, least), [[least]])


def test_too_little_motion_is_refused():
    with pytest.raises(ConfigError, match='too short'):
        thresholds(np.ones((50, 1, 1, 1)), 0.1, NOTHING)


def test_block_maxima_are_the_largest_of_each_regime():
    period = 0.01
    steps = round(BLOCK_DURATION / period)
    residuals = np.random.default_rng(4).normal(size=(4 * steps + 3, 2, 3))
    regimes = np.random.default_rng(5).integers(0, 2, size=(len(residuals), 3))
    blocks = BlockMaxima(period, (2, 2, 3))
    for row, regime in zip(residuals, regimes, strict=True):
        blocks.add(row, regime)
    for block in range(4):
        rows = slice(block * steps, (block + 1) * steps)
        for regime in range(2):
            chosen = np.where((regimes[rows] == regime)[:, None], np.abs(residuals[rows]), 0.0)
            np.testing.assert_array_equal(blocks.maxima[block, regime], chosen.max(axis=0))


def test_by_hand():
    """Squares 1 to 1000: the tail is the last 100, from 900 on, 50.5 long in the mean.

    With one standard error, a tenth, it is 55.55. In that unit the tail of the largest residual,
    which is the only one, begins at 0 and is 1 long. At a rate of e times less than that of the
    tail's begin the threshold is one length beyond it.
    """
    seen = np.sqrt(np.arange(1.0, 1001.0)).reshape(-1, 1, 1, 1)
    rate = 0.1 * 3600.0 / BLOCK_DURATION / np.e
    found = thresholds(np.random.default_rng(6).permutation(seen), rate, NOTHING)
    np.testing.assert_allclose(found, np.sqrt(900.0 + 55.55), rtol=1e-12)
