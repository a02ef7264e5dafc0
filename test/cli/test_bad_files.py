"""Files that are broken, endless or not what they should be: one line each, and soon."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path

import pytest

from simloop_ros.cli.main import USER_ERROR, main

Refused = Callable[..., str]

SPHERE = 'description: d\nrobot: sphere\n'
LAUGHS = ''.join(f'a{i}: &a{i} [{", ".join([f"*a{i - 1}"] * 9)}]\n' for i in range(1, 12))
MERGES = ''.join(f'a{i}: &a{i}\n  <<: [{", ".join([f"*a{i - 1}"] * 9)}]\n' for i in range(1, 12))
XACRO = '<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro">'
DOUBLED = ''.join(
    f'<xacro:macro name="m{i}"><xacro:m{i + 1}/><xacro:m{i + 1}/></xacro:macro>' for i in range(40)
)
ARM = """<robot name="arm">
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0.3 0 0"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>{link}</link>
  <joint name="turn" type="revolute"><origin xyz="{xyz}"/><parent link="base"/>
    <child link="arm"/><axis xyz="{axis}"/>
    <limit lower="-2" upper="2" velocity="3" effort="{effort}"/></joint>
</robot>"""
MESH = '<collision><geometry><mesh filename="part.stl"/></geometry></collision>'


def arm(link: str = '', xyz: str = '0 0 0', axis: str = '0 1 0', effort: str = '20') -> str:
    return ARM.format(link=link, xyz=xyz, axis=axis, effort=effort)


@pytest.fixture
def refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture
) -> Refused:
    """Return a call of the command that must be refused; it gives the line back."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> str:
        assert main(arguments) == USER_ERROR
        captured = capfd.readouterr()
        assert captured.out == ''
        assert captured.err.count('\n') == 1, captured.err
        return captured.err.removeprefix('simloop: ').strip()

    return call


@pytest.mark.parametrize(
    ('text', 'part'),
    [
        (f'a0: &a0 [1]\n{LAUGHS}{SPHERE}', 'expand to more than'),
        (f'a0: &a0 {{x: 1}}\n{MERGES}{SPHERE}', 'expand to more than'),
        (f'{SPHERE}period: 0.001\nperiod: 0.002\n', 'line 4: the key period is given twice'),
        (f'{SPHERE}plant: {{noise: 0, noise: 1}}\n', 'line 3: the key noise is given twice'),
        (f'{SPHERE}graphs: &a [*a]\n', 'it contains itself'),
        (f'{SPHERE}graphs: {"[" * 600}{"]" * 600}\n', 'nested too deep'),
        (f'{SPHERE}---\n{SPHERE}', 'expected a single document'),
        (f'{SPHERE}plant:\n\tnoise: 1\n', 'line 4'),
        (f'{SPHERE}plant.noise: 1\n', 'a section has its keys inside: plant: {noise: ...}'),
        (f'{SPHERE}null: 1\n', 'the key None is no text'),
        ('', 'not a scenario, robot, driver or task file'),
        ('hello', 'not a scenario, robot, driver or task file'),
        (b'\xff\xfe\x00', 'not a text file in UTF-8'),
        ('description: d\nrobot: ./none.yaml\n', 'none.yaml: cannot be read: No such file'),
        ('description: d\nrobot: ./bad.yaml\n', "bad.yaml: unknown key 'robot.description'"),
        ('description: d\nrobot: arm.urdf\n', 'set robot.urdf=arm.urdf'),
    ],
    ids=lambda value: str(value)[-30:],
)
def test_a_scenario_file(refused: Refused, tmp_path: Path, text: str | bytes, part: str) -> None:
    (tmp_path / 'bad.yaml').write_bytes(text if isinstance(text, bytes) else text.encode())
    assert part in refused('run', 'bad.yaml', '--out', 'out')


@pytest.mark.parametrize(
    ('name', 'part'),
    [
        ('x.txt', 'x.txt: not a scenario file'),
        ('picture.png', 'picture.png: not a scenario file'),
        ('fifo', 'fifo: not a scenario file'),
        ('fifo.yaml', 'fifo.yaml: not a regular file'),
        ('../none', '../none: not a scenario file'),
        ('folder', 'folder: a folder'),
        ('folder.yaml', 'folder.yaml: a folder'),
        ('', "unknown scenario ''"),
    ],
)
def test_what_is_no_scenario(refused: Refused, tmp_path: Path, name: str, part: str) -> None:
    (tmp_path / 'x.txt').write_text(SPHERE)
    for fifo in ('fifo', 'fifo.yaml'):
        os.mkfifo(tmp_path / fifo)
    for folder in ('folder', 'folder.yaml'):
        (tmp_path / folder).mkdir()
    assert part in refused('run', name, '--out', 'out')


