"""Columns of what may change: they are the derivative of the torque."""

from __future__ import annotations

from changed_robot import calibrated, robot
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.collision.drift_regressor import PER_JOINT, PER_TIP
from simloop_ros.collision.drifting_explainer import DriftingExplainer
from simloop_ros.collision.encoder_noise import THIRD_DIFFERENCE, encoder_noise, noise_gain
from simloop_ros.maths.kalman import disturbance_filter


@pytest.mark.parametrize('name', ['lwr', 'yumi'])
def test_the_torque_changes_by_the_columns_times_the_parameters(name):
    """Of friction exactly; of a load by Pinocchio's inertias, an independent way."""
    model, rng = robot(name), np.random.default_rng(3)
    explainer = DriftingExplainer(model, calibrated(model))
    q = pin.integrate(model.pin_model, model.home, 0.3 * rng.standard_normal(model.n))
    v, a = rng.standard_normal((2, model.n))
    before = explainer.torque(q, v, a)
    change = 0.1 * rng.standard_normal(explainer.regressor.size)
    masses = PER_JOINT * model.n + PER_TIP * np.arange(len(model.tips))
    change[masses] = np.abs(change[masses])
    columns = explainer.regressor.rows(q, v, a, loads=True)
    explainer.change(change)
    after = explainer.torque(q, v, a)
    np.testing.assert_allclose(after - before, columns @ change, atol=1e-9)


def test_noise_of_encoders_is_what_a_filter_makes_of_it():
    h, bandwidth, sigma = 1.0 / 500.0, 150.0, 1e-5
    rng = np.random.default_rng(0)
    noise = sigma * rng.standard_normal(40_000)
    step = disturbance_filter(h, bandwidth)
    state, out = np.zeros(3), []
    for each in np.diff(noise, n=2) / h**2:
        state = step[:, :3] @ state + step[:, 3] * each
        out.append(state[2])
    assert np.std(out[1000:]) == pytest.approx(sigma * noise_gain(h, bandwidth), rel=0.05)


def test_noise_of_encoders_is_found_in_moving_joints():
    h, sigma = 1.0 / 500.0, 1e-5
    time = h * np.arange(5000)
    rng = np.random.default_rng(0)
    moving = np.column_stack((np.sin(3.0 * time), 0.0 * time))
    seen = moving + sigma * rng.standard_normal(moving.shape)
    np.testing.assert_allclose(encoder_noise(seen), sigma, rtol=0.05)
    assert np.square([1.0, -3.0, 3.0, -1.0]).sum() == THIRD_DIFFERENCE
