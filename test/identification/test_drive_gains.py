"""Drive gains: found from currents by the masses of the description."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simloop_ros.identification.drive_gains import estimate_gains


def test_gains_of_currents_are_found(two_link, make_log):
    gains = np.array([9.5, 4.2])
    log = make_log(two_link, two_link.pin_model, np.array([0.8, 0.4]), np.array([0.5, 0.2]))
    found = estimate_gains(two_link, [replace(log, torque=log.torque / gains)], 8.0)
    assert found.told.all()
    np.testing.assert_allclose(found.gains, gains, rtol=0.02)
    assert np.all(np.abs(found.gains / gains - 1.0) < 4.0 * found.errors)


def test_a_joint_without_load_has_no_gain(two_link, make_log):
    """Its torque is noise only."""
    log = make_log(two_link, two_link.pin_model, np.zeros(2), np.zeros(2))
    torque = log.torque.copy()
    torque[:, 1] = np.random.default_rng(1).normal(size=len(torque))
    found = estimate_gains(two_link, [replace(log, torque=torque)], 8.0)
    assert not found.told[1]
    assert found.gains[1] == 1.0
