"""Standard errors of base parameters when what is left unexplained is not white."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..core.values import Array
from .regression import LONGEST_MEMORY, Rows

Spectrum = npt.NDArray[np.complex128]

LARGEST_LEVERAGE = 0.9
"""Share of a frequency that the parameters may take away before it tells nothing of the noise."""


def covariance(rows: Rows, design: Array, left: Array, weight: Array) -> Array:
    """Return the covariance of a weighted least-squares estimate, shape ``(p, p)``.

    With ``X`` the columns times ``W``, the weights of the joints, and ``G = X^T X``::

        cov = G^-1 (1/F sum_f X(f)^H Phi(f) X(f)) G^-1

    ``X(f)`` is their spectrum and ``Phi(f)`` that of the residuals of all joints, so noise may be
    coloured and may come upon several joints at once, as that of an encoder does. Parameters take
    away a part of the noise where the motion is; the residuals are enlarged by what they took
    (their leverage, as HC3 does with rows) at each frequency. ``Phi`` is smoothed by a window of
    ``LONGEST_MEMORY``.

    :param design: independent columns only, shape ``(rows, n, p)``.
    :param left: residuals [N m], shape ``(rows, n)``.
    :param weight: of the joints, shape ``(n,)``.
    """
    n, p = design.shape[1:]
    x = design * weight[:, None]
    e = left * weight
    flat = x.reshape(-1, p)
    scale = np.maximum(np.linalg.norm(flat, axis=0), np.finfo(float).tiny)
    inverse = np.linalg.pinv((flat / scale).T @ (flat / scale), hermitian=True)
    lags = max(1, round(LONGEST_MEMORY / rows.spacing))
    longest = int(np.diff(rows.starts).max())
    size = 2 * int(2 ** np.ceil(np.log2(longest + lags)))
    spectrum: Spectrum = np.zeros((size // 2 + 1, n, n), np.complex128)
    parts = list(pairwise(rows.starts))
    columns = [np.fft.rfft(x[a:b] / scale, size, axis=0) for a, b in parts]
    for (a, b), column in zip(parts, columns, strict=True):
        noise = np.fft.rfft(e[a:b], size, axis=0)
        # The share of each joint's noise at a frequency that the parameters can imitate: a bin
        # of the padded spectrum stands for its part of all rows.
        taken = np.einsum('fjp,pq,fjq->fj', column, inverse, column.conj()).real / (b - a)
        noise = noise / (1.0 - np.minimum(taken, LARGEST_LEVERAGE))
        spectrum += noise[:, :, None] * noise[:, None, :].conj()
    smoothed = _smoothed(spectrum / len(rows.torque), lags, size)
    twice = np.full(size // 2 + 1, 2.0)  # for the frequencies below zero
    twice[[0, -1]] = 1.0
    middle = np.zeros((p, p))
    for column in columns:
        weighted = np.einsum('fjk,fkp->fjp', smoothed, column) * twice[:, None, None]
        middle += np.einsum('fjp,fjq->pq', column.conj(), weighted, optimize=True).real / size
    result: Array = inverse @ middle @ inverse / np.outer(scale, scale)
    return result


def _smoothed(spectrum: Spectrum, lags: int, size: int) -> Spectrum:
    """Return a spectrum with its correlations faded out at some lags, shape ``(f, n, n)``."""
    correlation = np.fft.irfft(spectrum, size, axis=0)
    window = np.zeros(size)
    fading = 0.5 * (1.0 + np.cos(np.pi * np.arange(lags + 1) / lags))
    window[: lags + 1] = fading
    window[-lags:] = fading[:0:-1]
    smoothed: Spectrum = np.fft.rfft(correlation * window[:, None, None], axis=0)
    return smoothed
