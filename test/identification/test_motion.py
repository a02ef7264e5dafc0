"""Motion: derivatives, and one filter for torque and regressor."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.identification.motion import Stretch, track, tracks
from simloop_ros.identification.regression import known_parameters

from .conftest import H, swinging


@pytest.mark.parametrize('form', ['causal', 'zero_phase'])
def test_filtered_torque_is_the_filtered_regressor_times_the_parameters(two_link, form):
    """Whatever the phase of the filter is."""
    q, v, a = swinging(two_link, 5.0, seed=3)
    model, data = two_link.pin_model, two_link.pin_model.createData()
    torque = np.array([pin.rnea(model, data, *row) for row in zip(q, v, a, strict=True)])
    made = track(Stretch(0.0, H, q, torque), 8.0, form)
    expected = made.filtered_regressor(model) @ known_parameters(two_link)
    size = np.abs(torque).max(axis=0)
    # What the filter before the derivatives takes away: its width squared times the motion's.
    assert np.all(np.abs(made.filtered(made.torque) - expected) < 2e-3 * size)


def test_derivatives_are_those_of_the_motion(two_link):
    q, v, a = swinging(two_link, 2.0, seed=4)
    made = track(Stretch(0.0, H, q, q), 8.0, 'causal')
    middle = (len(v) - len(made.velocity)) // 2
    inner = slice(middle, middle + len(made.velocity))
    np.testing.assert_allclose(made.velocity, v[inner], atol=5e-3 * np.abs(v).max())
    np.testing.assert_allclose(made.acceleration, a[inner], atol=2e-2 * np.abs(a).max())


def test_a_part_of_a_log_keeps_its_times():
    log = Stretch(1.0, 0.5, np.arange(8.0)[:, None], np.zeros((8, 1)))
    part = log.between(2.0, 3.5)
    assert part.start == 2.0
    np.testing.assert_array_equal(part.position[:, 0], [2.0, 3.0, 4.0])
    assert len(log.between(90.0, 99.0).position) == 0


def test_a_short_log_is_refused():
    log = Stretch(0.0, 0.002, np.zeros((30, 1)), np.zeros((30, 1)))
    with pytest.raises(ConfigError, match='too short'):
        tracks([log], 8.0, 'causal')
