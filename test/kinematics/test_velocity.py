"""The tip moves as the Jacobian says; near a singularity the inverse stays small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import ConfigError, UnknownNameError
from simloop_ros.kinematics.velocity import DAMPING_BOUND, TipVelocity
from simloop_ros.robot.model import RobotModel

DIFFERENCE = 1e-6  # [s]
SECOND_ORDER = 1e-5  # of a one-sided difference: DIFFERENCE times the acceleration
EXACT = 1e-9
LARGEST_GAIN = 1.07 / DAMPING_BOUND  # of the damped inverse, worked out in docs/kinematics.md


@pytest.mark.parametrize('name', ['irb120', 'lwr', 'yumi', 'two_link', 'sphere'])
def test_tip_moves_as_the_jacobian_says(
    shipped: Callable[[str], RobotModel], name: str, rng: np.random.Generator
) -> None:
    model = shipped(name)
    tip = model.tips[-1]
    velocity = TipVelocity(model, tip)
    for _ in range(5):
        q, v = model.home + rng.uniform(-0.3, 0.3, model.n), rng.uniform(-1.0, 1.0, model.n)
        (before,) = model.frame_poses(q, [tip])
        (after,) = model.frame_poses(q + DIFFERENCE * v, [tip])
        turned = pin.log3(after.rotation @ before.rotation.T)
        moved = np.concatenate((after.translation - before.translation, turned)) / DIFFERENCE
        np.testing.assert_allclose(velocity.tip_velocity(q, v), moved, atol=SECOND_ORDER)


def test_inverse_undoes_the_jacobian_away_from_singularities(irb120: RobotModel) -> None:
    velocity = TipVelocity(irb120, 'tool0')
    assert velocity.damping(irb120.home) == 0.0
    for wanted in np.eye(6):
        v = velocity.joint_velocity(irb120.home, wanted)
        np.testing.assert_allclose(velocity.tip_velocity(irb120.home, v), wanted, atol=EXACT)


def test_redundant_arm_takes_the_least_velocities(lwr: RobotModel) -> None:
    """Any other velocities that move the tip so are larger: they differ by a null motion."""
    velocity = TipVelocity(lwr, 'flange')
    wanted = np.array([0.1, -0.2, 0.3, 0.4, -0.5, 0.6])
    v = velocity.joint_velocity(lwr.home, wanted)
    null = np.linalg.svd(velocity.jacobian(lwr.home))[2][-1]
    np.testing.assert_allclose(velocity.jacobian(lwr.home) @ null, 0.0, atol=EXACT)
    assert v @ null == pytest.approx(0.0, abs=EXACT)
    np.testing.assert_allclose(velocity.tip_velocity(lwr.home, v), wanted, atol=EXACT)


def test_other_arm_stands_still(yumi: RobotModel) -> None:
    v = TipVelocity(yumi, 'tool0_l').joint_velocity(yumi.home, np.ones(6))
    left = np.array([name.endswith('_l') for name in yumi.joint_names])
    assert np.all(v[left] != 0.0)
    assert np.all(v[~left] == 0.0)


def test_velocities_stay_bounded_through_the_wrist_singularity(irb120: RobotModel) -> None:
    velocity = TipVelocity(irb120, 'tool0')
    angles = np.concatenate(([0.0], np.logspace(-12, -0.5, 60)))
    dampings = []
    for angle in angles:
        q = irb120.home.copy()
        q[4] = angle
        gain = np.linalg.norm(
            np.column_stack([velocity.joint_velocity(q, x) for x in np.eye(6)]), 2
        )
        assert gain <= LARGEST_GAIN
        dampings.append(velocity.damping(q))
    assert np.all(np.diff(dampings) <= 0.0)  # the nearer, the more
    assert dampings[0] > 0.0
    assert dampings[-1] == 0.0
    undamped = np.linalg.pinv(velocity.jacobian(np.where(np.arange(6) == 4, 1e-6, irb120.home)))
    assert np.linalg.norm(undamped, 2) > 1e4  # what it would have been


def test_damping_sets_in_without_a_kink(irb120: RobotModel) -> None:
    """The slope of its square is 0 where it begins."""
    q = irb120.home.copy()

    def smallest_and_square(angle: float) -> tuple[float, float]:
        q[4] = angle
        velocity = TipVelocity(irb120, 'tool0')
        return velocity.dexterity(q).smallest, velocity.damping(q) ** 2

    values = np.array([smallest_and_square(angle) for angle in np.linspace(0.001, 0.2, 400)])
    begin = int(np.argmax(values[:, 0] >= DAMPING_BOUND))
    slopes = np.abs(np.diff(values[:, 1]) / np.diff(values[:, 0]))
    assert slopes[begin - 1] < 0.05 * slopes.max()
    assert np.all(values[begin:, 1] == 0.0)


def test_dexterity_vanishes_at_the_singularities(irb120: RobotModel) -> None:
    velocity = TipVelocity(irb120, 'tool0')
    home = velocity.dexterity(irb120.home)
    jacobian = velocity.jacobian(irb120.home)
    assert home.manipulability == pytest.approx(abs(np.linalg.det(jacobian)))
    assert home.reciprocal_condition == pytest.approx(1.0 / np.linalg.cond(jacobian))
    wrist, elbow = irb120.home.copy(), irb120.home.copy()
    wrist[4] = 0.0
    elbow[2] = -np.arctan2(0.302, 0.07)
    for q in (wrist, elbow):
        found = velocity.dexterity(q)
        assert found.manipulability < EXACT
        assert found.smallest < EXACT
        assert found.reciprocal_condition < EXACT


def test_bad_arguments(irb120: RobotModel) -> None:
    with pytest.raises(UnknownNameError, match='tool0'):
        TipVelocity(irb120, 'tool')
    with pytest.raises(ConfigError, match='no joint moves'):
        TipVelocity(irb120, 'base_link')
    with pytest.raises(ConfigError, match='positive'):
        TipVelocity(irb120, 'tool0', bound=0.0)


BAD_VECTORS: dict[str, tuple[Any, str]] = {
    'too short': (np.zeros(5), r'of shape \(5,\): {} has 6'),
    'a column': (np.zeros((6, 1)), r'of shape \(6, 1\): {} has 6'),
    'a number': (0.0, r'of shape \(\): {} has 6'),
    'None': (None, r'of shape \(\): {} has 6'),
    'words': (['a'] * 6, 'not an array of numbers'),
    'ragged': ([0.0, [1.0]], 'not an array of numbers'),
    'NaN': ([0.0, np.nan, 0.0, 0.0, 0.0, 0.0], 'not finite'),
    'infinite': (np.full(6, np.inf), 'not finite'),
}


@pytest.mark.parametrize('name', BAD_VECTORS)
def test_bad_joints_and_velocities(irb120: RobotModel, name: str) -> None:
    velocity = TipVelocity(irb120, 'tool0')
    bad, message = BAD_VECTORS[name]
    good = np.zeros(6)
    for what, owner, call in (
        ('joints', 'irb120', lambda: velocity.jacobian(bad)),
        ('joints', 'irb120', lambda: velocity.damping(bad)),
        ('joints', 'irb120', lambda: velocity.dexterity(bad)),
        ('joints', 'irb120', lambda: velocity.tip_velocity(bad, good)),
        ('joints', 'irb120', lambda: velocity.joint_velocity(bad, good)),
        ('joint velocities', 'irb120', lambda: velocity.tip_velocity(good, bad)),
        ('velocities', 'a tip', lambda: velocity.joint_velocity(good, bad)),
    ):
        with pytest.raises(ConfigError, match=f'^{what} .*{message.format(owner)}'):
            call()


def test_lists_and_whole_numbers_are_taken(irb120: RobotModel) -> None:
    velocity = TipVelocity(irb120, 'tool0')
    whole: Any = [0, 0, 0, 0, 1, 0]
    for call in (velocity.tip_velocity, velocity.joint_velocity):
        expected = call(np.array(whole, float), np.array(whole, float))
        assert np.array_equal(call(whole, whole), expected)
