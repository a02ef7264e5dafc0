"""Ways through space."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.bimanual.pose_path import (
    ArcPath,
    ConstantPath,
    SplinePath,
    displaced_path,
    spline_path,
    straight_path,
)
from simloop_ros.core.errors import ConfigError

SHARES = np.linspace(0.0, 1.0, 11)
BEGIN = pin.SE3(pin.exp3(np.array([0.3, -0.2, 0.5])), np.array([0.4, 0.1, 0.8]))
BENT = BEGIN.translation + np.array(
    [[0.0, 0.0, 0.1], [0.1, 0.05, 0.12], [0.15, 0.0, 0.02], [0.2, 0.0, 0.0]]
)
ROUNDING = 1e-14  # of places of about 1 m, and of sums of a few of them [m]


def test_a_displacement_is_even_and_in_world_axes() -> None:
    by, turn = np.array([0.1, -0.2, 0.3]), np.array([0.0, 0.0, 0.6])
    for s, pose in zip(SHARES, displaced_path(BEGIN, by, turn).poses(SHARES), strict=True):
        np.testing.assert_allclose(pose.translation, BEGIN.translation + s * by, atol=1e-15)
        np.testing.assert_allclose(
            pose.rotation @ BEGIN.rotation.T, pin.exp3(s * turn), atol=1e-14
        )


def test_more_than_half_a_turn() -> None:
    last = displaced_path(BEGIN, np.zeros(3), np.array([0.0, 4.0, 0.0])).poses(SHARES)[-1]
    np.testing.assert_allclose(
        last.rotation, pin.exp3(np.array([0.0, 4.0, 0.0])) @ BEGIN.rotation, atol=1e-14
    )


def test_straight_from_pose_to_pose() -> None:
    end = pin.SE3(pin.exp3(np.array([-0.3, 0.9, 0.1])), np.array([0.1, 0.0, 1.0]))
    poses = straight_path(BEGIN, end).poses(SHARES)
    assert poses[0].isApprox(BEGIN, 1e-14)
    assert poses[-1].isApprox(end, 1e-14)
    turned = [np.linalg.norm(pin.log3(BEGIN.rotation.T @ pose.rotation)) for pose in poses]
    np.testing.assert_allclose(np.diff(turned), turned[-1] / 10.0, atol=1e-14)


def test_an_arc_keeps_its_distance_from_the_line() -> None:
    pivot, turn = np.array([0.9, 0.0, 0.0]), np.array([0.0, 0.0, -0.7])
    poses = ArcPath(BEGIN, pivot, turn).poses(SHARES)
    radius = np.hypot(*(BEGIN.translation - pivot)[:2])
    for s, pose in zip(SHARES, poses, strict=True):
        assert abs(np.hypot(*(pose.translation - pivot)[:2]) - radius) < 1e-15
        assert pose.translation[2] == BEGIN.translation[2]
        # What points to the line at the begin does so all along: it is a door.
        own = BEGIN.rotation.T @ (pivot - BEGIN.translation)
        np.testing.assert_allclose(pose.rotation @ own + pose.translation, pivot, atol=1e-15)
        np.testing.assert_allclose(
            pose.rotation @ BEGIN.rotation.T, pin.exp3(s * turn), atol=1e-14
        )


def test_rest_is_rest() -> None:
    assert all(pose == BEGIN for pose in ConstantPath(BEGIN).poses(SHARES))


def bent(turn: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> SplinePath:
    return spline_path(BEGIN, BENT, np.array(turn), 'task 1 (move)')


def places(curve: SplinePath) -> np.ndarray:
    """Return the shares at which a curve is at its points: by the length of the chords."""
    chords = [np.linalg.norm(b - a) for a, b in zip(curve.points, curve.points[1:], strict=False)]
    return np.array([sum(chords[:i]) for i in range(len(chords) + 1)]) / sum(chords)


def positions(curve: SplinePath, shares: np.ndarray) -> np.ndarray:
    return np.array([pose.translation for pose in curve.poses(shares)])


def test_a_curve_passes_its_points_in_their_order() -> None:
    curve = bent()
    np.testing.assert_allclose(
        positions(curve, places(curve)), [BEGIN.translation, *BENT], atol=ROUNDING
    )


def test_a_curve_does_not_jump_nor_kink() -> None:
    """Its second difference is continuous, at its points as elsewhere: it changes with the step.

    In between a cubic has ``x(s + d) - 2 x(s) + x(s - d) = x''(s) d^2`` exactly, so a jump of
    ``x''`` at a point would be left over however small ``d`` is.
    """
    curve = bent()
    inner = places(curve)[1:-1]
    jumps = []
    for d in (1e-3, 5e-4):
        around = [positions(curve, inner + k * d) for k in range(-2, 3)]
        speeds = np.diff(around, axis=0) / d
        bends = np.diff(speeds, axis=0) / d
        assert np.abs(speeds[2] - speeds[1]).max() < 10.0 * d  # x'' is about 3 m
        jumps.append(np.abs(bends[2] - bends[0]).max())
    assert jumps[0] > 1e-3  # there is something to see
    assert jumps[1] == pytest.approx(0.5 * jumps[0], rel=1e-2)


def test_a_curve_turns_evenly() -> None:
    turn = np.array([0.0, 1.0, 4.0])
    for s, pose in zip(SHARES, bent((0.0, 1.0, 4.0)).poses(SHARES), strict=True):
        np.testing.assert_allclose(
            pose.rotation @ BEGIN.rotation.T, pin.exp3(s * turn), atol=ROUNDING
        )


def test_a_curve_through_points_of_a_line_is_that_line() -> None:
    by = np.array([0.1, -0.2, 0.3])
    points = BEGIN.translation + np.outer([0.1, 0.7, 1.0], by)
    curve = spline_path(BEGIN, points, np.zeros(3), 'task 1 (move)')
    np.testing.assert_allclose(
        positions(curve, SHARES), BEGIN.translation + np.outer(SHARES, by), atol=ROUNDING
    )


def test_a_curve_does_not_depend_on_where_it_is_nor_on_axes() -> None:
    """Moved and turned points give the moved and turned curve."""
    away = pin.SE3(pin.exp3(np.array([1.0, 0.4, -2.0])), np.array([0.3, -0.1, 0.2]))
    points = np.array([away.act(point) for point in BENT])
    turned = positions(spline_path(away * BEGIN, points, np.zeros(3), 'task 1 (move)'), SHARES)
    expected = [away.act(point) for point in positions(bent(), SHARES)]
    np.testing.assert_allclose(turned, expected, atol=ROUNDING)


@pytest.mark.parametrize(
    ('points', 'message'),
    [
        ([BEGIN.translation, BENT[1]], r'its start and through\[0\] coincide'),
        ([BENT[0], BENT[0] + 1e-7, BENT[1]], r'through\[0\] and through\[1\] coincide'),
        (
            [BENT[0], BENT[1], BENT[1]],
            r'task 4 \(move\): through\[1\] and its end coincide, both are at '
            r'\(0\.500, 0\.150, 0\.920\) m in the world; leave one of them out',
        ),
    ],
)
def test_points_that_coincide_are_refused(points: list[np.ndarray], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        spline_path(BEGIN, np.array(points), np.zeros(3), 'task 4 (move)')
