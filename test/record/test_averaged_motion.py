"""Averages of motion and torque over the same windows."""

from __future__ import annotations

import numpy as np

from simloop_ros.record.averaged_motion import average

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