@pytest.mark.parametrize('name', ['x.png', '../none', 'fifo'])
def test_what_is_no_robot(refused: Refused, tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / 'fifo')
    for line in (refused('check', name), refused('run', 'step', '--set', f'robot={name}')):
        assert line.startswith(f'{name}: not a robot file: its name must end with .yaml, .yml, ')


@pytest.mark.parametrize(
    ('name', 'text', 'part'),
    [
        (
            'a.xacro',
            f'{XACRO}<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/></robot>',
            'without end',
        ),
        (
            'a.xacro',
            f'{XACRO}{DOUBLED}<xacro:macro name="m40"/><xacro:m0/></robot>',
            'without end',
        ),
        ('a.xacro', f'{XACRO}<xacro:include filename="a.xacro"/></robot>', 'without end'),
        ('a.xacro', f'{XACRO}<link name="${{1/0}}"/></robot>', 'division by zero'),
        (
            'a.xacro',
            f'{XACRO}<xacro:include filename="$(find none)/a.xacro"/></robot>',
            'file: $(find none): there is no such package; name the folder above it in ROS_PACK',
        ),
        (
            'a.xacro',
            f'{XACRO}<link name="$(env NONE)"/></robot>',
            "file: environment variable 'NONE' is not set",
        ),
        ('a.urdf', f'<robot name="a">{"<a>" * 9000}{"</a>" * 9000}</robot>', 'nested too deep'),
        ('a.urdf', '<robot name="a"/>', 'it has no links'),
        ('a.urdf', arm(xyz='nan 0 0'), "xyz of its <origin> is 'nan 0 0'; give three numbers"),
        ('a.urdf', arm(xyz='0 0'), 'give three numbers'),
        ('a.urdf', arm(axis='0 0 0'), 'give the direction of the axis'),
        ('a.urdf', arm(effort='inf'), 'its effort limit is not a number'),
        ('a.urdf', arm(MESH), 'part.stl: not a mesh'),
    ],
    ids=lambda text: text[-30:],
)
def test_a_robot_description(
    refused: Refused, tmp_path: Path, name: str, text: str, part: str
) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / 'part.stl').write_text('hello')
    settings = [f'robot.urdf={name}', 'robot.tips=[arm]', 'planner.kind=hold', 'duration=0.1']
    words = [word for setting in settings for word in ('--set', setting)]
    assert part in refused('run', 'step', *words, '--out', 'out')


@pytest.mark.parametrize('kind', ['hold', 'guiding', 'online', 'offline', 'cartesian'])
def test_a_robot_that_cannot_bear_its_own_weight(
    refused: Refused, tmp_path: Path, kind: str
) -> None:
    """2 kg at 0.3 m: m g l = 5.892 N m."""
    (tmp_path / 'arm.urdf').write_text(arm(effort='5.5'))
    settings = ['robot.urdf=arm.urdf', 'robot.tips=[arm]', f'planner.kind={kind}', 'duration=1']
    words = [word for setting in settings for word in ('--set', setting)]
    line = refused('run', 'step', *words, '--out', 'out')
    assert "turn cannot bear the robot's own weight at the start" in line
    assert 'it needs 5.892 N m, its effort limit is 5.5 N m' in line
    assert 'robot.home' in line


@pytest.mark.parametrize(
    ('setting', 'answer'),
    [
        ('period=5ms', "period: a number [s] is needed; the text '5ms' was given"),
        ('period=null', 'period: a number [s] is needed; null was given'),
        ('seed=1.5', 'seed: a whole number is needed; 1.5 was given'),
        ('planner.move=0.1', 'planner.move: a list [m] is needed; 0.1 was given'),
        ('plant.flexible_joints=1', 'plant.flexible_joints: true or false is needed; 1 was given'),
        (
            'robot.home.slide=far',
            "robot.home.slide: a number [rad or m] is needed; the text 'far' was given",
        ),
        ('robot.tips=sphere', "robot.tips: a list is needed; the text 'sphere' was given"),
        ('plant.pushes=[{link: a, start: 0}]', 'plant.pushes[0]: the key duration is missing'),
    ],
)
def test_a_value_in_words(refused: Refused, setting: str, answer: str) -> None:
    line = refused('run', 'sphere_step', '--set', setting, '--out', 'out')
    assert line.startswith(answer)
