"""A user's mistake: exit status 2, one clear line, nothing written, never a traceback."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import subprocess
import sys

import pytest

from simloop_ros.cli.main import USER_ERROR, main

Refused = Callable[..., str]

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="arm"><inertial><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>{link}</link>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>{limit}</joint>
</robot>"""
LIMIT = '<limit lower="-1" upper="1" velocity="3" effort="4"/>'
MESH = '<collision><geometry><mesh filename="package://nowhere/arm.stl"/></geometry></collision>'
XACRO = '<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:none/></robot>'


@pytest.fixture
def refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture
) -> Refused:
    """Return a call of the command that must be refused; it gives the line back.

    The line is taken from the file descriptor: libraries in C write there as well.
    """
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> str:
        before = {path for path in tmp_path.rglob('*') if path.is_file()}
        assert main(arguments) == USER_ERROR
        captured = capfd.readouterr()
        assert captured.out == ''
        assert captured.err.startswith('simloop: ')
        assert captured.err.endswith('\n')
        assert captured.err.count('\n') == 1, captured.err
        assert {path for path in tmp_path.rglob('*') if path.is_file()} == before
        return captured.err.removeprefix('simloop: ').strip()

    return call


def sets(*settings: str) -> list[str]:
    return [word for setting in settings for word in ('--set', setting)]


