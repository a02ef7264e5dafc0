"""Led paths: what is replayed is near what was led, and smooth."""

from __future__ import annotations

import numpy as np
import pytest
from teach_and_repeat import Led

from simloop_ros.core.errors import ConfigError
from simloop_ros.core.values import Array
from simloop_ros.robot.model import RobotModel
from simloop_ros.teaching.curve import curve_through, shares_of
from simloop_ros.teaching.nearness import LEVER, distances, marked, tip_distance
from simloop_ros.teaching.rests import rest_poses
from simloop_ros.teaching.smoothing import taught_path

TOLERANCE = 1e-3
PAUSE = 1.0  # before and after the motion [s]


def turn(model: RobotModel, noise: float) -> tuple[Array, Array]:
    """Return a led motion with pauses at both ends: time [s] and joints [rad]."""
    time = np.arange(0.0, 6.0, 0.005)
    way = np.clip((time - PAUSE) / (time[-1] - 2 * PAUSE), 0.0, 1.0)
    bow = np.stack([np.sin((i + 1) * way) for i in range(model.n)], axis=1)
    rng = np.random.default_rng(1)
    return time, model.home + 0.3 * bow + noise * rng.standard_normal(bow.shape)


@pytest.mark.parametrize('noise', [0.0, 2e-5])
def test_a_path_keeps_the_tolerance_with_few_points(lwr: RobotModel, noise: float) -> None:
    time, positions = turn(lwr, noise)
    path = taught_path(lwr, time, positions, TOLERANCE)
    curve = curve_through(path.rows).knots
    found = tip_distance(lwr, positions, curve)
    assert found <= TOLERANCE
    assert path.deviation <= TOLERANCE
    # The joints too, so that elbow and hand turn as they were led.
    assert distances(LEVER * positions, LEVER * curve).max() <= TOLERANCE
    assert len(path.rows) <= 40


def test_noise_is_smoothed(lwr: RobotModel) -> None:
    """Noise makes a path longer: the taught one is as long as what was meant."""
    (time, meant), (_, measured) = turn(lwr, 0.0), turn(lwr, 1e-4)
    curve = curve_through(taught_path(lwr, time, measured, 2e-3).rows).knots
    assert distances(marked(lwr, meant), marked(lwr, curve)).max() < 2e-3
    lengths = [np.linalg.norm(np.diff(q, axis=0), axis=1).sum() for q in (meant, measured, curve)]
    assert lengths[1] > 1.05 * lengths[0]
    assert lengths[2] == pytest.approx(lengths[0], rel=0.01)


def test_pauses_at_the_ends_are_cut(lwr: RobotModel) -> None:
    time, positions = turn(lwr, 1e-6)
    path = taught_path(lwr, time, positions, TOLERANCE)
    assert path.begin == pytest.approx(PAUSE, abs=0.1)
    assert path.end == pytest.approx(time[-1] - PAUSE, abs=0.1)


def test_a_robot_that_did_not_move_has_no_path(lwr: RobotModel) -> None:
    time = np.arange(100) * 0.01
    with pytest.raises(ConfigError, match='did not move by more than 1 mm'):
        taught_path(lwr, time, np.tile(lwr.home, (100, 1)), TOLERANCE)


def test_tremor_beyond_the_tolerance_is_refused(lwr: RobotModel) -> None:
    time, positions = turn(lwr, 1e-3)
    with pytest.raises(ConfigError, match=r'trembles by more than .* give a larger tolerance'):
        taught_path(lwr, time, positions, 1e-4)


def test_a_led_path_of_the_simulated_hand(led: Led) -> None:
    path = taught_path(led.model, led.time, led.measured, TOLERANCE)
    assert path.deviation <= TOLERANCE
    assert 0.5 < path.begin < 1.2
    assert path.end < 10.5
    assert len(path.rows) < 100


def test_rests_of_the_simulated_hand(led: Led) -> None:
    """At home, at two places with a pause of 1 s, and at the end."""
    rests = rest_poses(led.model, led.time, led.measured, 0.5, TOLERANCE)
    home = led.model.tip_positions(led.model.home)[0]
    offsets = [led.model.tip_positions(rest.position)[0] - home for rest in rests]
    expected = [[0, 0, 0], [0, 0.2, 0], [-0.1, 0.2, 0.15], [0.05, -0.1, 0.1]]
    np.testing.assert_allclose(offsets, expected, atol=0.03)
    assert all(rest.end - rest.begin >= 0.5 for rest in rests)


def test_a_curve_meets_its_way_points(poses: Array) -> None:
    curve = curve_through(poses)
    at = curve.at(shares_of(poses))
    np.testing.assert_allclose(at, poses, atol=1e-6)
    np.testing.assert_array_equal(curve.knots[[0, -1]], poses[[0, -1]])


def test_distances_are_those_of_the_nearest_place() -> None:
    path = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]])
    points = np.array([[0.3, 0.4], [2.0, 1.7], [-3.0, -4.0], [1.0, 1.0]])
    np.testing.assert_allclose(distances(points, path), [0.4, 1.0, 5.0, 0.0], atol=1e-12)
