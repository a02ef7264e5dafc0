"""The trail of the robot and the way back along it."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.values import Array
from simloop_ros.reaction.trail import (
    KNOT_SPACING,
    SPACING,
    SPEED_SHARE,
    TRAIL_LENGTH,
    TipPoints,
    extended,
    way_back,
)
from simloop_ros.robot.model import RobotModel

SPEED = 0.1  # m/s


def test_the_trail_is_bounded_and_rests_with_the_robot() -> None:
    trail: tuple[Array, ...] = ()
    for k in range(3 * TRAIL_LENGTH):
        trail = extended(trail, np.array([1.01 * SPACING * k, 0.0]))
        trail = extended(trail, np.array([1.01 * SPACING * k + 0.5 * SPACING, 0.0]))
    assert len(trail) == TRAIL_LENGTH
    assert trail[-1][0] == 1.01 * SPACING * (3 * TRAIL_LENGTH - 1)


def winding(robot: RobotModel, t: Array) -> Array:
    """Return a bent path from home, about 3 rad long, by a parameter from 0 to 1."""
    phase = np.linspace(0.0, 2.0, robot.n)
    return robot.home + 0.3 * (np.sin(4.0 * t[:, None] + phase) - np.sin(phase))


@pytest.fixture
def trail(robot: RobotModel) -> tuple[Array, ...]:
    found: tuple[Array, ...] = ()
    for q in winding(robot, np.linspace(0.0, 1.0, 2000)):
        found = extended(found, q)
    return found


@pytest.mark.parametrize('distance', [0.01, 0.05, 0.2])
def test_the_curve_is_the_path_and_as_long_as_asked_for(
    robot: RobotModel, trail: tuple[Array, ...], distance: float
) -> None:
    way = way_back(TipPoints(robot), trail, trail[-1], distance, SPEED)
    fine = winding(robot, np.linspace(0.0, 1.0, 20_000))
    curve = [way.position(place) for place in np.linspace(0.0, way.length, 200)]
    np.testing.assert_array_equal(curve[0], trail[-1])
    for q in curve:
        assert np.abs(fine - q).max(axis=1).min() < 0.03 * KNOT_SPACING
    tips = np.array([robot.tip_positions(q) for q in curve])
    gone = np.linalg.norm(np.diff(tips, axis=0), axis=2).max(axis=1).sum()
    assert gone == pytest.approx(distance, rel=0.01)


def test_no_tip_and_no_joint_is_too_fast_on_the_curve(
    robot: RobotModel, trail: tuple[Array, ...]
) -> None:
    way = way_back(TipPoints(robot), trail, trail[-1], 0.2, SPEED)
    places = np.linspace(0.0, way.length, 2000)
    curve = np.array([way.position(place) for place in places])
    time = (places[1] - places[0]) / SPEED
    tips = np.array([robot.tip_positions(q) for q in curve])
    bends = 1.02  # a curve through points is a little longer than its chords
    speeds = np.linalg.norm(np.diff(tips, axis=0), axis=2) / time
    assert speeds.max() <= SPEED * bends
    joints = np.abs(np.diff(curve, axis=0)) / time
    assert np.all(joints <= SPEED_SHARE * robot.velocity_limit * bends)


def test_what_is_left_lies_behind_the_end(robot: RobotModel, trail: tuple[Array, ...]) -> None:
    points = TipPoints(robot)
    way = way_back(points, trail, trail[-1], 0.05, SPEED)
    assert way.rest == trail[: len(way.rest)]
    end = way.position(way.length)
    assert np.abs(end - way.rest[-1]).max() < 2.0 * KNOT_SPACING
    whole = way_back(points, trail, trail[-1], 100.0, SPEED)
    assert whole.rest == ()
    np.testing.assert_allclose(whole.position(whole.length), trail[0], rtol=0.0, atol=1e-12)


def test_without_a_trail_there_is_no_way(robot: RobotModel) -> None:
    points = TipPoints(robot)
    for trail in ((), (robot.home,)):
        way = way_back(points, trail, robot.home, 0.05, SPEED)
        assert way.length == 0.0
        np.testing.assert_array_equal(way.position(0.0), robot.home)