@pytest.mark.parametrize(
    ('scenario', 'settings', 'parts'),
    [
        ('sphere_stp', [], ['sphere_stp', 'did you mean sphere_step']),
        ('xyzzy', [], ['xyzzy', 'valid: ', 'yumi_step']),
        ('none.yaml', [], ['none.yaml', 'No such file']),
        ('sphere_step', ['plant.nois=1'], ['plant.nois', 'did you mean plant.noise']),
        ('sphere_step', ['perod=1'], ['perod', 'did you mean period']),
        ('sphere_step', ['period'], ['period', 'key=value']),
        ('sphere_step', ['period=0'], ['period: ', '>= 1e-06']),
        ('sphere_step', ['period=nan'], ['period: ']),
        ('sphere_step', ['period=.nan'], ['period: ', 'not a finite number']),
        ('sphere_step', ['period=-0.001'], ['period: ', '>= 1e-06']),
        ('sphere_step', ['period=fast'], ['period: ']),
        ('sphere_step', ['duration=-1'], ['duration: ', '> 0']),
        ('sphere_step', ['duration=1e300'], ['duration: ', 'steps']),
        ('sphere_step', ['plant.step=0.003'], ['plant.step', '0.005', '0.0025']),
        ('sphere_step', ['plant.step=0.01'], ['plant.step', 'whole multiple']),
        ('sphere_step', ['planner.move=[[0, .nan, 0]]'], ['planner.move[0][1]', 'nan']),
        ('sphere_step', ['planner.move=[[0, 0, 1], [0, 0, 1]]'], ['planner.move', '2', '1 tips']),
        ('yumi_step', ['planner.move=[[0, 0, 0.1]]'], ['planner.move', '2 tips', 'tool0_r']),
        ('sphere_step', ['planner.max_velocity=1e-9'], ['planner.move', 'steps']),
        ('sphere_step', ['planner.move=[[0, 0, 1e300]]'], ['planner.move', 'steps']),
        (
            'sphere_step',
            ['planner.profile=jerk_limited', 'planner.jerk=1e-20'],
            ['planner.move', 'jerk'],
        ),
        ('irb120_rectangle', ['planner.corners=[[1, 2]]'], ['planner.corners[0]', 'length 3']),
        ('irb120_rectangle', ['planner.corners=[[.inf, 0, 0]]'], ['planner.corners[0][0]', 'inf']),
        ('irb120_rectangle', ['planner.corners=[[2, 0, 0]]'], ['corner 1 (2.000', 'out of reach']),
        (
            'irb120_rectangle',
            ['planner.corners=[[0.4, 0, 0.4], [0.4, 0, 0.4]]'],
            ['corner 2', 'corner 1', 'coincide', 'leave one'],
        ),
        ('irb120_rectangle', ['planner.duration=0.1'], ['side 4', 'joint_1', 'planner.duration']),
        ('irb120_rectangle', ['planner.duration=1e-9'], ['side 4', 'planner.duration to 0.43']),
        ('irb120_rectangle', ['planner.ramp=1e-9'], ['planner.ramp', '>= 0.01']),
        ('irb120_rectangle', ['planner.orientation=[1e300, 0, 0]'], ['planner.orientation[0]']),
        (
            'irb120_rectangle',
            ['control.law=pid', 'control.natural_frequency=400'],
            ['control.natural_frequency', 'below 166 rad/s', '60 rad/s'],
        ),
        (
            'irb120_rectangle',
            ['control.law=computed_torque', 'control.natural_frequency=1e-300'],
            ['control.natural_frequency', '>= 0.001'],
        ),
        (
            'irb120_rectangle',
            ['control.law=computed_torque', 'period=0.02'],
            ['control.natural_frequency', '41.4 rad/s'],
        ),
        ('irb120_rectangle', ['planner.ramp=0.6'], ['planner.ramp', '<= 0.5']),
        ('irb120_rectangle', ['planner.profile=quintc'], ['planner.profile', 'did you mean quin']),
        ('irb120_rectangle', ['planner.tip=toool'], ['planner.tip', 'tool0']),
        ('sphere_step', ['planner.corners=[[0, 0, 1]]'], ['corners', 'planner.kind=cartesian']),
        ('sphere_step', ['planner.profile=quintic'], ['quintic', 'online', 'jerk_limited']),
        ('sphere_step', ['period=20'], ['period: ', '<= 1']),
        ('sphere_step', ['period=1e-300'], ['period: ', '>= 1e-06']),
        ('sphere_step', ['plant.delay=1e15'], ['plant.delay']),
        ('sphere_step', ['plant.delay=9999'], ['plant.delay', 'steps']),
        ('sphere_step', ['plant.step=1e-12'], ['plant.step', 'at most']),
        ('sphere_step', ['plant.engine=bullet'], ['plant.engine', 'did you mean pybullet']),
        ('sphere_step', ['graphs=[path]'], ['graphs', 'path_comparison']),
        ('sphere_step', ['name=../x'], ['name: ', 'letters, digits, dots']),
        ('sphere_step', ['name=..'], ['name: ', 'first a letter']),
        ('sphere_step', ['plant.noise=1e-5', 'control.bandwidth=1e9'], ['control.bandwidth']),
        (
            'sphere_step',
            ['plant.pushes=[{link: sphere, start: 0, duration: 1, force: [0, 1]}]'],
            ['plant.pushes[0].force: a list of length 3 [N] is needed; the list [0, 1] was given'],
        ),
        ('yumi_step', ['robot.tips=[tool0_l, tool0_l]'], ['tool0_l is named twice']),
        ('yumi_step', ['robot.tips=[yumi_body, tool0_r]'], ['no joint moves yumi_body']),
        ('sphere_step', ['planner.move=[[1, 0, 0]]'], ['tip sphere', '1 m', 'workspace']),
        ('sphere_step', ['robot=spere'], ['spere', 'did you mean sphere']),
        ('sphere_step', ['robot=5'], ['robot: a name, a file or a section', '5 was given']),
        ('sphere_step', ['robot=[sphere]'], ["['sphere'] was given"]),
        ('sphere_step', ['robot={like: 5}'], ['robot: a name, a file', '5 was given']),
        ('sphere_step', ['robot.home.slide=1e9'], ['slide', 'range']),
        ('sphere_step', ['robot.home.slid=0'], ['slid']),
        ('sphere_step', ['robot.tips=[spere]'], ['spere', 'sphere']),
        ('sphere_step', ['plant.engine=bullet'], ['plant.engine']),
        ('sphere_collision', ['plant.engine=pinocchio'], ['no contact', 'mujoco']),
        ('step', [], ['no robot given', 'robot.urdf=FILE']),
    ],
)
def test_run(refused: Refused, scenario: str, settings: list[str], parts: list[str]) -> None:
    line = refused('run', scenario, *sets(*settings), '--out', 'out')
    assert all(part in line for part in parts), line


MIDDLE = '{position: [0, 0, 0], rpy: [0, 0, 0]}'
HELD = '{do: approach, path: cp, clearance: 0.005, durations: [0.5]}, {do: grasp}'


