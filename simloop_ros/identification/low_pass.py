"""Low-pass filters for motion and torque: causal ones, and zero-phase ones to compare with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import signal

from ..core.values import Array

Indices = npt.NDArray[np.intp]

FilterForm = Literal['causal', 'zero_phase']
ORDER = 4
"""Order of the Bessel filter."""
CYCLES = 2.0
"""Length of its impulse response that is kept, in periods of the cut-off frequency."""
PADDING = 8
"""Factor by which the impulse response is padded for its spectrum."""


@dataclass(frozen=True)
class Kernel:
    """A filter of finite length: a weighted sum of samples around a row.

    :ivar weights: of the samples, the oldest first; their sum is 1, shape ``(k,)``.
    :ivar ahead: number of them that come after the row: 0 for a causal filter.
    """

    weights: Array
    ahead: int

    @property
    def behind(self) -> int:
        """Return the number of samples before the row."""
        return len(self.weights) - 1 - self.ahead

    def apply(self, values: Array, rows: Indices) -> Array:
        """Return the filtered values at rows, shape ``(rows, ...)``.

        :param values: equally spaced in time, shape ``(samples, ...)``.
        :param rows: indices, with all samples that the filter needs around them.
        """
        total = np.zeros((len(rows), *values.shape[1:]))
        for weight, shift in zip(self.weights, range(-self.behind, self.ahead + 1), strict=True):
            total += weight * values[rows + shift]
        return total


def hann_kernel(period: float, width: float) -> Kernel:
    """Return a symmetric filter of a given width [s] for samples with a period [s].

    It has no phase, so it is the same for motion and torque and only late: live it gives its value
    half of its width after the moment that it is for.
    """
    half = max(0, int(0.5 * width / period))
    weights = signal.windows.hann(2 * half + 3)[1:-1]
    return Kernel(weights / weights.sum(), half)


def low_pass(period: float, cutoff: float, form: FilterForm) -> Kernel:
    """Return a low-pass filter with a cut-off frequency [Hz], at 3 dB.

    Causal, a Bessel filter: it neither rings nor changes the shape of slow signals. Zero-phase, a
    filter with the same gain at each frequency that looks ahead: what no program can do live.
    """
    length = int(np.ceil(CYCLES / (cutoff * period)))
    sections = signal.bessel(ORDER, cutoff, fs=1.0 / period, output='sos', norm='mag')
    impulse = np.zeros(length)
    impulse[0] = 1.0
    response = signal.sosfilt(sections, impulse)
    if form == 'causal':
        return Kernel(response[::-1] / response.sum(), 0)
    padded = PADDING * length
    even = np.fft.irfft(np.abs(np.fft.rfft(response, padded)), padded)
    weights = np.concatenate((even[length - 1 : 0 : -1], even[:length]))
    return Kernel(weights / weights.sum(), length - 1)
