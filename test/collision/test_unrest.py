"""Unrest: the error of the torque as it has been, without what belongs to a contact."""

from __future__ import annotations

import numpy as np

from simloop_ros.collision.unrest import HINDSIGHT, MEMORY, SAMPLING, Unrest

H = 0.001
WRONG = np.array([0.3, -0.2])  # [N m]


def fed(unrest: Unrest, torque: np.ndarray, duration: float) -> None:
    for _ in range(round(duration / H)):
        unrest.step(torque)


def test_a_constant_error_is_known_with_its_direction():
    unrest = Unrest(2, H)
    assert not unrest.mean.any()
    fed(unrest, WRONG, 2.0 * HINDSIGHT)
    np.testing.assert_allclose(unrest.mean, np.outer(WRONG, WRONG))


def test_what_came_shortly_before_a_contact_is_left_out():
    unrest = Unrest(2, H)
    fed(unrest, WRONG, 0.5)
    before = unrest.mean
    fed(unrest, 100.0 * WRONG, HINDSIGHT - SAMPLING)
    unrest.interrupt()
    np.testing.assert_allclose(unrest.mean, before)
    fed(unrest, WRONG, 0.5)
    np.testing.assert_allclose(unrest.mean, before)


def test_noise_has_its_covariance():
    rng, unrest = np.random.default_rng(0), Unrest(2, H)
    mixed = np.array([[0.5, 0.0], [0.3, 0.1]])
    means = []
    for i in range(60_000):
        unrest.step(mixed @ rng.standard_normal(2))
        if i > 2000:
            means.append(unrest.mean)
    np.testing.assert_allclose(np.mean(means, axis=0), mixed @ mixed.T, rtol=0.05)


def test_an_old_error_is_forgotten():
    unrest = Unrest(2, H)
    fed(unrest, WRONG, 1.0)
    fed(unrest, np.zeros(2), HINDSIGHT + 3.0 * MEMORY)
    assert np.abs(unrest.mean).max() < 0.06 * np.abs(np.outer(WRONG, WRONG)).max()


def test_it_goes_back_bit_for_bit():
    rng, unrest = np.random.default_rng(1), Unrest(3, H)
    torques = rng.standard_normal((300, 3))
    for torque in torques[:137]:
        unrest.step(torque)
    saved = unrest.snapshot()
    ends = []
    for _ in range(2):
        for torque in torques[137:]:
            unrest.step(torque)
        ends.append(unrest.mean)
        unrest.restore(saved)
    np.testing.assert_array_equal(*ends)


def test_reset_forgets():
    unrest = Unrest(2, H)
    fed(unrest, WRONG, 0.5)
    unrest.reset()
    assert not unrest.mean.any()
