"""One small robot for each defect, and the report that it must get."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from simloop_ros.core.errors import ModelError
from simloop_ros.core.resources import resource_folder
from simloop_ros.robot.check import check_robot
from simloop_ros.robot.config import RobotConfig
from simloop_ros.robot.loading import load_robot
from simloop_ros.robot.problem import Problem

GOOD = """<robot name="arm">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
    </inertial>
  </link>
  <link name="tool"/>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="3" effort="4"/>
  </joint>
  <joint name="mount" type="fixed"><parent link="arm"/><child link="tool"/></joint>
</robot>"""
INERTIA = 'ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"'
POINT = '<link name="tool"><inertial><mass value="1"/></inertial></link>'


def check(folder: Path, text: str, **config: Any) -> list[Problem]:
    (folder / 'arm.urdf').write_text(text)
    config = {'tips': ('tool',)} | config
    return check_robot(RobotConfig(urdf='arm.urdf', **config), folder).problems


def inertia(xx: float, yy: float, zz: float, xy: float = 0.0) -> tuple[str, str]:
    return INERTIA, f'ixx="{xx}" ixy="{xy}" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"'


def without_inertial() -> tuple[str, str]:
    start, end = GOOD.index('<inertial>'), GOOD.index('</inertial>') + len('</inertial>')
    return GOOD[start:end], ''


def shape(inside: str, tag: str = 'collision') -> tuple[str, str, str]:
    link = f'<link name="tool"><{tag}><geometry>{inside}</geometry></{tag}></link>'
    return '<link name="tool"/>', link, 'tool'


FATAL = {
    'no inertial': (*without_inertial(), 'arm', 'no <inertial>'),
    'zero mass': ('value="2"', 'value="0"', 'arm', 'mass is 0'),
    'negative mass': ('value="2"', 'value="-2"', 'arm', 'mass is -2 kg'),
    'mass no number': ('value="2"', 'value="two"', 'arm', "mass is 'two', which is not a number"),
    'no inertia': (f'<inertia {INERTIA}/>', '', 'arm', 'not positive definite'),
    'negative inertia': (*inertia(0.1, 0.1, -0.1), 'arm', 'not positive definite'),
    'products too large': (*inertia(0.1, 0.1, 0.1, xy=0.2), 'arm', 'not positive definite'),
    'singular inertia': (*inertia(0.1, 0.1, 0.1, xy=0.1), 'arm', 'not positive definite'),
    'inertia no number': ('ixx="0.1"', 'ixx="x"', 'arm', 'not a number'),
    'effort no number': ('effort="4"', 'effort="4 Nm"', 'turn', 'effort limit is not a number'),
    'no range': ('lower="-1" upper="1"', '', 'turn', 'range is empty: lower 0, upper 0'),
    'range reversed': ('upper="1"', 'upper="-2"', 'turn', 'lower -1, upper -2'),
    'triangle': (*inertia(0.1, 0.1, 0.3), 'arm', 'triangle inequality'),
    'no effort': ('effort="4"', 'effort="0"', 'turn', 'no effort limit'),
    'floating': ('"revolute"', '"floating"', 'turn', 'floating joint'),
    'planar': ('"revolute"', '"planar"', 'turn', 'planar joint'),
    'mimic': ('<axis', '<mimic joint="other"/><axis', 'turn', 'mimic'),
    'second root': ('<link name="base"/>', '<link name="base"/><link name="x"/>', 'x', 'no joint'),
    'unknown child': ('child link="tool"', 'child link="tol"', 'mount', "child link 'tol'"),
    'same names': ('name="mount"', 'name="turn"', 'turn', '2 joints have this name'),
    'loop': ('parent link="base"', 'parent link="tool"', 'arm', 'are a loop'),
    'negative effort': ('effort="4"', 'effort="-4"', 'turn', 'effort limit is -4 [N m or N]'),
    'joint without a name': (' name="mount"', '', 'robot', 'a joint has no name'),
    'negative radius': (*shape('<sphere radius="-1"/>'), "radius of the <sphere> is '-1'"),
    'radius no number': (*shape('<sphere radius="nan"/>'), "radius of the <sphere> is 'nan'"),
    'no length': (*shape('<cylinder radius="1" length="x"/>'), 'length of the <cylinder>'),
    'negative size': (*shape('<box size="1 -1 1"/>'), "size of the <box> is '1 -1 1'"),
    'no shape': (*shape(''), 'there is no shape in its <collision>'),
    'unknown shape': (*shape('<cone radius="1"/>'), '<cone> is no shape of a URDF'),
    'range no number': ('upper="1"', 'upper="pi"', 'turn', "range is not of numbers: '-1', 'pi'"),
    'no type': (' type="revolute"', '', 'turn', 'it is a typeless joint'),
    'robot without a name': ('<robot name="arm">', '<robot>', 'robot', 'a robot has no name'),
    'missing mesh': (
        '<link name="tool"/>',
        '<link name="tool"><collision><geometry><mesh filename="a.stl"/></geometry></collision>'
        '</link>',
        'mesh',
        "'a.stl' cannot be found",
    ),
}

HARMLESS = {
    'degrees': ('lower="-1" upper="1"', 'lower="-90" upper="90"', 'turn', 'is -90 to 90 rad'),
    'inertia in g mm^2': (*inertia(1e7, 1e7, 1e7), 'arm', 'that of 2 kg at 2.2e+03 m'),
    'shape without size': (*shape('<box size="0 0 0"/>'), "size of the <box> is '0 0 0'"),
    'visual': (*shape('<sphere radius="-1"/>', 'visual'), "<sphere> is '-1' in its <visual>"),
    'no velocity': ('velocity="3"', 'velocity="0"', 'turn', 'no velocity limit'),
}


@pytest.mark.parametrize('defect', FATAL)
def test_fatal_defect(tmp_path: Path, defect: str) -> None:
    old, new, where, what = FATAL[defect]
    assert GOOD.count(old) == 1
    found = [p for p in check(tmp_path, GOOD.replace(old, new)) if p.where == where]
    assert any(what in problem.what and problem.fatal for problem in found)
    assert all(problem.remedy for problem in found)


@pytest.mark.parametrize('defect', HARMLESS)
def test_defect_that_does_not_prevent_control(tmp_path: Path, defect: str) -> None:
    old, new, where, what = HARMLESS[defect]
    (problem,) = check(tmp_path, GOOD.replace(old, new))
    assert (problem.where, problem.fatal) == (where, False)
    assert what in problem.what
    load_robot(RobotConfig(urdf='arm.urdf'), tmp_path)


@pytest.mark.parametrize(
    ('config', 'where', 'what', 'fatal'),
    [
        ({'tips': ('tol',)}, 'robot.tips', "no link 'tol'", True),
        ({'tips': ()}, 'robot.tips', 'no tip', False),
        ({'tips': ('tool', 'tool')}, 'robot.tips', 'tool is named twice', True),
        ({'packages': ('/nowhere',)}, 'robot.packages', 'no folder /nowhere', False),
        ({'home': {'turn': 2.0}}, 'robot.home', 'outside its range', True),
        ({'home': {'trun': 0.0}}, 'robot.home', "no joint 'trun'", True),
        ({'lock': ('trun',)}, 'robot.lock', 'did you mean turn', True),
        ({'lock': ('turn',)}, 'robot', 'no moving joint', True),
    ],
    ids=[
        'unknown tip',
        'no tip',
        'tip twice',
        'packages',
        'home range',
        'home name',
        'lock name',
        'nothing moves',
    ],
)
def test_config(
    tmp_path: Path, config: dict[str, Any], where: str, what: str, fatal: bool
) -> None:
    (problem,) = check(tmp_path, GOOD, **config)
    assert (problem.where, problem.fatal) == (where, fatal)
    assert what in problem.what


def test_an_unknown_joint_of_home_is_answered_with_the_valid_ones(tmp_path: Path) -> None:
    (problem,) = check(tmp_path, GOOD, home={'trun': 0.0})
    assert problem.remedy == 'valid: turn'


def test_hint_names_the_ends(tmp_path: Path) -> None:
    (problem,) = check(tmp_path, GOOD, tips=())
    assert 'tool' in problem.remedy
    assert 'base' not in problem.remedy


def test_hint_names_what_a_joint_moves_first_the_furthest(tmp_path: Path) -> None:
    near = '<link name="frame"/><joint name="f" type="fixed"><parent link="base"/>'
    near += '<child link="frame"/></joint></robot>'
    (problem,) = check(tmp_path, GOOD.replace('</robot>', near), tips=())
    assert problem.remedy.endswith('the ends are tool')


def test_reports_everything_at_once(tmp_path: Path) -> None:
    text = GOOD
    for old, new in (
        ('value="2"', 'value="0"'),
        inertia(0.1, 0.1, -0.1),
        ('effort="4"', ''),
        ('velocity="3"', ''),
        ('upper="1"', 'upper="-2"'),
        ('<link name="base"/>', '<link name="base"/><link name="stray"/>'),
    ):
        text = text.replace(old, new)
    where = sorted(problem.where for problem in check(tmp_path, text, tips=('tol',)))
    assert where == ['arm', 'arm', 'robot.tips', 'stray', 'turn', 'turn', 'turn']


def test_locking_a_mimic_joint_mends_it(tmp_path: Path) -> None:
    finger = """<link name="finger"/><joint name="close" type="prismatic">
      <parent link="arm"/><child link="finger"/><mimic joint="turn"/></joint></robot>"""
    text = GOOD.replace('</robot>', finger)
    assert {problem.where for problem in check(tmp_path, text)} == {'close', 'finger'}
    assert check(tmp_path, text, lock=('close',)) == []


@pytest.mark.parametrize(
    'text',
    [
        GOOD,
        GOOD.replace('<link name="tool"/>', POINT),
        GOOD.replace(*inertia(0.1, 0.1, 0.2)),  # a flat plate
        GOOD.replace(*inertia(0.1, 0.1, 0.2001)),  # the same, rounded
        GOOD.replace('"revolute"', '"continuous"').replace('lower="-1" upper="1"', ''),
    ],
    ids=['good', 'point mass on a body', 'plate', 'rounded plate', 'continuous'],
)
def test_finds_nothing_in_a_good_robot(tmp_path: Path, text: str) -> None:
    assert check(tmp_path, text) == []


@pytest.mark.parametrize('name', ['sphere', 'two_link', 'yumi', 'lwr', 'irb120', 'workerbot'])
def test_shipped_robots_are_clean(name: str) -> None:
    text = (resource_folder('config') / 'robots' / f'{name}.yaml').read_bytes()
    config = msgspec.yaml.decode(text, type=RobotConfig)
    assert check_robot(config, resource_folder('urdf')).problems == []


@pytest.mark.parametrize('text', ['<robot', '<html/>', ''])
def test_refuses_what_is_no_robot_at_all(tmp_path: Path, text: str) -> None:
    with pytest.raises(ModelError):
        check(tmp_path, text)
