"""Noise of the residuals, followed while the robot moves."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ..core.state import StateValue
from ..core.values import Array
from ..maths.kalman import disturbance_filter
from .monitor import IntArray

STRIDE_TIME = 0.008
"""Time between two samples [s]."""
MEMORY = 500
"""Samples that the estimate remembers."""
FEWEST = 40
"""Samples from which on one that is far out counts less."""
OUTLIER = 9.0
"""Multiple of the mean square that a sample counts as at most: a knock is no noise."""
SHORTEST_RESPONSE = 12.0
"""Length of the response that is summed, in periods of the bandwidth."""


class ResidualNoiseSnapshot(msgspec.Struct, frozen=True):
    """All that the next step depends on.

    :ivar squares: mean square change of each residual [(N m)^2], shape ``(channels, n)``.
    :ivar last: residuals of the last sample; none before the first.
    :ivar samples: number of them, of each joint, shape ``(n,)``.
    """

    squares: Array
    last: Array | None
    samples: Array


class ResidualNoise(StateValue):
    """The variance of the residuals by noise alone, from their changes.

    A force that stays changes nothing from sample to sample, noise does: of noise of the
    positions that passed a filter, ``E (d+ - d)^2 = 2 (1 - c) s^2``. The share ``1 - c`` is that
    of the filter of each channel.

    :ivar stride: steps between two samples.
    """

    _state: ResidualNoiseSnapshot

    def __init__(self, period: float, bandwidths: Sequence[float], n: int):
        self.stride = max(1, round(STRIDE_TIME / period))
        shares = [_changing_share(period, each, self.stride) for each in bandwidths]
        self._scale = 0.5 / np.array(shares)[:, None]
        self._shape = (len(bandwidths), n)
        self.reset()

    def reset(self) -> None:
        """Forget the past."""
        samples = np.zeros(self._shape[1])
        self._state = ResidualNoiseSnapshot(np.zeros(self._shape), None, samples)

    def pause(self) -> None:
        """Begin anew after a gap, and keep what is known."""
        self._state = msgspec.structs.replace(self._state, last=None)

    @property
    def variance(self) -> Array:
        """Return the variance of each residual [(N m)^2], shape ``(channels, n)``."""
        return self._state.squares * self._scale

    @property
    def known(self) -> Array:
        """Return 1 for joints of which there were enough samples, else 0, shape ``(n,)``."""
        return (self._state.samples > FEWEST // 8).astype(np.float64)

    def sample(self, residuals: Array, regime: IntArray, caution: float = 1.0) -> None:
        """Take the residuals of a step, ``stride`` after the last, shape ``(channels, n)``.

        :param regime: joints that turn, in regime 1, tell nothing.
        :param caution: factor by which learning is slower.
        """
        old = self._state
        squares, samples = old.squares, old.samples
        if old.last is not None:
            change = (residuals - old.last) ** 2
            most = np.where(samples > FEWEST, OUTLIER * squares, np.inf)
            slides = regime == 0
            samples = samples + slides
            gain = slides / (caution * np.minimum(np.maximum(samples, 1.0), MEMORY))
            squares = squares + gain * (np.minimum(change, most) - squares)
        self._state = ResidualNoiseSnapshot(squares, residuals, samples)


def _changing_share(period: float, bandwidth: float, stride: int) -> float:
    """Return ``1 - c``: ``c`` is the correlation of a filter's outputs a stride apart."""
    step = disturbance_filter(period, bandwidth)
    steps = stride + max(8, round(SHORTEST_RESPONSE / (bandwidth * period)))
    inputs = np.zeros(steps)
    inputs[:3] = 1.0, -2.0, 1.0
    state, response = np.zeros(3), []
    for each in inputs:
        state = step[:, :3] @ state + step[:, 3] * each
        response.append(state[2])
    r = np.array(response)
    return 1.0 - float(r[stride:] @ r[:-stride]) / float(r @ r)
