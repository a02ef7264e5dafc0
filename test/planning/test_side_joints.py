"""Joints between the places at which they were found: the order of the error, and the corners."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.planning.side_joints import SideJoints

FINE = np.linspace(0.0, 1.0, 5001)


def curve(s: np.ndarray) -> np.ndarray:
    return np.stack((np.sin(3.0 * s + 0.4), np.exp(-s), 1.0 / (1.2 + s)), axis=1)


def test_every_knot_is_met_exactly() -> None:
    joints = SideJoints(curve(np.linspace(0.0, 1.0, 33)))
    np.testing.assert_allclose(joints.at(joints.shares), joints.knots, atol=1e-15)
    np.testing.assert_array_equal(joints.at(np.ones(1))[0], joints.knots[-1])


def test_a_cubic_is_itself() -> None:
    def cubic(s: np.ndarray) -> np.ndarray:
        return (1.0 - 2.0 * s + 3.0 * s**2 - 4.0 * s**3)[:, None]

    joints = SideJoints(cubic(np.linspace(0.0, 1.0, 9)))
    np.testing.assert_allclose(joints.at(FINE), cubic(FINE), atol=1e-14)


def test_half_the_spacing_is_a_sixteenth_of_the_error() -> None:
    errors = [
        np.abs(SideJoints(curve(np.linspace(0.0, 1.0, k + 1))).at(FINE) - curve(FINE)).max()
        for k in (20, 40, 80)
    ]
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.2)
    assert errors[1] / errors[2] == pytest.approx(16.0, rel=0.2)


def test_the_second_derivative_is_continuous() -> None:
    joints = SideJoints(curve(np.linspace(0.0, 1.0, 11)))
    d = 1e-4
    for knot in joints.shares[1:-1]:
        left, right = (
            np.diff(joints.at(knot + side * d * np.array([0.0, 1.0, 2.0])), 2, axis=0) / d**2
            for side in (-1.0, 1.0)
        )
        np.testing.assert_allclose(left, right, atol=0.1)  # its own slope: about 30 times 3 d
    kinked = np.abs(np.linspace(-1.0, 1.0, 11))[:, None]
    assert np.isfinite(SideJoints(kinked).at(FINE)).all()


def test_too_few_knots() -> None:
    with pytest.raises(ValueError, match='4 knots'):
        SideJoints(np.zeros((4, 2)))
