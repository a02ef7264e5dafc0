"""The tips stay while the rest of the robot gives way, and nothing is added to its energy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.core.values import JointState
from simloop_ros.guiding.config import AdmittanceConfig
from simloop_ros.guiding.guidance import Guidance
from simloop_ros.guiding.tip_task import TipTask
from simloop_ros.robot.model import RobotModel

H = 0.002
MASS = np.array([0.5, 1.0, 0.3, 0.7, 0.2, 0.4, 0.1])
TIP_STAYS = 1e-5  # [m], [rad]: of second order in a step of 2 ms


def pose(model: RobotModel, q: np.ndarray) -> pin.SE3:
    data = model.pin_model.createData()
    pin.framesForwardKinematics(model.pin_model, data, q)
    return data.oMf[model.tip_frames[0]].copy()


@pytest.mark.parametrize('keep', ['position', 'pose'])
def test_only_motion_that_leaves_the_tip_is_left(lwr: RobotModel, keep: str) -> None:
    rng = np.random.default_rng(0)
    task = TipTask(lwr, keep, MASS)  # type: ignore[arg-type]
    for _ in range(20):
        velocity = rng.normal(size=lwr.n)
        kept = task.project(lwr.home, JointState(lwr.home, velocity))
        np.testing.assert_array_equal(kept.position, lwr.home)
        again = task.project(lwr.home, kept)
        np.testing.assert_allclose(again.velocity, kept.velocity, atol=1e-5)
        before = pose(lwr, lwr.home)
        after = pose(lwr, lwr.home + 1e-6 * kept.velocity)
        moved = np.array(pin.log6(before.actInv(after)))[: 3 if keep == 'position' else 6]
        np.testing.assert_allclose(moved / 1e-6, 0.0, atol=2e-5)
        # Orthogonal in the metric of the energy: it is only taken out.
        taken = velocity - kept.velocity
        assert (MASS * taken) @ kept.velocity == pytest.approx(0.0, abs=1e-4)
        assert MASS @ kept.velocity**2 <= MASS @ velocity**2


@pytest.mark.parametrize('keep', ['position', 'pose'])
def test_an_elbow_that_is_pushed_aside_leaves_the_tip(lwr: RobotModel, keep: str) -> None:
    config = AdmittanceConfig(keep=keep, stiffness=0.0)  # type: ignore[arg-type]
    guidance = Guidance(lwr, config, H)
    data, wanted = lwr.pin_model.createData(), pose(lwr, lwr.home)
    elbow = lwr.frame('lwr_4_link')
    position = lwr.home
    for _ in range(500):
        jacobian = pin.computeFrameJacobian(
            lwr.pin_model, data, position, elbow, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
        guided = guidance.step(lwr.home, jacobian[:3].T @ np.array([0.0, 20.0, 0.0]))
        position = guided.position
        away = np.array(pin.log6(wanted.actInv(pose(lwr, position))))
        np.testing.assert_allclose(away[: 3 if keep == 'position' else 6], 0.0, atol=TIP_STAYS)
    assert np.abs(position - lwr.home).max() > 0.1


def pushed_elbow(model: RobotModel, guidance: Guidance, force: float, steps: int) -> np.ndarray:
    """Return the joints after some steps in which a growing force [N] pushes the elbow aside."""
    data, elbow, position = model.pin_model.createData(), model.frame('lwr_4_link'), model.home
    for i in range(steps):
        jacobian = pin.computeFrameJacobian(
            model.pin_model, data, position, elbow, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
        torque = jacobian[:3].T @ np.array([0.0, min(1.0, i / 200) * force, 0.0])
        position = guidance.step(model.home, torque).position
    return position


def test_limits_are_those_of_the_motion_that_is_left(lwr: RobotModel) -> None:
    """Free joints would exceed the largest acceleration; those that keep the tip do not."""
    limited = Guidance(lwr, AdmittanceConfig(keep='pose', stiffness=0.0), H)
    free = Guidance(lwr, AdmittanceConfig(keep='pose', stiffness=0.0, acceleration=1e6), H)
    away = pushed_elbow(lwr, limited, 40.0, 500) - lwr.home
    np.testing.assert_array_equal(pushed_elbow(lwr, free, 40.0, 500) - lwr.home, away)
    assert np.abs(away).max() > 0.1


def test_a_joint_at_the_end_of_its_range_leaves_the_tip(lwr: RobotModel) -> None:
    config = AdmittanceConfig(keep='pose', stiffness=0.0)
    away = pushed_elbow(lwr, Guidance(lwr, config, H), 20.0, 500) - lwr.home
    joint = int(np.abs(away).argmax())
    upper, lower = lwr.upper.copy(), lwr.lower.copy()
    end = lwr.home[joint] + 0.5 * away[joint]
    (upper if away[joint] > 0.0 else lower)[joint] = end
    narrow = replace(lwr, lower=lower, upper=upper)
    position = pushed_elbow(narrow, Guidance(narrow, config, H), 20.0, 1500)
    assert position[joint] == pytest.approx(end, abs=1e-2)
    off = np.array(pin.log6(pose(lwr, lwr.home).actInv(pose(lwr, position))))
    np.testing.assert_allclose(off, 0.0, atol=TIP_STAYS)


def test_a_gap_without_torques_leaves_the_tip(lwr: RobotModel) -> None:
    guidance = Guidance(lwr, AdmittanceConfig(keep='pose', stiffness=0.0), H)
    position = pushed_elbow(lwr, guidance, 40.0, 500)
    speed = float(np.abs(guidance.deflection.velocity).max())
    guidance.coast(lwr.home, 25, 0.05, 0.97)
    coasted = lwr.home + guidance.deflection.position
    assert np.abs(coasted - position).max() > 0.5 * 0.05 * speed
    off = np.array(pin.log6(pose(lwr, lwr.home).actInv(pose(lwr, coasted))))
    np.testing.assert_allclose(off, 0.0, atol=TIP_STAYS)
