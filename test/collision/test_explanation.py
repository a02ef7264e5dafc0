"""The explanation: inverse dynamics, and the friction that identification finds."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.collision.drifting_explainer import DriftingExplainer
from simloop_ros.collision.explanation import Explainer, nothing_learnt


def test_nothing_learnt_is_inverse_dynamics(yumi):
    data = yumi.pin_model.createData()
    rng = np.random.default_rng(4)
    state = yumi.home, rng.normal(size=14), rng.normal(size=14)
    np.testing.assert_allclose(
        Explainer(yumi, nothing_learnt(yumi)).torque(*state),
        pin.rnea(yumi.pin_model, data, *state),
        atol=1e-12,
    )


@pytest.mark.parametrize('explainer', [Explainer, DriftingExplainer])
def test_friction_differs_by_direction_and_fades_with_speed(two_link, explainer):
    """``tanh(v/w) (F + A tanh(v/w) + S exp(-|v|/s)) + c v + b``, from far below to far above w."""
    explanation = msgspec.structs.replace(
        nothing_learnt(two_link),
        coulomb=(1.5, 0.6),
        smoothing=(0.01, 0.02),
        viscous=(0.4, 0.2),
        offset=(0.3, -0.1),
        asymmetry=(0.2, -0.3),
        stribeck=(0.5, 0.0),
        fading=(0.1, 1.0),
    )
    data = two_link.pin_model.createData()
    for speed in (-1.0, -0.03, 0.0, 0.003, 0.5):
        v, still = np.full(2, speed), np.zeros(2)
        weight = pin.rnea(two_link.pin_model, data, two_link.home, v, still)
        direction = np.tanh(v / [0.01, 0.02])
        fading = np.array([0.5, 0.0]) * np.exp(-abs(speed) / np.array([0.1, 1.0]))
        expected = direction * ([1.5, 0.6] + direction * [0.2, -0.3] + fading)
        expected += v * [0.4, 0.2] + [0.3, -0.1]
        torque = explainer(two_link, explanation).torque(two_link.home, v, still)
        np.testing.assert_allclose(torque - weight, expected, atol=1e-12)
