"""Noise of residuals: found in their changes, whatever force stays."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.collision.disturbance_observer import BANDWIDTHS
from simloop_ros.collision.residual_noise import ResidualNoise
from simloop_ros.maths.kalman import disturbance_filter

H = 1.0 / 500.0
SLIDES = np.zeros(1, np.int64)


def residuals(steps, seed=0):
    """Return what the channels make of noise of a position, shape ``(steps, channels, 1)``."""
    noise = 1e-5 * np.random.default_rng(seed).standard_normal(steps + 2)
    accelerations = np.diff(noise, n=2) / H**2
    found = []
    for bandwidth in BANDWIDTHS:
        step, state = disturbance_filter(H, bandwidth), np.zeros(3)
        channel = []
        for each in accelerations:
            state = step[:, :3] @ state + step[:, 3] * each
            channel.append(state[2])
        found.append(channel)
    return np.array(found).T[..., None]


@pytest.mark.parametrize('lean', [0.0, 5.0])
def test_the_variance_is_that_of_the_noise_alone(lean):
    """A force that stays is none."""
    given = residuals(8000)
    noise = ResidualNoise(H, BANDWIDTHS, 1)
    for row in given[:: noise.stride]:
        noise.sample(row + lean, SLIDES)
    np.testing.assert_allclose(noise.variance, given[500:].var(axis=0), rtol=0.3)


def test_a_knock_and_a_joint_that_turns_are_no_noise():
    noise = ResidualNoise(H, BANDWIDTHS, 1)
    for row in residuals(2000)[:: noise.stride]:
        noise.sample(row, SLIDES)
    before = noise.variance
    for jump in (100.0, 200.0):
        noise.sample(np.full((len(BANDWIDTHS), 1), jump), SLIDES + 1)
    np.testing.assert_array_equal(noise.variance, before)
    noise.sample(np.full((len(BANDWIDTHS), 1), 900.0), SLIDES)
    assert np.all(noise.variance < 1.1 * before)
