"""The shapes of links as triangles, from meshes and from primitives."""

from __future__ import annotations

from importlib.metadata import files

import numpy as np
import pytest
import trimesh

pytest.importorskip('viser')

from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.robot.model import RobotModel
from simloop_ros.view.page.body_nodes import edges_of
from simloop_ros.view.page.coarse_mesh import MOST_TRIANGLES, Mesh, clustered, coarse, count
from simloop_ros.view.page.link_shapes import collision_shapes, visual_shapes

ARM = 'talos_data/robots/talos_left_arm.urdf'
HEAVY = 'z1_description/urdf/z1.urdf'
CELL = 0.015
"""Edge of a cell of vertices [m]."""
LARGEST = 0.5
"""No point of a link of the arm is further from its frame [m]."""


def arm(path: str, **config: tuple[str, ...]) -> RobotModel:
    listed = files('example-robot-data') or []
    urdf = next(str(file.locate()) for file in listed if str(file).endswith(path))
    return load_fit_robot(RobotConfig(urdf=urdf, **config))


def test_meshes_of_a_foreign_arm_are_in_the_axes_of_their_links():
    model = arm(ARM, tips=('gripper_left_base_link',))
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


def test_a_robot_with_too_many_triangles_is_drawn_with_fewer():
    shapes, said = visual_shapes(arm(HEAVY))
    drawn = sum(len(shape.faces) for shape in shapes)
    assert 0.3 * MOST_TRIANGLES < drawn <= MOST_TRIANGLES
    assert said == f'{drawn} of 244392 triangles are drawn'


def test_clustered_vertices_keep_a_sphere_a_sphere():
    ball = trimesh.creation.icosphere(5, 0.1)
    mesh = Mesh(np.array(ball.vertices), np.array(ball.faces))
    few = clustered(mesh, CELL)
    assert len(few.faces) < 0.1 * len(mesh.faces)
    again = trimesh.Trimesh(few.vertices, few.faces)
    assert np.abs(np.linalg.norm(few.vertices, axis=1) - 0.1).max() < CELL
    assert again.is_watertight
    assert again.area == pytest.approx(ball.area, rel=0.05)


def test_a_mesh_within_the_limit_stays_as_it_is():
    ball = trimesh.creation.icosphere(2, 0.1)
    mesh = Mesh(np.array(ball.vertices), np.array(ball.faces))
    assert coarse([mesh, mesh], 640) == [mesh, mesh]
    assert count(coarse([mesh, mesh], 639)) < 640


def test_the_edges_of_a_box_are_twelve_lines_along_its_axes() -> None:
    size = np.array([1.0, 2.0, 3.0])
    edges = edges_of(size)
    lengths = np.abs(edges[:, 1] - edges[:, 0])
    assert np.count_nonzero(lengths) == len(edges) == 12
    assert np.array_equal(lengths.sum(axis=0), 4.0 * size)
    assert np.all(np.abs(edges) == 0.5 * size)
