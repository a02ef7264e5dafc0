"""A robot of a description: with the joints that are heard, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from simloop_ros.core.errors import ModelError
from simloop_ros.robot.model import RobotModel
from simloop_ros.ros.messages.description import with_mesh_addresses
from simloop_ros.view.graph.heard_robot import at_rest, heard_robot


def test_it_is_the_robot_that_was_described(yumi: RobotModel) -> None:
    heard = heard_robot(with_mesh_addresses(yumi.urdf), yumi.joint_names[::-1], yumi.tips)
    assert (heard.joint_names, heard.tips) == (yumi.joint_names, yumi.tips)
    q = yumi.home
    assert heard.tip_positions(q) == pytest.approx(yumi.tip_positions(q))
    assert at_rest(heard, q).home == pytest.approx(q)


def test_joints_that_nobody_tells_of_stay_where_they_are(yumi: RobotModel) -> None:
    known = yumi.joint_names[:-1]
    heard = heard_robot(yumi.urdf, known, (*yumi.tips, 'nose'))
    assert heard.joint_names == known
    assert heard.tips == yumi.tips
    assert np.isfinite(heard.home).all()


@pytest.mark.parametrize('urdf', ['', '<robot', '<robot name="r"><link name="a"/></robot>'])
def test_what_is_no_arm_is_refused_in_a_line(urdf: str) -> None:
    with pytest.raises(ModelError, match='robot_description') as refused:
        heard_robot(urdf, ['joint_1'], [])
    assert '\n' not in str(refused.value)
