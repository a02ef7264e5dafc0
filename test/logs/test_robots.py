"""The robot of a log."""

from __future__ import annotations

import pytest
from robot_logs import recording, write_bag

from simloop_ros.core.errors import ConfigError, LogError
from simloop_ros.logs.robots import example_robots, named_robot, read_with_robot, robot_of_log


def test_robots_by_name():
    assert named_robot('lwr').urdf.endswith(('.xacro', '.urdf'))
    assert named_robot('panda').urdf == str(example_robots()['panda'])
    assert named_robot('my.urdf').urdf == 'my.urdf'
    with pytest.raises(ConfigError, match='did you mean panda'):
        named_robot('pandda')


def test_joints_that_the_log_does_not_have_are_locked():
    arm = [f'panda_joint{i}' for i in range(1, 8)]
    model = robot_of_log(named_robot('panda'), [*arm, 'elsewhere'], 'log')
    assert list(model.joint_names) == arm
    assert robot_of_log(named_robot('lwr'), (), 'log').n == 7


def test_names_that_are_nearly_right_are_refused():
    names = [f'panda_joint_{i}' for i in range(1, 8)]
    with pytest.raises(LogError, match=r"'panda_joint_1'.*did you mean panda_joint1"):
        robot_of_log(named_robot('panda'), [*names, 'panda_finger_joint1'], 'log')
    with pytest.raises(LogError, match='is it a log of'):
        robot_of_log(named_robot('lwr'), ['shoulder', 'elbow'], 'log')


def test_a_log_is_read_with_its_robot(tmp_path, shipped):
    made = recording(shipped('lwr'), 0.2)
    found, model = read_with_robot(write_bag(tmp_path / 'bag', made), 'lwr')
    assert model.joint_names == found.joint_names == made.joint_names
    assert found.notes == ()
