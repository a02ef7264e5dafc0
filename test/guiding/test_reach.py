"""How far a robot reaches beyond its joints is never less than the lever of its tip."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from simloop_ros.guiding.touch import LEAST_REACH, reaches
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.robot_files import robot_config


@pytest.mark.parametrize('name', ['lwr', 'yumi', 'two_link'])
def test_no_posture_has_a_longer_lever(name: str) -> None:
    model = load_fit_robot(robot_config(name))
    found, data = reaches(model), model.pin_model.createData()
    longest = np.zeros(model.n)
    rng = np.random.default_rng(1)
    lower, upper = np.maximum(model.lower, -3.0), np.minimum(model.upper, 3.0)
    for _ in range(300):
        q = rng.uniform(lower, upper)
        for frame in model.tip_frames:
            jacobian = pin.computeFrameJacobian(
                model.pin_model, data, q, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            )
            longest = np.maximum(longest, np.linalg.norm(jacobian[:3], axis=0))
    assert (found >= longest - 1e-9).all()
    assert (found >= LEAST_REACH).all()


def test_the_lwr_is_as_long_as_it_is_built() -> None:
    """From its second joint: 0.2, 0.2, 0.2 and 0.19 m, and 0.078 m to the flange."""
    assert reaches(load_fit_robot(robot_config('lwr')))[1] == pytest.approx(0.868, abs=1e-3)


def test_a_joint_that_slides_moves_what_it_carries_as_far_as_itself() -> None:
    model = load_fit_robot(robot_config('sphere'))
    slides = [joint.shortname().startswith('JointModelP') for joint in model.pin_model.joints][1:]
    assert (reaches(model)[slides] == 1.0).all()
