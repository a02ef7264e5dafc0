"""The effective mass has its closed forms, and the hint is its slope."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import UnknownNameError
from simloop_ros.guiding.effective_mass import EffectiveMass
from simloop_ros.robot.model import RobotModel

UP = np.array([0.0, 0.0, 1.0])
STEP = 1e-5  # [rad] of central differences: 1e-10 of truncation, 1e-10 of rounding
DIFFERENCES = 1e-6


def test_a_point_mass_weighs_what_it_weighs(sphere: RobotModel) -> None:
    tip = sphere.tips[0]
    mass = EffectiveMass(sphere, tip, tip, 'position').mass(sphere.home, UP)
    assert mass == pytest.approx(sphere.total_mass, rel=1e-12)


def test_what_cannot_move_is_infinitely_heavy(sphere: RobotModel) -> None:
    tip = sphere.tips[0]
    effective = EffectiveMass(sphere, tip, tip, 'position')
    sideways = np.array([1.0, 0.0, 0.0])
    assert effective.mass(sphere.home, sideways) == np.inf
    assert not effective.hint(sphere.home, sideways).direction.any()


def test_two_links_by_hand(two_link: RobotModel) -> None:
    """Against ``1/(u^T J M^-1 J^T u)`` with the inverse from the columns of the mass matrix."""
    tip = two_link.tips[0]
    effective = EffectiveMass(two_link, tip, tip, 'position')
    for q in np.random.default_rng(3).uniform(-1.5, 1.5, (20, 2)):
        data = two_link.pin_model.createData()
        columns = [
            pin.rnea(two_link.pin_model, data, q, np.zeros(2), unit)
            - pin.rnea(two_link.pin_model, data, q, np.zeros(2), np.zeros(2))
            for unit in np.eye(2)
        ]
        jacobian = np.array(
            [
                (two_link.tip_positions(q + STEP * u) - two_link.tip_positions(q - STEP * u))[0]
                for u in np.eye(2)
            ]
        ).T / (2 * STEP)
        j = UP @ jacobian
        want = 1.0 / (j @ np.linalg.inv(np.array(columns)) @ j)
        assert effective.mass(q, UP) == pytest.approx(want, rel=DIFFERENCES)


@pytest.mark.parametrize('task', ['position', 'pose'])
def test_hint_is_the_steepest_descent_in_the_null_space(yumi: RobotModel, task: str) -> None:
    rng = np.random.default_rng(4)
    tip = yumi.tips[0]
    elbow = next(name for name in yumi.links if '4' in name and name[-1] == tip[-1])
    effective = EffectiveMass(yumi, tip, elbow, task)
    rows = 3 if task == 'position' else 6
    for _ in range(10):
        q = rng.uniform(np.maximum(yumi.lower, -1.5), np.minimum(yumi.upper, 1.5))
        u = rng.normal(size=3)
        u /= np.linalg.norm(u)
        hint = effective.hint(q, u)
        data = yumi.pin_model.createData()
        frame = yumi.frame(tip)
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        jacobian = pin.computeFrameJacobian(yumi.pin_model, data, q, frame, axes)[:rows]
        assert np.linalg.norm(hint.direction) == pytest.approx(1.0)
        assert np.abs(jacobian @ hint.direction).max() < 1e-9

        def slope(way: np.ndarray, q: np.ndarray = q, u: np.ndarray = u) -> float:
            ends = effective.mass(q + STEP * way, u), effective.mass(q - STEP * way, u)
            return (ends[0] - ends[1]) / (2 * STEP)

        size = 1.0 + effective.mass(q, u)
        assert hint.mass == effective.mass(q, u)
        assert slope(hint.direction) == pytest.approx(hint.rate, abs=DIFFERENCES * size)
        assert hint.rate < 0.0
        null = np.linalg.svd(jacobian)[2][rows:]
        slopes = np.array([slope(way) for way in null])
        assert hint.rate == pytest.approx(-np.linalg.norm(slopes), abs=DIFFERENCES * size)

        placements = []
        for sign in (1.0, -1.0):
            pin.framesForwardKinematics(yumi.pin_model, data, q + sign * STEP * hint.direction)
            placements.append(data.oMf[yumi.frame(elbow)].translation.copy())
        moved = (placements[0] - placements[1]) / (2 * STEP)
        np.testing.assert_allclose(hint.elbow, moved, atol=DIFFERENCES)


def test_an_unknown_elbow_is_named(yumi: RobotModel) -> None:
    with pytest.raises(UnknownNameError, match='elbow'):
        EffectiveMass(yumi, yumi.tips[0], 'elbow')
