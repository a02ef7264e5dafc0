"""A tip that is guided gives way alike in every direction, and no push is answered by a pull."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.guiding.config import AdmittanceConfig
from simloop_ros.guiding.guidance import Guidance
from simloop_ros.guiding.tip_task import IsotropicTips
from simloop_ros.robot.model import RobotModel

H = 0.002
ENOUGH = 1e6
"""A gain that no posture of the tests needs."""
MASS = np.array([0.5, 1.0, 0.3, 0.7, 0.2, 0.4, 0.1])


def jacobian(model: RobotModel, q: np.ndarray) -> np.ndarray:
    """Return the tip's translational Jacobian by differences of its position."""
    step = 1e-6
    columns = [
        (model.tip_positions(q + e)[0] - model.tip_positions(q - e)[0]) / (2.0 * step)
        for e in step * np.eye(model.n)
    ]
    return np.array(columns).T


def postures(model: RobotModel, count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [model.home + rng.uniform(-0.5, 0.5, model.n) for _ in range(count)]


def test_a_force_on_the_tip_moves_it_alike_in_every_direction(lwr: RobotModel) -> None:
    tips = IsotropicTips(lwr, MASS, ENOUGH)
    for q in postures(lwr, 10):
        J = jacobian(lwr, q)
        plain = J @ np.diag(1.0 / MASS) @ J.T
        columns = [J @ (tips.amplify(q, J.T @ f) / MASS) for f in np.eye(3)]
        easiest = np.linalg.eigvalsh(plain)[-1]
        np.testing.assert_allclose(np.array(columns), easiest * np.eye(3), atol=1e-6 * easiest)
        assert np.linalg.cond(plain) > 2.0  # without it, it is not


def test_any_push_is_given_way_to_and_the_answer_is_symmetric(lwr: RobotModel) -> None:
    for gain in (3.0, 10.0):
        tips = IsotropicTips(lwr, MASS, gain)
        for q in postures(lwr, 10):
            answers = np.array([tips.amplify(q, tau) / MASS for tau in np.eye(lwr.n)])
            np.testing.assert_allclose(answers, answers.T, atol=1e-9)
            sizes = np.linalg.eigvalsh(answers * np.sqrt(np.outer(MASS, MASS)))
            assert sizes[0] > 1.0 - 1e-9  # nothing gets heavier
            assert sizes[-1] < gain + 1e-9  # nor lighter than the gain says


def test_torque_that_moves_no_tip_stays_as_it_is(lwr: RobotModel) -> None:
    tips = IsotropicTips(lwr, MASS, 10.0)
    for q in postures(lwr, 5):
        J = jacobian(lwr, q) / MASS
        null = np.linalg.svd(J)[2][3:]
        for tau in null:
            np.testing.assert_allclose(tips.amplify(q, tau), tau, atol=1e-7)


def test_a_stretched_arm_stays_within_the_gain(lwr: RobotModel) -> None:
    tips = IsotropicTips(lwr, MASS, 10.0)
    straight = np.zeros(lwr.n)
    J = jacobian(lwr, straight)
    assert np.linalg.matrix_rank(J, tol=1e-6) < 3
    for f in np.eye(3):
        torque = tips.amplify(straight, J.T @ f)
        assert np.isfinite(torque).all()
        assert np.abs(torque).max() <= 10.0 * np.abs(J.T @ f).max() * np.sqrt(MASS.max() / 0.1)


def test_each_arm_by_itself(yumi: RobotModel) -> None:
    mass = np.ones(yumi.n)
    tips = IsotropicTips(yumi, mass, 10.0)
    data = yumi.pin_model.createData()
    pin.computeJointJacobians(yumi.pin_model, data, yumi.home)
    pin.updateFramePlacements(yumi.pin_model, data)
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    left, right = (
        pin.getFrameJacobian(yumi.pin_model, data, frame, axes)[:3] for frame in yumi.tip_frames
    )
    torque = tips.amplify(yumi.home, left.T @ np.array([1.0, 2.0, 3.0]))
    assert np.abs(torque).max() > 0.0
    assert not (torque[np.abs(right).max(axis=0) > 0.0]).any()


def led_speed(lwr: RobotModel, force: np.ndarray, gain: float) -> float:
    """Return how fast a constant force on the tip leads it along itself, after a while [m/s]."""
    config = AdmittanceConfig(
        isotropy=gain, stiffness=0.0, dead_zone=0.0, stuck_time=np.inf, adapt=False
    )
    guidance = Guidance(lwr, config, H)
    q = lwr.home
    for _ in range(100):
        before, q = q, guidance.step(lwr.home, jacobian(lwr, q).T @ force).position
    return float((lwr.tip_positions(q)[0] - lwr.tip_positions(before)[0]) @ force / H)


def test_guidance_leads_a_tip_at_the_same_speed_in_every_direction(lwr: RobotModel) -> None:
    plain = [led_speed(lwr, f, 1.0) for f in np.eye(3)]
    isotropic = [led_speed(lwr, f, 100.0) for f in np.eye(3)]
    assert max(plain) / min(plain) > 2.0
    assert max(isotropic) / min(isotropic) == pytest.approx(1.0, abs=0.05)
    assert min(isotropic) > min(plain)
