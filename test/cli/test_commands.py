"""Every command from its arguments to its exit status, output and files."""

from __future__ import annotations

import json
import os
from pathlib import Path
import shutil
import subprocess
import sys
from typing import get_args

import pytest

from simloop_ros import __version__
from simloop_ros.cli.arguments import ARGUMENTS
from simloop_ros.cli.commands import COMMANDS
from simloop_ros.cli.main import main
from simloop_ros.collision.calibration import load_calibration
from simloop_ros.core.errors import ConfigError
from simloop_ros.core.resources import resource_folder
from simloop_ros.record.mcap import McapReader, read_mcap
from simloop_ros.record.metrics import compute_metrics
from simloop_ros.robot.fit_robot import load_fit_robot
from simloop_ros.scenario.robot_files import robot_config
from simloop_ros.scenario.scenario import HANDS_GRAPHS, Graph
from simloop_ros.scenario.shipped import scenario_descriptions, scenario_names

SHORT = ['run', 'sphere_step', '--set', 'duration=0.1']
Captured = pytest.CaptureFixture[str]


def test_list(capsys: Captured) -> None:
    assert main(['list']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(scenario_names())
    for line, description in zip(lines, scenario_descriptions().values(), strict=True):
        assert line.endswith(description)


@pytest.mark.parametrize(
    'arguments', [['--help'], ['--version'], *([command, '--help'] for command in COMMANDS)]
)
def test_help(capsys: Captured, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0
    assert (__version__ if '--version' in arguments else 'simloop') in capsys.readouterr().out


def test_every_command_has_its_arguments() -> None:
    assert list(ARGUMENTS) == list(COMMANDS)


def test_keys(capsys: Captured) -> None:
    assert main(['keys', 'mass_bias']) == 0
    first, *_ = capsys.readouterr().out.splitlines()
    assert first == 'plant.mass_bias = 0.0   (number > -1)'
    assert main(['keys', 'planner.move']) == 0
    assert capsys.readouterr().out.count('planner.move') == 1  # of two kinds of planner, alike
    assert main(['keys', 'mass_bais']) == 2
    error = capsys.readouterr().err
    assert 'plant.mass_bias' in error
    assert error.count('\n') == 1


def test_schema(capsys: Captured) -> None:
    assert main(['schema', 'robot']) == 0
    assert 'urdf' in json.loads(capsys.readouterr().out)['$defs']['RobotConfig']['properties']


@pytest.mark.parametrize('shell', ['bash', 'zsh', 'fish'])
def test_completion_script(capsys: Captured, shell: str) -> None:
    assert main(['completion', shell]) == 0
    assert 'simloop' in capsys.readouterr().out


COMPLETE = r"""
simloop() { "$PYTHON" -m simloop_ros.cli.main "$@"; }
eval "$(simloop completion bash)"
while IFS= read -r COMP_LINE; do
  COMP_POINT=${#COMP_LINE} COMP_TYPE=9 COMPREPLY=()
  _python_argcomplete simloop
  echo "${COMPREPLY[@]}"
done
"""


@pytest.mark.skipif(not shutil.which('bash'), reason='needs bash')
def test_a_shell_completes_commands_scenarios_keys_and_choices(tmp_path: Path) -> None:
    (tmp_path / 'runs' / 'first').mkdir(parents=True)
    (tmp_path / 'runs' / 'first' / 'summary.json').touch()
    expected = {
        'simloop rob': 'robotstudio',
        'simloop run yumi_st': 'yumi_step',
        'simloop run step --set plant.mass': 'plant.mass_bias=',
        'simloop run step --set plant.takes=': 'effort position',
        'simloop launch step --plant muj': 'mujoco',
        'simloop bench kin': 'kinematics',
        'simloop plot runs/f': 'runs/first',
    }
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        ['bash', '-c', COMPLETE],
        input=''.join(f'{line}\n' for line in expected),
        env={**os.environ, 'PYTHON': sys.executable, 'PYTHONPATH': path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    found = [' '.join(sorted(line.split())) for line in done.stdout.splitlines()]
    assert found == list(expected.values())


def test_run_shows_a_table_and_writes_its_files(tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / 'deep' / 'out'
    assert main([*SHORT, '--set', 'plant.noise=1e-5', '--seed', '7', '--out', str(out)]) == 0
    captured = capsys.readouterr()
    summary = json.loads((out / 'summary.json').read_text())
    assert summary['seed'] == 7
    expected = {'summary.json', 'log.mcap'} | {f'{graph}.png' for graph in summary['graphs']}
    assert {path.name for path in out.iterdir()} == expected
    assert summary['digest'] in captured.out
    assert 'path error rms' in captured.out
    assert str(out / 'path_difference.png') in captured.out
    assert captured.err == ''  # progress is for a terminal
    assert compute_metrics(McapReader(out / 'log.mcap')).digest == summary['digest']


def test_run_goes_to_runs_where_nothing_else_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(SHORT) == 0
    assert (tmp_path / 'runs' / 'sphere_step' / 'summary.json').is_file()


def test_run_of_a_file(tmp_path: Path) -> None:
    scenario = tmp_path / 'mine.yaml'
    scenario.write_text(
        'description: mine\nrobot: two_link\nduration: 0.1\nplanner: {kind: guiding}\n'
    )
    assert main(['run', str(scenario), '--out', str(tmp_path / 'out')]) == 0
    summary = json.loads((tmp_path / 'out' / 'summary.json').read_text())
    assert (summary['scenario'], summary['robot']) == ('mine', 'two_link')


def test_a_shell_gives_the_digest_of_this_process(tmp_path: Path) -> None:
    arguments = [*SHORT, '--set', 'plant.noise=1e-5', '--seed', '3', '--out']
    assert main([*arguments, str(tmp_path / 'here')]) == 0
    subprocess.run(
        [sys.executable, '-m', 'simloop_ros.cli.main', *arguments, str(tmp_path / 'there')],
        check=True,
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))},
    )
    here, there = (
        json.loads((tmp_path / name / 'summary.json').read_text()) for name in ('here', 'there')
    )
    assert here['digest'] == there['digest']


def test_a_run_that_diverges(tmp_path: Path, capsys: Captured) -> None:
    """A reading five periods old under a deadbeat law is unstable."""
    out = tmp_path / 'out'
    settings = ['--set', 'plant.delay=5', '--set', 'graphs=[path_difference]']
    assert main(['run', 'yumi_step', *settings, '--out', str(out)]) == 1
    captured = capsys.readouterr()
    summary = json.loads((out / 'summary.json').read_text())
    assert summary['status'] == 'diverged'
    assert captured.err.count('\n') == 1
    assert captured.err.startswith(f'simloop: diverged at step {summary["steps"]} ')
    assert any(joint in captured.err for joint in summary['joint_names'])
    assert read_mcap(out / 'log.mcap').time.size == summary['steps']
    assert (out / 'path_difference.png').is_file()
    assert not (out / 'log.raw').exists()


def test_a_light_robot_diverges(tmp_path: Path, capsys: Captured) -> None:
    """Ten times lighter than its model, every correction overshoots tenfold."""
    settings = ['--set', 'plant.mass_bias=-0.9', '--set', 'graphs=[]']
    assert main(['run', 'yumi_step', *settings, '--out', str(tmp_path)]) == 1
    assert 'diverged at step' in capsys.readouterr().err


def test_calibrate_writes_a_file_that_is_refused_for_others(
    tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / 'deep' / 'sphere.yaml'
    settings = ['--set', 'plant.noise=1e-5', '--set', 'period=0.01', '--duration', '120']
    settings += ['--false-alarms-per-hour', '1']
    assert main(['calibrate', 'sphere_step', *settings, '--out', str(path)]) == 0
    assert 'slide' in capsys.readouterr().out
    sphere = load_fit_robot(robot_config('sphere'))
    assert load_calibration(path, sphere, 0.01).false_alarms_per_hour == 1.0
    with pytest.raises(ConfigError, match='period'):
        load_calibration(path, sphere, 0.001)


def test_plot(tmp_path: Path, capsys: Captured) -> None:
    folder = str(tmp_path)
    assert main([*SHORT, '--set', 'graphs=[path_comparison]', '--out', folder]) == 0
    (first,) = tmp_path.glob('*.png')
    pixels = first.read_bytes()
    first.unlink()
    capsys.readouterr()
    assert main(['plot', folder]) == 0
    assert capsys.readouterr().out.split() == [str(first)]
    assert first.read_bytes() == pixels
    assert main(['plot', folder, '--all']) == 0
    drawn = {Path(line).stem for line in capsys.readouterr().out.split()}
    # Nobody guides this robot, nothing watches for contacts, and it has no hands.
    unknown = {'external_torque', 'residual', *HANDS_GRAPHS}
    assert drawn == set(get_args(Graph)) - unknown
    assert len(list(tmp_path.glob('*.png'))) == len(drawn)


@pytest.mark.parametrize('robot', ['sphere.urdf', 'two_link.urdf', 'yumi.urdf.xacro'])
def test_check_of_a_fit_robot(capsys: Captured, robot: str) -> None:
    assert main(['check', robot]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-1] == f'{robot}: fit for control'
    assert 'unfit' not in captured.out
    assert captured.err == ''


def test_check_of_an_unfit_robot(tmp_path: Path, capsys: Captured) -> None:
    text = (resource_folder('urdf') / 'two_link.urdf').read_text()
    path = tmp_path / 'arm.urdf'
    path.write_text(text.replace('<inertial>', '<!--').replace('</inertial>', '-->'))
    assert main(['check', str(path), '--tips', 'tip']) == 1
    captured = capsys.readouterr()
    *problems, verdict = captured.out.splitlines()
    unfit = [line for line in problems if line.startswith('unfit')]
    assert unfit == problems[: len(unfit)]  # what must be mended comes first
    assert verdict == f'{path}: unfit, {len(unfit)} to correct'
    assert len(unfit) == 2
    assert captured.err == ''


SRDF = """<robot name="two_link"><group_state name="up" group="arm">
  <joint name="joint1" value="1.2"/><joint name="joint2" value="-1"/></group_state></robot>"""


def test_check_shows_the_robot_and_a_better_home(tmp_path: Path, capsys: Captured) -> None:
    text = (resource_folder('urdf') / 'two_link.urdf').read_text()
    (tmp_path / 'arm.urdf').write_text(text)
    path = str(tmp_path / 'arm.urdf')
    assert main(['check', path, '--tips', 'tip']) == 0
    shown = capsys.readouterr().out
    for part in (
        '-3.142 to 3.142 rad',
        '100 N m',
        '1 kg',
        '20 %',
        '2.0000 m',
        'found by a search',
    ):
        assert part in shown
    (tmp_path / 'arm.srdf').write_text(SRDF)
    setting = "--set 'robot.home={joint1: 1.2, joint2: -1}'"
    assert main(['check', path, '--tips', 'tip']) == 0
    assert f'better, posture up; for simloop run: {setting}' in capsys.readouterr().out
    assert main(['check', path, '--tips', 'tip', '--home', 'up']) == 0
    assert setting in capsys.readouterr().out
    assert main(['check', path, '--home', 'down']) == 2
    assert 'valid: up' in capsys.readouterr().err


def test_check_of_a_robot_that_cannot_bear_its_own_weight(
    tmp_path: Path, capsys: Captured
) -> None:
    text = (resource_folder('urdf') / 'two_link.urdf').read_text()
    path = tmp_path / 'arm.urdf'
    path.write_text(text.replace('effort="100"', 'effort="19"'))
    assert main(['check', str(path), '--tips', 'tip']) == 1
    shown = capsys.readouterr().out
    assert "unfit  robot.home: joint1 cannot bear the robot's own weight at home" in shown
    assert '--set' in shown
    home = (
        '{joint1: 1.57}'  # upright: 19.64 N m, 103 % of the limit, only where it is stretched out
    )
    assert main(['check', str(path), '--tips', 'tip', '--home', home]) == 0
    shown = capsys.readouterr().out
    assert 'hint   weight: its own weight is more than these joints can bear' in shown
    assert 'at their worst posture: joint1 (103 %); keep away from there' in shown


def test_check_tells_a_base_that_moves_freely(tmp_path: Path, capsys: Captured) -> None:
    text = (resource_folder('urdf') / 'two_link.urdf').read_text()
    path = tmp_path / 'arm.urdf'
    path.write_text(text)
    free = '<virtual_joint name="root" type="floating" parent_frame="w" child_link="base"/>'
    (tmp_path / 'arm.srdf').write_text(f'<robot name="two_link">{free}</robot>')
    assert main(['check', str(path), '--tips', 'tip']) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[-1].startswith(f'{path}: fit for control only with its base held fixed: ')
    assert 'moves freely (root)' in shown[-1]
    assert any(line.endswith(', 2 joints, base base fixed to the world') for line in shown)


def test_check_knows_tips_and_locks(capsys: Captured) -> None:
    assert main(['check', 'two_link.urdf', '--tips', 'tpi']) == 1
    assert "there is no link 'tpi'" in capsys.readouterr().out
    assert main(['check', 'two_link.urdf', '--lock', 'joint2', '--tips', 'tip']) == 0
    assert capsys.readouterr().out.endswith('\ntwo_link.urdf: fit for control\n')
