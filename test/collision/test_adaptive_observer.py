"""A monitor that adapts: what it learns, what it never learns, and when it says so."""

from __future__ import annotations

from changed_robot import H, adaptive, calibrated, fixed, robot, with_changes
import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.collision.adaptation import LARGEST_FACTOR
from simloop_ros.collision.drift_regressor import DriftRegressor, at_joint
from simloop_ros.collision.encoder_noise import encoder_noise, noise_gain
from simloop_ros.plants.spring_contact import point_jacobian

SETTLED = 2.0  # [s]


def contacts(monitor, rows):
    """Return the times of contact [s], and run the monitor."""
    return [row.time for row in rows if monitor.step(row).verdict == 'contact']


def force_at(model, link, force, begin, rise=0.0):
    """Return the joint torque of a constant force on a link's origin, from a time on."""
    data, frame = model.pin_model.createData(), model.frame(link)

    def outside(time, q):
        if time < begin:
            return 0.0
        jacobian, _ = point_jacobian(model.pin_model, data, q, frame, np.zeros(3))
        share = min(1.0, (time - begin) / rise) if rise else 1.0
        return share * (jacobian.T @ np.array(force))

    return outside


@pytest.mark.parametrize('factor', [0.5, 0.7, 1.3, 1.5])
def test_friction_that_changed_since_the_calibration_is_learnt_without_an_alarm(factor):
    rows = list(with_changes('lwr', friction=lambda _: factor).observations(20.0))
    monitor = adaptive('lwr')
    assert contacts(monitor, rows) == []
    assert monitor.doubt == ''
    dry = np.array(calibrated(robot('lwr')).coulomb)
    learnt = 1.0 + monitor.belief.mean[: dry.size] / dry
    np.testing.assert_allclose(learnt, factor, atol=0.1)
