"""Columns of what may change: they are the derivative of the torque."""

from __future__ import annotations

from changed_robot import calibrated, robot
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.collision.drift_regressor import PER_JOINT, PER_TIP
from simloop_ros.collision.drifting_explainer import DriftingExplainer


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
