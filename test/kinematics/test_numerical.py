"""Numerical inverse kinematics: any arm, within its limits, the same answer every time."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import files
import math

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.errors import UnreachableError
from simloop_ros.kinematics.inverse import inverse_kinematics
from simloop_ros.kinematics.numerical import NumericalInverse
from simloop_ros.robot.chain import chain_to
from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel

ASKED = 1e-9  # [m and rad]
AROUND = 0.3
"""How far the present joints are from those that made the pose [rad]."""


def pose_of(model: RobotModel, q: np.ndarray, tip: str) -> pin.SE3:
    return model.frame_poses(q, [tip])[0]


def away(model: RobotModel, q: np.ndarray, pose: pin.SE3, tip: str) -> float:
    return float(np.abs(pin.log6(pose_of(model, q, tip).actInv(pose)).vector).max())


def postures(model: RobotModel, count: int, rng: np.random.Generator) -> np.ndarray:
    low, high = np.maximum(model.lower, -math.pi), np.minimum(model.upper, math.pi)
    return rng.uniform(low, high, (count, model.n))


@pytest.fixture(scope='module')
def ur5() -> RobotModel:
    """Return an arm of six joints whose wrist is not spherical."""
    listed = files('example-robot-data') or []
    urdf = next(file for file in listed if str(file).endswith('urdf/ur5_robot.urdf'))
    return load_robot(RobotConfig(urdf=str(urdf.locate()), tips=('tool0',)))


@pytest.fixture(params=['lwr', 'yumi', 'two_link', 'sphere', 'ur5'])
def model(
    request: pytest.FixtureRequest, shipped: Callable[[str], RobotModel], ur5: RobotModel
) -> RobotModel:
    return ur5 if request.param == 'ur5' else shipped(request.param)


def test_solves_what_a_posture_gives(model: RobotModel, rng: np.random.Generator) -> None:
    """Nearer to the present joints than the posture itself, or just as near."""
    tip = model.tips[0]
    solver = inverse_kinematics(model, tip)
    assert solver.kind == 'numerical'
    moving = list(solver.chain.joints)
    for q in postures(model, 8, rng):
        pose = pose_of(model, q, tip)
        near = np.clip(q + rng.uniform(-AROUND, AROUND, model.n), model.lower, model.upper)
        found = solver.nearest(pose, near)
        assert away(model, found, pose, tip) <= ASKED
        assert np.all((found >= model.lower) & (found <= model.upper))
        assert np.linalg.norm((found - near)[moving]) <= np.linalg.norm((q - near)[moving]) + 1e-6
        others = np.delete(np.arange(model.n), moving)
        np.testing.assert_array_equal(found[others], near[others])
        np.testing.assert_array_equal(solver.nearest(pose, near), found)


def test_restarts_solve_what_the_present_joints_do_not_lead_to(
    lwr: RobotModel, rng: np.random.Generator
) -> None:
    solver = inverse_kinematics(lwr, 'flange')
    for q in postures(lwr, 10, rng):
        pose = pose_of(lwr, q, 'flange')
        assert away(lwr, solver.nearest(pose, lwr.home), pose, 'flange') <= ASKED


def test_all_are_among_the_analytic_ones(irb120: RobotModel, rng: np.random.Generator) -> None:
    """On an arm that both can do; nearest of both is the same from nearby."""
    exact = inverse_kinematics(irb120, 'tool0')
    numerical = NumericalInverse(irb120, 'tool0', chain_to(irb120, 'tool0'))
    assert exact.kind == 'analytic'
    for q in ([0.3, 0.2, -0.4, 0.5, 0.7, 0.6], [-1.0, 0.4, 0.1, -1.2, -0.8, 2.0]):
        pose = pose_of(irb120, np.array(q), 'tool0')
        every, found = exact.all(pose), numerical.all(pose)
        assert len(found) >= 2
        for solution in found:
            # Of joint 6 it has one turn only.
            turns = np.abs(np.exp(1j * every) - np.exp(1j * solution)).max(axis=1)
            assert turns.min() <= 1e-8
        near = np.array(q) + rng.uniform(-0.1, 0.1, 6)
        np.testing.assert_allclose(
            numerical.nearest(pose, near), exact.nearest(pose, near), atol=1e-8
        )


def test_redundant_arm_is_as_near_as_it_can_be(lwr: RobotModel, rng: np.random.Generator) -> None:
    """What is left of the way to the present joints cannot be gone without moving the tip."""
    solver = inverse_kinematics(lwr, 'flange')
    near = lwr.home + rng.uniform(-0.2, 0.2, 7)
    pose = pose_of(lwr, lwr.home, 'flange')
    found = solver.nearest(pose, near)
    assert np.all((found > lwr.lower) & (found < lwr.upper))
    jacobian = pin.computeFrameJacobian(
        lwr.pin_model, lwr.pin_model.createData(), found, lwr.frame('flange')
    )
    null = np.linalg.svd(jacobian)[2][-1]
    assert abs(null @ (near - found)) < 1e-5


def test_along_is_continuous(lwr: RobotModel) -> None:
    solver = inverse_kinematics(lwr, 'flange')
    start, beside = pose_of(lwr, lwr.home, 'flange'), np.array([0.0, 0.2, 0.0])
    poses = [
        pin.SE3(start.rotation, place)
        for place in np.linspace(start.translation, start.translation + beside, 30)
    ]
    course = solver.along(poses, lwr.home)
    assert np.abs(np.diff(course, axis=0)).max() < 0.05
    for q, pose in zip(course, poses, strict=True):
        assert away(lwr, q, pose, 'flange') <= ASKED


def test_many_at_once(lwr: RobotModel, rng: np.random.Generator) -> None:
    solver = inverse_kinematics(lwr, 'flange')
    near = lwr.home + rng.uniform(-AROUND, AROUND, (3, 7))
    poses = [pose_of(lwr, lwr.home, 'flange') for _ in range(3)]
    poses[1] = pin.SE3(np.eye(3), np.array([0.0, 0.0, 2.0]))
    found = solver.nearest_each(poses, near)
    assert np.isnan(found[1]).all()
    for i in (0, 2):
        np.testing.assert_array_equal(found[i], solver.nearest(poses[i], near[i]))


def test_out_of_reach(lwr: RobotModel) -> None:
    """Straight up the arm ends at 1.178 m."""
    solver = inverse_kinematics(lwr, 'flange')
    pose = pin.SE3(np.eye(3), np.array([0.0, 0.0, 1.178 + 0.05]))
    with pytest.raises(UnreachableError, match=r'out of reach by .* m and .* rad') as caught:
        solver.nearest(pose, lwr.home)
    assert caught.value.kind == 'out_of_reach'
    assert 0.0 < caught.value.missing <= 0.05 + 1e-6
    assert solver.all(pose).shape == (0, 7)


def test_limit_is_named(two_link: RobotModel, sphere: RobotModel) -> None:
    slide = inverse_kinematics(sphere, 'sphere')
    pose = pose_of(sphere, sphere.upper + 0.5, 'sphere')
    with pytest.raises(UnreachableError, match=r'only beyond the limit of slide \(by 0\.5') as got:
        slide.nearest(pose, sphere.home)
    assert got.value.kind == 'joint_limit'
    assert got.value.joints == ('slide',)
    # Out of its plane no joint can bring it.
    turned = pin.SE3(pin.exp3(np.array([0.5, 0.0, 0.0])), np.array([1.0, 0.0, 0.5]))
    with pytest.raises(UnreachableError, match='out of reach'):
        inverse_kinematics(two_link, 'tip').nearest(turned, two_link.home)


def test_bad_poses(lwr: RobotModel) -> None:
    solver = inverse_kinematics(lwr, 'flange')
    bad = pin.SE3(np.eye(3), np.array([np.nan, 0.0, 0.5]))
    with pytest.raises(UnreachableError, match='not finite'):
        solver.nearest(bad, lwr.home)
    inside = pin.SE3(np.eye(3), np.array([0.0, 0.0, 0.05]))
    with pytest.raises(UnreachableError, match='would be inside lwr_base_link'):
        solver.nearest(inside, lwr.home)
    far = pin.SE3(np.eye(3), np.array([1e308, 1e308, 0.0]))
    with pytest.raises(UnreachableError, match='out of reach'):
        solver.nearest(far, lwr.home)
    assert len(solver.all(far.homogeneous)) == 0
