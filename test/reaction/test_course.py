"""The path between the planner's steps."""

from __future__ import annotations

import numpy as np

from simloop_ros.core.values import NO_INPUTS, JointState
from simloop_ros.planning.offline import OfflinePlanner
from simloop_ros.reaction.course import along, course_ahead

H = 0.01
ROUNDING = 1e-13


def parabola(t: np.ndarray) -> np.ndarray:
    return np.column_stack((1.0 + 2.0 * t - 3.0 * t * t, -t, 0.5 * t * t))


def planner_at(index: int) -> OfflinePlanner:
    planner = OfflinePlanner(parabola(H * np.arange(200)), H)
    for _ in range(index + 1):
        planner.step(JointState(np.zeros(3), np.zeros(3)), NO_INPUTS)
    return planner


def test_constant_acceleration_is_met_at_any_time() -> None:
    """Position, slope and bend of a parabola, which a cubic can be exactly."""
    planner = planner_at(10)
    course = course_ahead(planner, H)
    time = 10 * H
    for steps in (0.0, 0.3, 0.3, 0.9, 1.0, 2.7):
        course = along(course, steps, planner)
        time += steps * H
        expected = parabola(np.array([time]))[0]
        np.testing.assert_allclose(course.position, expected, rtol=0.0, atol=ROUNDING)
        slope = [2.0 - 6.0 * time, -1.0, time]
        np.testing.assert_allclose(course.slope(H), slope, rtol=0.0, atol=ROUNDING / H)
        bend = [-6.0, 0.0, 1.0]
        np.testing.assert_allclose(course.bend(H), bend, rtol=0.0, atol=ROUNDING / H**2)


def test_whole_steps_are_the_planners() -> None:
    rng = np.random.default_rng(0)
    positions = rng.normal(size=(30, 4))
    planner = OfflinePlanner(positions, H)
    for _ in range(5):
        planner.step(JointState(np.zeros(4), np.zeros(4)), NO_INPUTS)
    course = course_ahead(planner, H)
    np.testing.assert_array_equal(course.position, positions[4])
    for k in range(5, 20):
        course = along(course, 1.0, planner)
        np.testing.assert_array_equal(course.position, positions[k])


def test_the_slope_has_no_corner() -> None:
    planner = OfflinePlanner(np.random.default_rng(1).normal(size=(30, 4)), H)
    course = course_ahead(planner, H)
    tiny = 1e-9
    before = along(course, 1.0 - tiny, planner)
    after = along(before, 2.0 * tiny, planner)
    np.testing.assert_allclose(before.slope(H), after.slope(H), rtol=1e-6, atol=1e-5)
