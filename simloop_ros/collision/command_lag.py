"""Commands that come whole periods later than in the calibration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.values import Array

LONGEST_LAG = 2
"""Periods that commands may be later than in the calibration."""
LAG_SHARE = 0.5
"""Part of the energy that the present lag leaves unexplained, below which another one is right."""
LAG_MEMORY = 200
"""Samples that the energies are averaged over."""
LAG_SAMPLES = 20
"""Samples that a lag is chosen after."""


def lag_energies(
    energies: Array,
    samples: int,
    unexplained: Array,
    efforts: Sequence[Array],
    lag: int,
    weights: Array,
) -> Array:
    """Return the mean energy that each lag leaves unexplained, after another sample.

    With ``e`` of one lag, that of another is ``e + tau_k-lag - tau_k-other``. In shares of the sum
    over all lags, so that no contact counts more than free motion.

    :param energies: so far, from ``samples``.
    :param unexplained: ``e`` of the present lag [N m], shape ``(n,)``.
    :param efforts: that were sent last [N m], the newest first.
    :param weights: of the squared torques, shape ``(n,)``.
    """
    left = np.array(efforts)
    np.subtract(efforts[lag], left, left)
    left += unexplained
    left *= left
    now = left.dot(weights)
    total = float(now.sum())
    if not total > 0.0:
        return energies
    return energies + (now / total - energies) / min(samples + 1, LAG_MEMORY)


def best_lag(energies: Array, lag: int, samples: int) -> int:
    """Return the lag that explains best; the present one unless another is far better."""
    best = int(energies.argmin())
    return best if samples >= LAG_SAMPLES and energies[best] < LAG_SHARE * energies[lag] else lag