@pytest.mark.parametrize(
    ('scenario', 'settings', 'parts'),
    [
        (
            'workerbot_hold',
            [f'bimanual.object.grasps=[{MIDDLE}, {MIDDLE}]'],
            ['bimanual.object.grasps', 'palm_l and palm_r', '0 m apart', '0.001 m', 'move one'],
        ),
        (
            'workerbot_hold',
            ['bimanual.object.grasps=[{position: [0, 0.04, 0], rpy: [0, 0, 0]}]'],
            ['bimanual.object.grasps', '1 for 2 tips'],
        ),
        (
            'workerbot_hold',
            ['bimanual.object.grasps=[{position: [0, 0.04, 0], rpy: [.nan, 0, 0]}]'],
            ['bimanual.object.grasps[0].rpy[0]', 'not a finite number'],
        ),
        ('workerbot_hold', ['bimanual.object.rpy=[.inf, 0, 0]'], ['object.rpy[0]', 'finite']),
        ('workerbot_hold', ['bimanual.object.length=1e-4'], ['grasps', '0.0001 m apart']),
        ('workerbot_hold', ['bimanual.object.position=[5, 0, 0.8]'], ['out of reach', 'palm_']),
        ('workerbot_hold', ['plant.object.stiffness=0'], ['plant.object.stiffness: ', '> 0']),
        ('workerbot_hold', ['plant.object.stiffness=-1e5'], ['plant.object.stiffness: ', '> 0']),
        ('workerbot_hold', ['plant.object.stifness=1'], ['did you mean plant.object.stiffness']),
        (
            'workerbot_hold',
            ['bimanual.impedance.stiffness=[0, 1, 1, 1, 1, 1]'],
            ['bimanual.impedance.stiffness[0]', '> 0'],
        ),
        ('workerbot_hold', ['bimanual.impedance.mass=hgh'], ['did you mean high', 'low, medium']),
        (
            'workerbot_hold',
            ['bimanual.impedance.mass=[1, 1, 1]'],
            ['a list of length 6 [', 'is needed; the list [1, 1, 1]'],
        ),
        ('workerbot_hold', ['bimanual.tare_time=1e9'], ['bimanual.tare_time', '<= 60']),
        ('workerbot_hold', ['period=1e-6'], ['task 3 (hold)', '1.8e+06 steps', 'shorten it']),
        ('workerbot_hold', ['bimanual.tasks=[]'], ['bimanual.tasks is empty', '{do: grasp}']),
        (
            'workerbot_hold',
            ['bimanual.tasks=[{do: aproach}]'],
            ['bimanual.tasks[0].do', 'did you mean approach', 'yield'],
        ),
        ('workerbot_hold', ['bimanual.tasks=[grasp]'], ['bimanual.tasks[0]', '{do: ...}', 'hold']),
        ('workerbot_hold', ['bimanual.tasks=[{squeeze: 1}]'], ['bimanual.tasks[0]', 'no do in']),
        (
            'workerbot_hold',
            ['bimanual.tasks=[{do: approach, clearence: 1}]'],
            ['did you mean bimanual.tasks[0].clearance', 'bimanual.tasks[0].durations'],
        ),
        (
            'workerbot_hold',
            ['bimanual.tasks=[{do: approach, path: pt}]'],
            ['bimanual.tasks[0].path', 'valid: cp, ptp'],
        ),
        (
            'workerbot_hold',
            ['bimanual.tasks=[{do: yield, impedance: {mss: low}}]'],
            ['did you mean bimanual.tasks[0].impedance.mass'],
        ),
        (
            'workerbot_hold',
            [f'bimanual.tasks=[{HELD}, {{do: jog, tip: palm_l, by: [0, 0, 0.01]}}]'],
            ['task 3 (jog)', 'since task 2 (grasp)', 'put a release before it'],
        ),
        (
            'workerbot_hold',
            ['bimanual.tasks=[{do: jog, tip: palm, by: [0, 0, 0.01]}]'],
            ['tip of task 1 (jog)', 'palm_l, palm_r'],
        ),
        (
            'workerbot_hold',
            ['bimanual.tasks=[{do: jog, tip: palm_l, joints: {wb_joint_9_l: 0.1}}]'],
            ['joint of palm_l in task 1 (jog)', 'did you mean wb_joint_', 'wb_joint_7_l'],
        ),
        (
            'workerbot_hold',
            ['bimanual.tasks=[{do: jog, tip: palm_l, joints: [0.1]}]'],
            ['bimanual.tasks[0].joints', 'a section of keys and values is needed', '[0.1]'],
        ),
        (
            'workerbot_hold',
            [f'bimanual.tasks=[{HELD}, {{do: reach, tip: palm_l, position: [0.4, 0.2, 0.9]}}]'],
            ['task 3 (reach)', 'since task 2 (grasp)', 'put a release before it'],
        ),
        (
            'workerbot_hold',
            ['bimanual.tasks=[{do: reach, tip: palm_l, positon: [0.4, 0.2, 0.9]}]'],
            ['did you mean bimanual.tasks[0].position'],
        ),
        (
            'workerbot_hold',
            ['bimanual.tasks=[{do: reach, tip: palm_l, position: [4, 0.2, 0.9]}]'],
            ['task 1 (reach): palm_l at (4.000, 0.200, 0.900) m', 'out of reach'],
        ),
        (
            'workerbot_hold',
            [f'bimanual.tasks=[{HELD}, {{do: move, through: [[0, 0, 0.1]], by: [0, 0, 0.1]}}]'],
            ['task 3 (move)', 'through[0] and its end coincide', 'leave one of them out'],
        ),
        ('workerbot_hold', ['bimanual.tasks=[{do: hold}]'], ['task 1 (hold)', 'put a grasp']),
        ('workerbot_hold', ['plant.sensors=null'], ['plant.sensors', 'plant.sensors={noise']),
        (
            'workerbot_hold',
            ['plant.stops=[{tip: palm, start: 1}]'],
            ['plant.stops', 'did you mean palm_'],
        ),
        (
            'workerbot_hold',
            ['plant.sensors.faults=[{tip: palm, kind: lost, start: 1}]'],
            ['plant.sensors.faults', 'did you mean palm_'],
        ),
        (
            'workerbot_hold',
            ['plant.sensors.faults=[{tip: palm_l, kind: lst, start: 1}]'],
            ['plant.sensors.faults[0].kind', 'did you mean lost'],
        ),
        (
            'workerbot_hold',
            ['robot.tips=[palm_l]', 'robot.sensors=[sensor_l]'],
            ['robot.tips: 1', 'name two'],
        ),
        ('lwr_tcp', ['planner.kind=bimanual'], ['robot.tips: 1', 'flange', 'name two']),
        (
            'workerbot_hold',
            ['planner.move=[[0, 0, 1], [0, 0, 1]]'],
            ['planner.move', 'planner.kind bimanual', 'planner.kind=online or offline'],
        ),
        ('workerbot_hold', ['monitor.reaction=comply'], ['monitor.reaction', 'stop or none']),
        ('workerbot_hold', ['monitor.push=float'], ['monitor.push', 'stop or none']),
        ('workerbot_hold', ['admittance.source=observer'], ['admittance.source', 'a yield']),
        ('yumi_step', ['bimanual.tasks=[{do: grasp}]'], ['bimanual.tasks', 'kind=bimanual']),
        ('yumi_step', ['graphs=[internal_force]'], ['graphs: internal_force', 'leave it out']),
        (
            'workerbot_hold',
            ['graphs=[external_torque]'],
            ['graphs: external_torque', 'admittance.source', 'tip_path_3d', 'carried_object'],
        ),
        ('workerbot_hold', ['bimanual.tasks=&a [*a]'], ['bimanual.tasks', 'it contains itself']),
        (
            'workerbot_hold',
            [f'bimanual.tasks={"[" * 3000}{"]" * 3000}'],
            ['bimanual.tasks', 'not valid YAML', 'nested too deep'],
        ),
        (
            'workerbot_hold',
            ['bimanual.tasks.1.squeeze=30'],
            ['bimanual.tasks: a list is given as a whole', 'bimanual.tasks=[...]'],
        ),
        ('workerbot_hold', ['robot.tips=[palm_l]'], ['robot.tips: 1', 'palm_l', 'name two']),
        (
            'workerbot_hold',
            ['robot.sensors=[palm_l]'],
            ['robot.sensors: 1 (palm_l) for 2 of robot.tips (palm_l, palm_r); name one for each'],
        ),
        (
            'workerbot_hold',
            ['robot.sensors=[palm_l, palm_]'],
            ["robot.sensors: there is no link 'palm_'", 'palm_r'],
        ),
        (
            'workerbot_hold',
            ['robot.sensors=[palm_r, palm_l]'],
            ['robot.sensors: a joint moves palm_r apart from palm_l; correct robot.sensors'],
        ),
        (
            'workerbot_hold',
            [
                'plant.object=null',
                'plant.pushes=[{link: object, force: [0, 0, 1], start: 1, duration: 1}]',
            ],
            ['plant.pushes: object is the object of two hands', 'give plant.object'],
        ),
    ],
)
def test_two_hands(refused: Refused, scenario: str, settings: list[str], parts: list[str]) -> None:
    line = refused('run', scenario, *sets(*settings), '--out', 'out')
    assert all(part in line for part in parts), line


