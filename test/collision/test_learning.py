"""Learning: exact averages, and a wrong mass, a payload and friction that are found."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.calibration.free_motion import random_motion
from simloop_ros.collision.explanation import Explainer, nothing_learnt
from simloop_ros.collision.learning import average, learn

H = 1.0 / 500.0


def test_averages_of_motion_and_torque_belong_together():
    """In semi-implicit steps the mean torque of a mass is its mass times the mean acceleration."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=(400, 2))
    v = np.cumsum(H * a, axis=0)
    q = np.cumsum(H * v, axis=0)
    mass = np.array([2.0, 0.5])
    motions = average(mass * a, q, H)
    rounding = 1e-10
    np.testing.assert_allclose(motions.torque, mass * motions.acceleration, atol=rounding)


def moved(model, seed):
    """Return positions of free motion for a minute, speeds and accelerations of its steps."""
    q = random_motion(model, 60.0, np.random.default_rng(seed)).positions(H, 0, round(60.0 / H))
    v = np.diff(q, axis=0, prepend=model.home[None]) / H
    a = np.diff(v, axis=0, prepend=0.0 * v[:1]) / H
    return q, v, a


@pytest.fixture(scope='module')
def motion(two_link):
    return moved(two_link, seed=1)


def test_a_heavier_robot_with_payload_and_friction_is_explained(two_link, motion):
    """Torques of motions that were not seen; expected values from the true robot."""
    real = pin.Model(two_link.with_mass_bias(0.2).pin_model)
    payload = pin.Inertia(0.7, np.array([0.1, 0.0, 0.3]), np.zeros((3, 3)))
    real.appendBodyToJoint(2, payload, pin.SE3.Identity())
    data = real.createData()
    dry, viscous = np.array([1.5, 0.6]), np.array([0.4, 0.2])

    def needed(q, v, a):
        return pin.rnea(real, data, q, v, a) + dry * np.tanh(v / 0.01) + viscous * v

    q, v, a = motion
    # The step that ends at q[k] starts from the state before it.
    efforts = [needed(*row) for row in zip(q[:-1], v[:-1], a[1:], strict=True)]
    noise = 1e-5 * np.random.default_rng(2).standard_normal((len(q) - 1, 2))
    explanation = learn(two_link, average(np.array(efforts), q[1:] + noise, H))
    np.testing.assert_allclose(explanation.coulomb, dry, rtol=0.05)
    at_one = np.add(explanation.coulomb, explanation.viscous)
    np.testing.assert_allclose(at_one, dry + viscous, rtol=0.1)
    explainer = Explainer(two_link, explanation)
    nominal = Explainer(two_link, nothing_learnt(two_link))
    left, before = [], []
    for state in zip(*(values[1::50] for values in moved(two_link, seed=9)), strict=True):
        left.append(needed(*state) - explainer.torque(*state))
        before.append(needed(*state) - nominal.torque(*state))
    assert np.all(np.std(left, axis=0) < 0.08 * np.std(before, axis=0))


def test_where_nothing_is_wrong_nothing_is_learnt(two_link, motion):
    model, data = two_link.pin_model, two_link.pin_model.createData()
    q, v, a = motion
    efforts = [pin.rnea(model, data, *row) for row in zip(q[:-1], v[:-1], a[1:], strict=True)]
    explanation = learn(two_link, average(np.array(efforts), q[1:], H))
    weight = np.abs(efforts).max(axis=0)
    assert np.all(np.abs(explanation.coulomb) < 1e-3 * weight)
    assert np.all(np.abs(explanation.offset) < 1e-3 * weight)
    learnt, known = np.array(explanation.inertias), np.array(nothing_learnt(two_link).inertias)
    np.testing.assert_allclose(learnt[-1, 0], known[-1, 0], rtol=0.01)


def test_nothing_learnt_is_inverse_dynamics(yumi):
    data = yumi.pin_model.createData()
    rng = np.random.default_rng(4)
    state = yumi.home, rng.normal(size=14), rng.normal(size=14)
    np.testing.assert_allclose(
        Explainer(yumi, nothing_learnt(yumi)).torque(*state),
        pin.rnea(yumi.pin_model, data, *state),
        atol=1e-12,
    )
