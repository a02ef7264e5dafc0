"""The geometry is read from the model, and recognised."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import files
import math

import numpy as np
import pytest

from simloop_ros.core.errors import ConfigError, UnknownNameError
from simloop_ros.kinematics.inverse import inverse_kinematics
from simloop_ros.kinematics.wrist_arm import wrist_arm
from simloop_ros.robot.chain import chain_to
from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel

EXACT = 1e-12


def test_irb120_has_the_lengths_of_002(irb120: RobotModel) -> None:
    arm = wrist_arm(chain_to(irb120, 'tool0'))
    assert arm is not None
    assert arm.upper == pytest.approx(0.270, abs=EXACT)
    assert arm.fore == pytest.approx(math.hypot(0.070, 0.302), abs=EXACT)
    assert arm.fore_angle == pytest.approx(0.5 * math.pi - math.atan(0.070 / 0.302), abs=EXACT)
    assert (arm.offset, arm.side, arm.elbow, arm.bend) == (0.0, 0.0, 1.0, 0.0)
    np.testing.assert_allclose(arm.to_wrist[:3, 3], [0.0, 0.0, -0.072], atol=EXACT)
    np.testing.assert_allclose(arm.to_arm[:3, 3], [0.0, 0.0, -0.290], atol=EXACT)


@pytest.mark.parametrize('seed', range(3))
def test_other_arms_of_the_family_are_recognised(
    odd_arm: Callable[..., RobotModel], seed: int
) -> None:
    arm = wrist_arm(chain_to(odd_arm(seed), 'tool'))
    assert arm is not None
    assert abs(arm.offset) > 0.01
    assert abs(arm.side) > 0.01
    assert abs(arm.bend) > 0.01


def test_kinova_is_one_of_them() -> None:
    listed = files('example-robot-data') or []
    urdf = next(file for file in listed if str(file).endswith('robots/kinova.urdf'))
    tip = 'j2s6s200_end_effector'
    model = load_robot(RobotConfig(urdf=str(urdf.locate()), tips=(tip,)))
    assert wrist_arm(chain_to(model, tip)) is not None


def test_arm_whose_axes_miss_is_not_of_the_family(odd_arm: Callable[..., RobotModel]) -> None:
    assert inverse_kinematics(odd_arm(0), 'tool').kind == 'analytic'
    assert inverse_kinematics(odd_arm(0, miss=1e-9), 'tool').kind == 'numerical'


@pytest.mark.parametrize('name', ['lwr', 'yumi', 'two_link', 'sphere'])
def test_others_are_numerical(shipped: Callable[[str], RobotModel], name: str) -> None:
    model = shipped(name)
    assert inverse_kinematics(model, model.tips[0]).kind == 'numerical'


def test_part_of_an_arm_is_numerical(irb120: RobotModel) -> None:
    assert inverse_kinematics(irb120, 'link_5').kind == 'numerical'


def test_chain_leaves_out_what_does_not_move_the_tip(
    yumi: RobotModel, odd_arm: Callable[..., RobotModel]
) -> None:
    names = [yumi.joint_names[i] for i in chain_to(yumi, 'tool0_r').joints]
    assert names == [f'yumi_joint_{i}_r' for i in (1, 2, 7, 3, 4, 5, 6)]
    odd = odd_arm(0)
    assert 'finger' not in [odd.joint_names[i] for i in chain_to(odd, 'tool').joints]


def test_bad_tips(irb120: RobotModel) -> None:
    with pytest.raises(UnknownNameError, match="unknown tip 'tool1': did you mean tool0"):
        inverse_kinematics(irb120, 'tool1')
    with pytest.raises(ConfigError, match="no joint moves 'base_link'"):
        inverse_kinematics(irb120, 'base_link')
