"""Encoders: statistics and grid of the readings."""

import numpy as np
import pytest

from simloop_ros.core.values import JointState

H = 0.001


def readings(plant, steps):
    errors = []
    for _ in range(steps):
        plant.step(np.zeros(1))
        errors.append(plant.observe() - plant.truth.position)
    return np.array(errors)


def test_noise_has_its_deviation_and_no_mean_or_memory(build, block):
    """The bounds are five standard errors of 4000 draws."""
    errors = readings(build(block, H, noise=0.01), 4000)[:, 0]
    assert errors.std() == pytest.approx(0.01, rel=5 / np.sqrt(2 * 4000))
    assert abs(errors.mean()) < 5 * 0.01 / np.sqrt(4000)
    assert abs(np.corrcoef(errors[1:], errors[:-1])[0, 1]) < 5 / np.sqrt(4000)


def test_noise_does_not_touch_the_motion(build, arm):
    noisy, clean = build(arm, H, noise=0.01), build(arm, H)
    for _ in range(50):
        noisy.step(np.ones(7))
        clean.step(np.ones(7))
    assert np.array_equal(noisy.truth.position, clean.observe())


def test_seeds(build, block):
    first, same, other = (readings(build(block, H, seed, noise=1.0), 5) for seed in (1, 1, 2))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_resolution_rounds_to_the_nearest_step(build, block):
    plant = build(block, H, resolution=0.25)
    plant.start(JointState(np.array([0.6]), np.zeros(1)))
    assert plant.observe() == np.array([0.5])
    plant.start(JointState(np.array([-0.7]), np.zeros(1)))
    assert plant.observe() == np.array([-0.75])


def test_resolution_comes_after_noise(build, block):
    plant = build(block, H, noise=1.0, resolution=0.25)
    steps = (readings(plant, 100) + plant.truth.position) / 0.25
    assert np.array_equal(steps, np.rint(steps))
    assert len(np.unique(steps)) > 5
