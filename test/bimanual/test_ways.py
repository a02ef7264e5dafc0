"""Ways through space."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from simloop_ros.bimanual.ways import Arc, Rest, displaced, straight

SHARES = np.linspace(0.0, 1.0, 11)
BEGIN = pin.SE3(pin.exp3(np.array([0.3, -0.2, 0.5])), np.array([0.4, 0.1, 0.8]))


def test_a_displacement_is_even_and_in_world_axes() -> None:
    by, turn = np.array([0.1, -0.2, 0.3]), np.array([0.0, 0.0, 0.6])
    for s, pose in zip(SHARES, displaced(BEGIN, by, turn).poses(SHARES), strict=True):
        np.testing.assert_allclose(pose.translation, BEGIN.translation + s * by, atol=1e-15)
        np.testing.assert_allclose(
            pose.rotation @ BEGIN.rotation.T, pin.exp3(s * turn), atol=1e-14
        )


def test_more_than_half_a_turn() -> None:
    last = displaced(BEGIN, np.zeros(3), np.array([0.0, 4.0, 0.0])).poses(SHARES)[-1]
    np.testing.assert_allclose(
        last.rotation, pin.exp3(np.array([0.0, 4.0, 0.0])) @ BEGIN.rotation, atol=1e-14
    )


def test_straight_from_pose_to_pose() -> None:
    end = pin.SE3(pin.exp3(np.array([-0.3, 0.9, 0.1])), np.array([0.1, 0.0, 1.0]))
    poses = straight(BEGIN, end).poses(SHARES)
    assert poses[0].isApprox(BEGIN, 1e-14)
    assert poses[-1].isApprox(end, 1e-14)
    turned = [np.linalg.norm(pin.log3(BEGIN.rotation.T @ pose.rotation)) for pose in poses]
    np.testing.assert_allclose(np.diff(turned), turned[-1] / 10.0, atol=1e-14)


def test_an_arc_keeps_its_distance_from_the_line() -> None:
    pivot, turn = np.array([0.9, 0.0, 0.0]), np.array([0.0, 0.0, -0.7])
    poses = Arc(BEGIN, pivot, turn).poses(SHARES)
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
    assert all(pose == BEGIN for pose in Rest(BEGIN).poses(SHARES))
