"""Joints without ends: what a driver counts from -pi to pi does not jump."""

from __future__ import annotations

import numpy as np

from simloop_ros.ros.messages.joint_state import DecodedJointState
from simloop_ros.ros.messages.turns import without_jumps


def test_only_joints_without_ends_are_counted_on() -> None:
    """Two joints turn on and back, over several turns; the second one has ends."""
    way = np.concatenate([np.linspace(3.0, 20.0, 300), np.linspace(20.0, -9.0, 500)])
    wrapped = (way + np.pi) % (2.0 * np.pi) - np.pi
    passed: list[DecodedJointState] = []
    take = without_jumps(passed.append, np.array([True, False]))
    for stamp, angle in enumerate(wrapped):
        take(DecodedJointState(stamp, np.array([angle, angle])))
    positions = np.array([message.position for message in passed])
    np.testing.assert_allclose(positions[:, 0], way, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(positions[:, 1], wrapped)
