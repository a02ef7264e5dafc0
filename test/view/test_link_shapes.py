"""The shapes of links as triangles, from meshes and from primitives."""

from __future__ import annotations

from importlib.metadata import files

import numpy as np
import pytest

pytest.importorskip('viser')

from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.view.page.link_shapes import collision_shapes, visual_shapes

ARM = 'talos_data/robots/talos_left_arm.urdf'
LARGEST = 0.5
"""No point of a link of the arm is further from its frame [m]."""


def test_meshes_of_a_foreign_arm_are_in_the_axes_of_their_links():
    listed = files('example-robot-data') or []
    urdf = next(str(file.locate()) for file in listed if str(file).endswith(ARM))
    model = load_fit_robot(RobotConfig(urdf=urdf, tips=('gripper_left_base_link',)))
    shapes, said = visual_shapes(model)
    assert said == ''
    assert len(shapes) > 8
    for shape in shapes:
        assert shape.link in model.links
        assert shape.faces.max() < len(shape.vertices)
        assert np.abs(shape.vertices).max() < LARGEST


def test_primitives_are_triangles(shipped):
    model = shipped('yumi')
    assert visual_shapes(model)[0]
    assert all(len(shape.faces) for shape in collision_shapes(model))
