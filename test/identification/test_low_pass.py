"""Filters: gain and phase at each frequency, as computed from their definition."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.identification.low_pass import hann_kernel, low_pass

H, CUTOFF = 0.002, 8.0


def gain(kernel, frequency):
    """Return the response to a complex oscillation at a frequency [Hz]."""
    shifts = np.arange(-kernel.behind, kernel.ahead + 1) * H
    return kernel.weights @ np.exp(2j * np.pi * frequency * shifts)


@pytest.mark.parametrize('form', ['causal', 'zero_phase'])
def test_gain_is_one_at_rest_and_3_db_less_at_the_cutoff(form):
    kernel = low_pass(H, CUTOFF, form)
    assert gain(kernel, 0.0) == pytest.approx(1.0)
    assert abs(gain(kernel, CUTOFF)) == pytest.approx(np.sqrt(0.5), rel=0.01)
    assert abs(gain(kernel, 10 * CUTOFF)) < 1e-2


def test_causal_looks_at_the_past_only_and_zero_phase_has_none():
    causal, even = low_pass(H, CUTOFF, 'causal'), low_pass(H, CUTOFF, 'zero_phase')
    assert causal.ahead == 0
    # A low-pass filter is late by less than half a period of its cut-off.
    age = H * np.arange(causal.behind, -1, -1)
    assert 0.0 < causal.weights @ age < 0.5 / CUTOFF
    assert even.ahead == even.behind
    for frequency in (1.0, 4.0, 8.0, 12.0):
        assert gain(even, frequency).imag == pytest.approx(0.0, abs=1e-9)
        assert abs(gain(even, frequency)) == pytest.approx(abs(gain(causal, frequency)), abs=2e-3)


def test_a_filter_is_applied_at_the_rows_that_are_asked_for():
    kernel = hann_kernel(H, 0.02)
    assert kernel.ahead == kernel.behind
    values = np.random.default_rng(0).normal(size=(100, 2))
    rows = np.array([20, 47, 80])
    expected = [np.convolve(column, kernel.weights, 'same')[rows] for column in values.T]
    np.testing.assert_allclose(kernel.apply(values, rows), np.array(expected).T, atol=1e-12)
