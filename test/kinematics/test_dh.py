"""The table of 002 and the URDF are one robot."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.robot.model import RobotModel
from textbook.dh import IRB_120, DhRow, dh_forward

EXACT = 1e-12  # asked for


def test_table_agrees_with_the_urdf(irb120: RobotModel, rng: np.random.Generator) -> None:
    postures = rng.uniform(irb120.lower, irb120.upper, (500, 6))
    poses = dh_forward(IRB_120, postures)
    for q, pose in zip(postures, poses, strict=True):
        (tool,) = irb120.frame_poses(q, ['tool0'])
        np.testing.assert_allclose(pose, tool.homogeneous, rtol=0.0, atol=EXACT)


def test_wrist_of_the_table_turns_against_equation_15(rng: np.random.Generator) -> None:
    """By its own table, 002 (15) is Rot_z(q4) Rot_y(-q5) Rot_z(q6 + pi)."""
    for q4, q5, q6 in rng.uniform(-np.pi, np.pi, (20, 3)):
        found = dh_forward(IRB_120[4:7], np.array([0.0, 0.0, 0.0, q4, q5, q6]))[:3, :3]
        z, y = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
        right = pin.exp3(q4 * z) @ pin.exp3(-q5 * y) @ pin.exp3((q6 + np.pi) * z)
        printed = pin.exp3(q4 * z) @ pin.exp3(q5 * y) @ pin.exp3((q6 + np.pi) * z)
        np.testing.assert_allclose(found, right, rtol=0.0, atol=EXACT)
        assert np.abs(found - printed).max() > 1e-3


def test_one_row_is_its_four_motions() -> None:
    row = DhRow(a=0.1, alpha=0.2, d=0.3, theta=0.4, joint=0)
    x, z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    expected = pin.SE3(pin.exp3(0.9 * z), 0.3 * z) * pin.SE3(pin.exp3(0.2 * x), 0.1 * x)
    found = dh_forward([row], np.array([0.5]))
    np.testing.assert_allclose(found, expected.homogeneous, rtol=0.0, atol=EXACT)


def test_too_few_joints() -> None:
    with pytest.raises(ConfigError, match='5 joints given; this table has 6'):
        dh_forward(IRB_120, np.zeros(5))
