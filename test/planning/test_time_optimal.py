"""The fastest motion along a side: known cases, and a limit that is reached but not passed."""

from __future__ import annotations

import sys

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import MissingDependencyError
from simloop_ros.core.values import Array
from simloop_ros.planning.side_profiles import Tabulated
from simloop_ros.planning.time_optimal import time_optimal
from simloop_ros.robot.model import RobotModel

pytest.importorskip('toppra')

SHARES = np.linspace(0.0, 1.0, 301)
GRID_ERROR = 0.02  # of a switch between two places of the grid, relative


def found(model: RobotModel, positions: Array, share: float, acceleration: float) -> Tabulated:
    profile = time_optimal(model, SHARES, positions, share, acceleration)
    assert profile is not None
    return profile


def test_one_joint_goes_at_full_acceleration_and_speed(sphere: RobotModel) -> None:
    """``T = 2 sqrt(d/a)``, or with a speed limit ``T = d/v + v/a``: the textbook's answers."""
    (speed,) = sphere.velocity_limit
    way = 0.4
    positions = way * SHARES[:, None]
    slow = 0.1 * speed**2 / way  # the limit of speed is far
    assert found(sphere, positions, 1.0, slow).duration == pytest.approx(
        2.0 * np.sqrt(way / slow), rel=1e-3
    )
    share, acceleration = 0.1, 5.0
    top = share * speed
    assert top**2 / acceleration < way
    assert found(sphere, positions, share, acceleration).duration == pytest.approx(
        way / top + top / acceleration, rel=1e-2
    )


def test_some_limit_is_reached_everywhere_and_none_is_passed(two_link: RobotModel) -> None:
    begin, end = np.array([-0.6, 1.2]), np.array([0.7, 0.3])
    positions = begin + SHARES[:, None] * (end - begin)
    share, acceleration = 0.6, 30.0
    profile = found(two_link, positions, share, acceleration)
    h = profile.duration / 2000
    u = np.arange(2001) / 2000
    q = begin + profile.share(u)[:, None] * (end - begin)
    v = np.gradient(q, h, axis=0, edge_order=2)
    a = np.gradient(v, h, axis=0, edge_order=2)
    data = two_link.pin_model.createData()
    tau = np.array([pin.rnea(two_link.pin_model, data, *row) for row in zip(q, v, a, strict=True)])
    used = np.max(
        [
            np.abs(v) / (share * two_link.velocity_limit),
            np.abs(a) / acceleration,
            np.abs(tau) / (share * two_link.effort_limit),
        ],
        axis=(0, 2),
    )[5:-5]
    assert used.max() < 1.0 + GRID_ERROR
    # But at a few switches, where the difference quotient sees both sides, one limit is reached.
    assert np.quantile(used, 0.05) > 1.0 - GRID_ERROR


def test_a_robot_that_cannot_hold_itself_has_no_way(two_link: RobotModel) -> None:
    positions = SHARES[:, None] * np.array([0.2, 0.0])  # stretched out: most torque
    data = two_link.pin_model.createData()
    gravity = pin.computeGeneralizedGravity(two_link.pin_model, data, np.zeros(2))
    share = 0.5 * float(np.max(np.abs(gravity) / two_link.effort_limit))
    assert time_optimal(two_link, SHARES, positions, share, 20.0) is None


@pytest.mark.parametrize('acceleration', [2.0, 5.0, 20.0, 100.0, 500.0, 2000.0])
def test_any_acceleration_has_its_way(two_link: RobotModel, acceleration: float) -> None:
    """More is never slower, and without a limit of torque twice as much is ``sqrt(2)`` faster."""
    begin, end = np.array([-0.6, 1.2]), np.array([0.7, 0.3])
    positions = begin + SHARES[:, None] * (end - begin)
    slow, fast = (found(two_link, positions, 0.9, a * acceleration).duration for a in (1.0, 2.0))
    assert 1.0 - 1e-3 < slow / fast < np.sqrt(2.0) + 1e-3


def test_without_toppra_the_user_is_told(
    two_link: RobotModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, 'toppra', None)
    with pytest.raises(MissingDependencyError, match=r'needs toppra, .*: pip install toppra'):
        time_optimal(two_link, SHARES, np.zeros((301, 2)), 1.0, 1.0)