@pytest.mark.parametrize(
    ('path', 'part'),
    [
        ('{kind: lin}', 'plant.hands[0].path.kind: unknown value'),
        ('{kind: line, velocty: 1}', 'did you mean plant.hands[0].path.velocity'),
        ('{kind: waypoints, waypoints: [{tme: 1}]}', 'plant.hands[0].path.waypoints[0].time'),
    ],
)
def test_a_mistake_deep_in_a_list_is_shown_where_it_is(
    refused: Refused, path: str, part: str
) -> None:
    hand = f'{{link: tool0_l, stiffness: 1, damping: 1, max_force: 1, path: {path}}}'
    assert part in refused('run', 'yumi_guiding', *sets(f'plant.hands=[{hand}]'), '--out', 'out')


@pytest.mark.parametrize(
    ('move', 'parts'),
    [
        ('[[0, 0.9, 0], [0, -0.9, 0]]', ['goal out of reach: tip tool0_', ' m short of (']),
        ('[[0, -0.6, 0], [0, 0.6, 0]]', []),
    ],
)
def test_a_goal_out_of_reach_says_who_how_far_and_why(
    refused: Refused, move: str, parts: list[str]
) -> None:
    line = refused('run', 'yumi_step', *sets(f'planner.move={move}'), '--out', 'out')
    assert all(part in line for part in parts), line
    assert any(why in line for why in ('yumi_', 'workspace'))  # a joint, a link, or the arm


