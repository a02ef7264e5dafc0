"""Joints for the poses of both tips."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.bimanual.tip_follower import POSE_TOLERANCE, TipFollower
from simloop_ros.kinematics.velocity import TipVelocity
from simloop_ros.robot.model import RobotModel


def moved(model: RobotModel, by: float) -> list[pin.SE3]:
    rng = np.random.default_rng(7)
    return [
        pin.SE3(pin.exp3(by * rng.normal(size=3)) @ pose.rotation, pose.translation + by * way)
        for pose, way in zip(
            model.frame_poses(model.home, model.tips), rng.normal(size=(2, 3)), strict=True
        )
    ]


@pytest.mark.parametrize('by', [1e-6, 1e-3, 0.03])
def test_both_tips_get_there(two_arms: RobotModel, by: float) -> None:
    goals = moved(two_arms, by)
    found = TipFollower(two_arms).follow(two_arms.home, goals)
    assert found.converged
    for pose, goal in zip(two_arms.frame_poses(found.joints, two_arms.tips), goals, strict=True):
        assert np.abs(pose.translation - goal.translation).max() <= POSE_TOLERANCE
        assert np.linalg.norm(pin.log3(pose.rotation.T @ goal.rotation)) <= 2.0 * POSE_TOLERANCE


def test_joints_that_are_there_stay_bit_for_bit(two_arms: RobotModel) -> None:
    follower = TipFollower(two_arms)
    found = follower.follow(two_arms.home, follower.poses(two_arms.home))
    np.testing.assert_array_equal(found.joints, two_arms.home)


def test_the_least_change(two_arms: RobotModel) -> None:
    """A small step is that of each arm's own pseudo-inverse, 002 (24)."""
    by, home = 1e-5, two_arms.home
    goals = moved(two_arms, by)
    step = TipFollower(two_arms).follow(home, goals).joints - home
    least = np.zeros(two_arms.n)
    for tip, pose, goal in zip(
        two_arms.tips, two_arms.frame_poses(home, two_arms.tips), goals, strict=True
    ):
        twist = [*(goal.translation - pose.translation)]
        twist += [*pin.log3(goal.rotation @ pose.rotation.T)]
        least += TipVelocity(two_arms, tip).joint_velocity(home, np.array(twist))
    assert np.abs(step - least).max() < 1e-3 * np.abs(least).max()


@pytest.mark.parametrize('far', [3.0, np.nan])
def test_what_is_not_there_is_not_met(workerbot: RobotModel, far: float) -> None:
    goals = moved(workerbot, 1e-3)
    goals[1] = pin.SE3(goals[1].rotation, goals[1].translation + np.array([far, 0.0, 0.0]))
    found = TipFollower(workerbot).follow(workerbot.home, goals)
    assert not found.converged
    assert np.argmax(np.nan_to_num(found.errors, nan=np.inf)) == 1
