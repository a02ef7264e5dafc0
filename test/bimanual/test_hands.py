"""Hands are where the model says, and the middle of rotations is in the middle."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.bimanual.hands import HandFinder, mean_rotation
from simloop_ros.robot.model import RobotModel

EXACT = 1e-14


def test_hands_are_the_tips(yumi: RobotModel) -> None:
    rng, find = np.random.default_rng(0), HandFinder(yumi)
    for q in rng.uniform(yumi.lower, yumi.upper, (5, yumi.n)):
        hands = find(q)
        for i, pose in enumerate(yumi.frame_poses(q, yumi.tips)):
            np.testing.assert_allclose(hands.position[i], pose.translation, atol=EXACT)
            np.testing.assert_allclose(hands.rotation[i], pose.rotation, atol=EXACT)


def test_of_equal_rotations_it_is_that_rotation() -> None:
    rng = np.random.default_rng(1)
    for size in (0.0, 1e-8, 1.0, 3.0):
        turn = pin.exp3(size * rng.normal(size=3))
        np.testing.assert_allclose(mean_rotation(np.array([turn] * 4)), turn, atol=EXACT)


@pytest.mark.parametrize('angle', [1e-9, 1e-3, 0.3, 2.0, 3.1])
def test_of_two_rotations_it_is_half_way(angle: float) -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        first, axis = pin.exp3(4.0 * rng.normal(size=3)), rng.normal(size=3)
        axis *= angle / np.linalg.norm(axis)
        middle = mean_rotation(np.array([first, first @ pin.exp3(axis)]))
        np.testing.assert_allclose(middle, first @ pin.exp3(0.5 * axis), atol=1e-13)


@pytest.mark.parametrize('axis', np.eye(3).tolist())
def test_half_turns_have_a_middle(axis: list[float]) -> None:
    """Of two that are half a turn apart it is a quarter turn from both, one way or the other."""
    half = pin.exp3(np.pi * np.array(axis))
    middle = mean_rotation(np.array([np.eye(3), half]))
    np.testing.assert_allclose(middle @ middle.T, np.eye(3), atol=EXACT)
    assert np.trace(middle) == pytest.approx(1.0)
    np.testing.assert_allclose(mean_rotation(np.array([half, half])), half, atol=EXACT)


def test_several_near_ones() -> None:
    """To third order the mean is that of the rotation vectors."""
    rng = np.random.default_rng(3)
    first, turns = pin.exp3(rng.normal(size=3)), 1e-3 * rng.normal(size=(4, 3))
    turns -= turns.mean(axis=0)
    found = mean_rotation(np.array([first @ pin.exp3(turn) for turn in turns]))
    np.testing.assert_allclose(found, first, atol=1e-8)
