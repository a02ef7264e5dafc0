"""A payload is found: mass and centre, in the frame of its link."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.identification.payload import identify_payload
from simloop_ros.identification.validation import compare


def test_mass_and_centre_of_a_payload(lwr, make_log):
    robot = pin.Model(lwr.pin_model)
    centre = np.array([0.03, -0.02, 0.06])
    frame = robot.frames[lwr.frame('flange')]
    body = pin.Inertia(1.3, centre, 1e-3 * np.eye(3))
    robot.inertias[frame.parentJoint] += frame.placement.act(body)
    friction = np.full(lwr.n, 0.4)
    log = make_log(lwr, robot, friction, friction, duration=3.0, noise=0.05)
    found = identify_payload(lwr, [log], 'flange')
    assert found.mass == pytest.approx(1.3, rel=0.03)
    np.testing.assert_allclose(found.centre, centre, atol=0.01)
    assert found.mass_error < 0.2
    comparison = compare(lwr, {'loaded': found.explanation}, [log], 8.0)
    # White noise of 0.05 N m at 250 Hz, of which 8 Hz are left.
    assert np.all(comparison.rms('loaded') < 0.03)


def test_a_link_that_no_joint_moves_carries_nothing(two_link, make_log):
    log = make_log(two_link, two_link.pin_model, np.zeros(2), np.zeros(2), duration=2.0)
    with pytest.raises(ConfigError, match='no joint moves it'):
        identify_payload(two_link, [log], two_link.base)
