"""Start postures: what is bad about one, and that the proposal is better."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simloop_ros.planning.home import HomeSearch
from simloop_ros.planning.self_collision import SelfCollision
from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.loading import load_robot
from simloop_ros.scenario.robot_files import robot_config

MASS = """<inertial><origin xyz="0 0 0.1"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>"""
FOLDING = f"""<robot name="folding">
  <link name="base"><collision><origin xyz="0 0 0.1365"/>
    <geometry><cylinder length="0.273" radius="0.06"/></geometry></collision></link>
  <joint name="twist" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="50" velocity="1"/></joint>
  <link name="upper">{MASS}</link>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin rpy="-1.5708 -1.5708 0" xyz="0.069 0 0.257"/>
    <axis xyz="0 0 1"/><limit lower="-0.1" upper="2.6" effort="50" velocity="1"/></joint>
  <link name="lower">{MASS}</link>
  <joint name="wrist" type="revolute"><parent link="lower"/><child link="hand"/>
    <origin rpy="1.5708 0 1.5708" xyz="0.104 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="50" velocity="1"/></joint>
  <link name="hand">{MASS}<collision><origin xyz="0 0 -0.04"/>
    <geometry><cylinder length="0.08" radius="0.06"/></geometry></collision></link>
</robot>"""
"""An arm that touches its base where the elbow is bent by 2.1 rad or more, at any twist."""


def test_a_stretched_arm_is_bad_and_a_bent_one_is_proposed() -> None:
    model = load_fit_robot(robot_config('two_link'))
    search = HomeSearch(model, model.tips)
    (fault,) = search.faults(np.zeros(2))
    assert 'tip cannot be moved in every direction' in fault
    better = search.propose()
    assert better is not None
    assert search.faults(better) == []
    assert abs(better[1]) > 0.1  # the elbow is bent


def test_the_arms_of_yumi_would_overlap_at_zero() -> None:
    model = load_fit_robot(robot_config('yumi'))
    search = HomeSearch(model, model.tips)
    assert search.faults(model.home) == []
    assert any('touches' in fault for fault in search.faults(np.zeros(model.n)))


def test_a_joint_at_the_end_of_its_range_is_bad() -> None:
    model = load_fit_robot(robot_config('irb120'))
    search = HomeSearch(model, model.tips)
    q = model.home.copy()
    q[0] = model.upper[0]
    assert search.faults(q) == ['joint_1 at the end of the range']


def test_an_overlap_is_found_at_every_twist_and_whatever_was_asked_before(tmp_path: Path) -> None:
    """The library missed it where the two axes lie in one plane, unless asked elsewhere before."""
    (tmp_path / 'folding.urdf').write_text(FOLDING)
    model = load_robot(RobotConfig(urdf='folding.urdf', tips=('hand',)), tmp_path)
    used = SelfCollision(model, model.home)
    for elbow in (2.2, 2.4, 2.6):
        for twist in (0.0, 1.0, 0.0):
            q = np.array([twist, elbow, 0.0])
            fresh = SelfCollision(model, model.home)
            assert fresh.first(q) == used.first(q) == ('base', 'hand')
    assert used.first(np.array([0.0, 1.9, 0.0])) is None


def test_a_posture_at_which_links_overlap_is_bad(tmp_path: Path) -> None:
    (tmp_path / 'folding.urdf').write_text(FOLDING)
    model = load_robot(RobotConfig(urdf='folding.urdf', tips=('hand',)), tmp_path)
    faults = HomeSearch(model, model.tips).faults(np.array([0.0, 2.3, 0.0]))
    assert 'base touches hand' in faults
