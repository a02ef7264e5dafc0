"""A point inside the base is noticed, whatever the base is made of."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from simloop_ros.kinematics.fixed_shapes import FixedShapes
from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel

ROBOT = """<robot name="r"><link name="base"><collision>
  <origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><geometry>{shape}</geometry>
</collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="9"/></geometry></collision></link></robot>"""
SIZE = np.array([0.2, 0.3, 0.4])
SHAPES = {
    'box': '<box size="0.2 0.3 0.4"/>',
    'mesh': '<mesh filename="box.obj" scale="0.1 0.15 0.2"/>',
}


@pytest.fixture
def robot(tmp_path: Path) -> Callable[[str], RobotModel]:
    """Return the maker of a robot whose base is a box, as a solid or as its six sides."""
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    sides = ['1 2 4 3', '5 7 8 6', '1 5 6 2', '3 4 8 7', '1 3 7 5', '2 6 8 4']
    split = [(a, b, c, d) for a, b, c, d in (side.split() for side in sides)]
    lines = [f'v {x} {y} {z}' for x, y, z in corners]
    lines += [f'f {a} {b} {c}\nf {a} {c} {d}' for a, b, c, d in split]
    (tmp_path / 'box.obj').write_text('\n'.join(lines) + '\n')

    def make(shape: str) -> RobotModel:
        path = tmp_path / 'robot.urdf'
        path.write_text(ROBOT.format(shape=SHAPES[shape]))
        return load_robot(RobotConfig(urdf=str(path), tips=('arm',)))

    return make


@pytest.mark.parametrize('shape', SHAPES)
def test_inside_and_outside(
    robot: Callable[[str], RobotModel], shape: str, rng: np.random.Generator
) -> None:
    model = robot(shape)
    shapes = FixedShapes(model)
    place = next(
        body.placement
        for body in model.collision_geometry().geometryObjects
        if body.parentJoint == 0
    )
    counts = [0, 0]
    for point in rng.uniform(-0.8, 0.8, (300, 3)) * SIZE:
        inside = bool(np.all(np.abs(point) < 0.5 * SIZE))
        counts[inside] += 1
        assert shapes.around(place.act(point)) == ('base' if inside else None)
    assert min(counts) > 30


def test_what_moves_is_left_out(robot: Callable[[str], RobotModel]) -> None:
    """The arm's ball of 9 m is around everything."""
    assert FixedShapes(robot('box')).around(np.array([3.0, 0.0, 0.0])) is None
