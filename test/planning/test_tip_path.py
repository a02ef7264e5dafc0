"""Corners as a path: where it leads, what is no path, and its course in time."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ConfigError
from simloop_ros.planning.config import CartesianConfig
from simloop_ros.planning.side_profiles import Quintic, Trapezoidal
from simloop_ros.planning.tip_path import TipCourse, sides_of

ROTATION = pin.exp3(np.array([0.3, -1.1, 0.4]))
START = pin.SE3(ROTATION, np.array([0.4, 0.1, 0.5]))
SQUARE = ((0.4, 0.1, 0.5), (0.6, 0.1, 0.5), (0.6, 0.3, 0.5), (0.4, 0.3, 0.5))


def config(**settings: object) -> CartesianConfig:
    return CartesianConfig(**settings)  # type: ignore[arg-type]


def names(**settings: object) -> list[tuple[str, str]]:
    return [(side.begin.name, side.end.name) for side in sides_of(config(**settings), START)]


def test_a_first_corner_where_the_tip_is_needs_no_side() -> None:
    expected = [('corner 1', 'corner 2'), ('corner 2', 'corner 3'), ('corner 3', 'corner 4')]
    assert names(corners=SQUARE) == expected
    assert names(corners=SQUARE, closed=True) == [*expected, ('corner 4', 'corner 1')]


def test_else_the_tip_goes_to_the_first_corner_first() -> None:
    expected = [('the start', 'corner 1'), ('corner 1', 'corner 2')]
    assert names(corners=SQUARE[1:3]) == expected
    assert names(corners=SQUARE[1:3], closed=True) == [*expected, ('corner 2', 'corner 1')]
    assert names(corners=SQUARE[1:2], closed=True) == expected[:1]


def test_corners_may_be_counted_from_the_start() -> None:
    offsets = tuple(tuple(np.array(corner) - START.translation) for corner in SQUARE)
    for side, same in zip(
        sides_of(config(corners=SQUARE, closed=True), START),
        sides_of(config(corners=offsets, corners_from='start', closed=True), START),
        strict=True,
    ):
        np.testing.assert_allclose(side.end.position, same.end.position, atol=1e-15)
        assert side.length == pytest.approx(0.2, rel=1e-12)


@pytest.mark.parametrize(
    ('settings', 'message'),
    [
        ({}, r'planner\.corners is empty'),
        ({'corners': SQUARE[:1]}, r'the tip is at corner 1 \(0\.400, 0\.100, 0\.500\) m already'),
        ({'corners': (SQUARE[1], SQUARE[1])}, 'corner 2 .* and corner 1 .* coincide; leave one'),
        ({'corners': (*SQUARE, SQUARE[0]), 'closed': True}, 'corner 1 .* and corner 5 .* coinci'),
        ({'corners': (SQUARE[0], SQUARE[0])}, 'corner 2 .* and corner 1 .* coincide'),
    ],
)
def test_what_is_no_path(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        sides_of(config(**settings), START)


def test_the_orientation_is_held() -> None:
    for side in sides_of(config(corners=SQUARE), START):
        for pose in side.poses(np.array([0.0, 0.3, 1.0])):
            np.testing.assert_array_equal(pose.rotation, ROTATION)


def test_the_tip_turns_along_the_first_side_at_an_even_rate() -> None:
    wanted = (0.2, 0.9, -0.4)
    first, *others = sides_of(config(corners=SQUARE, orientation=wanted), START)
    poses = first.poses(np.array([0.0, 0.25, 0.5, 1.0]))
    np.testing.assert_allclose(poses[0].rotation, ROTATION, atol=1e-15)
    np.testing.assert_allclose(pin.rpy.matrixToRpy(poses[-1].rotation), wanted, atol=1e-12)
    whole = np.linalg.norm(pin.log3(ROTATION.T @ poses[-1].rotation))
    angles = [np.linalg.norm(pin.log3(ROTATION.T @ pose.rotation)) for pose in poses]
    np.testing.assert_allclose(angles, whole * np.array([0.0, 0.25, 0.5, 1.0]), atol=1e-12)
    for side in others:
        (pose,) = side.poses(np.array([0.7]))
        np.testing.assert_allclose(pose.rotation, poses[-1].rotation, atol=1e-12)


def test_the_course_is_at_each_corner_on_time_and_stays_at_the_last() -> None:
    sides = sides_of(config(corners=SQUARE, closed=True), START)
    durations = np.array([1.0, 2.0, 0.5, 1.5])
    profiles = (Quintic(), Trapezoidal(0.25), Quintic(), Quintic())
    course = TipCourse('tip', sides, profiles, durations)
    assert course.duration == 5.0
    assert course.arrivals == [
        ('corner 2', 1.0),
        ('corner 3', 3.0),
        ('corner 4', 3.5),
        ('corner 1', 5.0),
    ]
    times = np.array([0.0, 1.0, 3.0, 3.5, 5.0, 7.0])
    expected = np.array([*SQUARE, SQUARE[0], SQUARE[0]])
    np.testing.assert_allclose(course.points(times), expected, atol=1e-15)
    np.testing.assert_allclose(course.points(np.array([2.0])), [[0.6, 0.2, 0.5]], atol=1e-12)
