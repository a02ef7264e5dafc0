"""Which robots are a two-link arm, and what their numbers are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from simloop_ros.core.errors import ModelError
from simloop_ros.core.resources import resource_folder
from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.model import RobotModel
from textbook.read_arm import read_arm
from textbook.two_link import rods

TWELFTH = 1e-9  # the shipped URDF writes 1/12 with nine digits


def changed(folder: Path, old: str, new: str) -> RobotModel:
    text = (resource_folder('urdf') / 'two_link.urdf').read_text()
    assert old in text
    (folder / 'arm.urdf').write_text(text.replace(old, new))
    return load_robot(RobotConfig(urdf=str(folder / 'arm.urdf')))


def test_shipped_arm_is_two_slender_rods(two_link: RobotModel) -> None:
    found, expected = read_arm(two_link), rods(1.0, 1.0, 1.0, 1.0, g=9.82)
    for name in found.__struct_fields__:
        assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=TWELFTH)


def test_numbers_are_those_of_the_urdf(tmp_path: Path) -> None:
    arm = read_arm(
        changed(
            tmp_path, '<origin xyz="1 0 0"/>\n    <axis', '<origin xyz="0.8 0.1 0"/>\n    <axis'
        )
    )
    assert arm.l1 == pytest.approx(0.8)
    assert arm.c1 == arm.c2 == pytest.approx(0.5)


@pytest.mark.parametrize(
    ('old', 'new', 'message'),
    [
        ('<axis xyz="0 -1 0"/>', '<axis xyz="0 1 0"/>', 'the axis of joint1 is'),
        ('<origin xyz="0.5 0 0"/>', '<origin xyz="0.5 0 0.1"/>', 'z of the link that joint1'),
        ('<origin xyz="1 0 0"/>\n    <axis', '<origin xyz="1 0 1"/>\n    <axis', 'z of joint2 is'),
        (
            '<origin xyz="1 0 0"/>\n    <axis',
            '<origin xyz="1 0 0" rpy="0 1 0"/>\n    <axis',
            'rpy of joint2 is',
        ),
    ],
)
def test_another_arm_is_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=message):
        read_arm(changed(tmp_path, old, new))


@pytest.mark.parametrize('name', ['sphere', 'lwr'])
def test_another_robot_is_refused(name: str, shipped: Callable[[str], RobotModel]) -> None:
    with pytest.raises(ModelError, match=f'{name}: a two-link arm has two joints'):
        read_arm(shipped(name))


def test_gravity_out_of_the_vertical_is_refused() -> None:
    config = RobotConfig(urdf='two_link.urdf', gravity=(1.0, 0.0, -9.82))
    with pytest.raises(ModelError, match='gravity along x is'):
        read_arm(load_robot(config, resource_folder('urdf')))