@pytest.mark.parametrize(
    ('name', 'text', 'part'),
    [
        ('none.urdf', None, 'no such robot description'),
        ('arm.urdf', '<robot name="arm">', 'not a valid XML file'),
        ('arm.urdf', '', 'not a valid XML file'),
        ('arm.urdf', 'robot: arm', 'not a valid XML file'),
        ('arm.urdf', '<sdf version="1.6"/>', 'not a robot'),
        ('arm.urdf', '<robot name="rock"><link name="arm"/></robot>', 'no moving joint'),
        ('arm.urdf', ARM.format(link=MESH, limit=LIMIT), 'arm.stl'),
        ('arm.urdf', ARM.format(link='', limit=''), 'turn'),
        ('arm.urdf', ARM.replace('value="2"', 'value="0"').format(link='', limit=LIMIT), 'mass'),
        ('arm.xacro', XACRO, 'xacro'),
    ],
    ids=[
        'missing',
        'broken XML',
        'empty',
        'YAML',
        'SDF',
        'no joint',
        'mesh',
        'no limit',
        'no mass',
        'xacro',
    ],
)
def test_a_file_that_is_no_robot(
    refused: Refused, tmp_path: Path, name: str, text: str | None, part: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    settings = sets(f'robot.urdf={name}', 'robot.tips=[arm]', 'planner.move=[[0, 0, 0]]')
    line = refused('run', 'step', *settings, '--out', 'out')
    assert name in line
    assert part in line


@pytest.mark.parametrize('seed', ['abc', '-1', '1.5', '', '[1]', '{', '.nan'])
def test_seed(refused: Refused, seed: str) -> None:
    assert 'seed' in refused('run', 'sphere_step', f'--seed={seed}', '--out', 'out')


def test_a_folder_that_cannot_be_written(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / 'file').write_text('not a folder')
    assert 'file/out: cannot be written' in refused('run', 'sphere_step', '--out', 'file/out')
    assert 'file: is a file' in refused('run', 'sphere_step', '--out', 'file')
    assert 'cannot be written: File name too long' in refused(
        'run', 'sphere_step', '--out', 'a' * 300
    )
    assert (tmp_path / 'file').read_text() == 'not a folder'
    assert 'cannot be written' in refused('bench', 'loop', '--json', 'file/bench.json')
    assert '.: is a folder' in refused('bench', 'loop', '--json', '.')


@pytest.mark.parametrize(
    ('arguments', 'part'),
    [
        ([], 'COMMAND'),
        (['rn'], "invalid choice: 'rn'"),
        (['run'], 'SCENARIO'),
        (['run', 'sphere_step', '--sed', '1'], '--sed'),
        (['run', 'sphere_step', '--set'], '--set'),
        (['run', 'sphere_step', 'yumi_step'], 'yumi_step'),
        (['list', '--long'], '--long (see simloop list --help)'),
        (['launch', 'sphere_step', '--plant', 'none'], 'add realtime (--realtime of simloop'),
        (['launch', 'sphere_step', '--gravity-handled'], '--driver-topic TOPIC'),
        (['calibrate', 'sphere_step', '--out', '/proc/x'], 'nothing can be created there'),
        (['bench', 'lateness', '--trace', 'none.json'], 'none.json: cannot be read: No such'),
        (['bench', 'lateness', '--trace', '/dev/null'], '/dev/null: not a regular file'),
        (['keys', 'nosuchkey'], 'no key matches'),
        (['robotstudio', 'none'], 'none: not there; name the folder of a run'),
        (['plot'], 'DIR'),
        (['check'], 'ROBOT'),
        (['bench', 'nonsense'], 'nonsense'),
        (['calibrate', 'sphere_step', '--duration', '-1'], '--duration'),
        (['calibrate', 'sphere_step', '--duration', '5'], 'needs'),
        (['calibrate', 'sphere_step', '--false-alarms-per-hour', '0'], 'positive'),
        (['calibrate', 'sphere_stp'], 'did you mean sphere_step'),
        (['bench', 'lop'], 'did you mean loop'),
        (['bench', '--slow'], '--slow'),
        (['launch', 'sphere_step', '--priority', '5'], '--priority: in lockstep'),
        (['launch', 'sphere_step', '--no-record', '--out', 'o'], 'leave one of them out'),
        (['launch', 'sphere_step', '--namespace', 'a b'], "namespace: '/a b' given"),
        (['check', 'sphere', '--home', '{slide: '], '--home: not valid YAML'),
    ],
)
def test_arguments(refused: Refused, arguments: list[str], part: str) -> None:
    assert part in refused(*arguments)


def test_plot_without_a_run(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / 'empty').mkdir()
    for folder in ('empty', 'none'):
        assert f'{folder}: not the folder of a run' in refused('plot', folder)
    (tmp_path / 'empty' / 'summary.json').write_text('{}')
    assert 'not the summary of a run' in refused('plot', 'empty')


def test_check_of_what_is_no_robot(refused: Refused, tmp_path: Path) -> None:
    assert 'no such robot description: none.urdf' in refused('check', 'none.urdf')
    (tmp_path / 'arm.urdf').write_text('<robot')
    assert 'not a valid XML file' in refused('check', 'arm.urdf')


def test_the_same_from_a_shell(tmp_path: Path) -> None:
    (tmp_path / 'arm.urdf').write_text('<robot')
    arguments = ('run', 'step', '--set', 'robot.urdf=arm.urdf')
    done = subprocess.run(
        [sys.executable, '-m', 'simloop_ros.cli.main', *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    assert done.returncode == USER_ERROR
    assert done.stdout == ''
    assert done.stderr.startswith('simloop: ')
    assert len(done.stderr.splitlines()) == 1
