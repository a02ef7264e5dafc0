"""Packages that a description names: found in the environment, or above the description."""

from __future__ import annotations

from pathlib import Path

import pytest

from simloop_ros.robot.urdf import parse_description

XACRO = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:include filename="$(find parts)/xacro/part.xacro"/>
  <xacro:include filename="${'$(find parts)'}/xacro/part.xacro"/></robot>"""
PART = '<robot><link name="{}"/></robot>'


def package(folder: Path, link: str) -> Path:
    path = folder / 'parts' / 'xacro' / 'part.xacro'
    path.parent.mkdir(parents=True)
    path.write_text(PART.format(link))
    return folder


@pytest.mark.parametrize(
    ('variable', 'inside'), [('ROS_PACKAGE_PATH', '.'), ('AMENT_PREFIX_PATH', 'share')]
)
def test_the_environment_comes_before_the_folders_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, inside: str
) -> None:
    monkeypatch.delenv('ROS_PACKAGE_PATH', raising=False)
    monkeypatch.delenv('AMENT_PREFIX_PATH', raising=False)
    robot = package(tmp_path / 'workspace', 'above') / 'parts' / 'robots' / 'arm.xacro'
    robot.parent.mkdir()
    robot.write_text(XACRO)
    assert {link.get('name') for link in parse_description(robot)} == {'above'}
    package(tmp_path / 'prefix' / inside, 'installed')
    monkeypatch.setenv(variable, f'{tmp_path / "none"}:{tmp_path / "prefix"}')
    assert {link.get('name') for link in parse_description(robot)} == {'installed'}
