"""``simloop robotstudio`` from its arguments to the controller."""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from robotstudio_server import RobotStudioServer

from simloop_ros.cli.main import main
from simloop_ros.record.mcap import read_mcap
from simloop_ros.robotstudio.packet import PACKET_SIZE, RESOLUTION, decode

Captured = pytest.CaptureFixture[str]
JOINTS = tuple(f'lwr_{joint}_joint' for joint in ('a1', 'a2', 'e1', 'a3', 'a4', 'a5'))
SIX = ['--joints', ','.join(JOINTS)]
USER_ERROR = 2


@pytest.fixture(scope='module')
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run in which the robot moves."""
    folder = tmp_path_factory.mktemp('run')
    settings = ['duration=1.5', 'plant.noise=1e-4', 'graphs=[]']
    arguments = [part for setting in settings for part in ('--set', setting)]
    assert main(['run', 'lwr_tcp', *arguments, '--out', str(folder)]) == 0
    return folder


def packets(captured: str) -> np.ndarray:
    """Return the angles of printed packets [deg], shape ``(packets, 6)``."""
    return np.array([decode(line.encode()).angles for line in captured.splitlines()])


@pytest.mark.parametrize('column', ['true_position', 'measured_position'])
def test_a_dry_run_prints_the_motion_of_the_log(run: Path, capsys: Captured, column: str) -> None:
    capsys.readouterr()
    arguments = [str(run), *SIX, '--every', '0.1', '--column', column, '--dry-run']
    assert main(['robotstudio', *arguments]) == 0
    printed = packets(capsys.readouterr().out)
    log = read_mcap(run / 'log.mcap')
    places = [log.joint_names.index(name) for name in JOINTS]
    times = np.minimum(log.time[0] + 0.1 * np.arange(16), log.time[-1])
    rows = np.rint(times / log.period).astype(int) - 1
    wanted = np.degrees(log.column(column)[rows][:, places])
    assert np.abs(printed - wanted).max() <= 0.51 * RESOLUTION
    assert np.ptp(printed, axis=0).max() > 1.0
    other = 'true_position' if column == 'measured_position' else 'measured_position'
    beside = np.degrees(log.column(other)[rows][:, places])
    assert np.abs(printed - beside).max() > 2 * RESOLUTION


def test_the_robot_gets_what_a_dry_run_shows(
    run: Path, server: RobotStudioServer, capsys: Captured
) -> None:
    capsys.readouterr()
    arguments = ['robotstudio', str(run / 'log.mcap'), *SIX, '--every', '0.25']
    assert main([*arguments, '--dry-run']) == 0
    printed = capsys.readouterr().out.split()
    assert server.targets == []
    assert main([*arguments, '--port', str(server.port)]) == 0
    assert capsys.readouterr().out == '7 of 7 targets acknowledged\n'
    assert server.targets == [decode(line.encode()) for line in printed]
    assert [target.time for target in server.targets] == [10.0] + [0.25] * 6


def test_a_csv_file_and_a_robot_of_the_user(
    arm: Callable[..., Path], server: RobotStudioServer, tmp_path: Path
) -> None:
    way = tmp_path / 'way.csv'
    way.write_text('time,j6,j5,j4,j3,j2,j1\n0,0,0,0,0,0,0\n2,1,0,0,0,0,0.5\n')
    arguments = [str(way), '--robot', str(arm()), '--every', '1', '--port', str(server.port)]
    assert main(['robotstudio', *arguments]) == 0
    assert [target.angles for target in server.targets] == [
        (0.0,) * 6,
        (14.324, 0.0, 0.0, 0.0, 0.0, 28.648),
        (28.648, 0.0, 0.0, 0.0, 0.0, 57.295),  # the range ends before 57.296
    ]


@pytest.fixture
def refused(capsys: Captured) -> Callable[..., str]:
    """Return a call of the command that must be refused; it gives the line back."""

    def call(*arguments: str) -> str:
        capsys.readouterr()
        assert main(['robotstudio', *arguments]) == USER_ERROR
        captured = capsys.readouterr()
        assert captured.out == ''
        assert captured.err.startswith('simloop: ')
        assert captured.err.count('\n') == 1
        return captured.err

    return call


@pytest.mark.parametrize(
    ('arguments', 'parts'),
    [
        ([], ['the robot has 7', 'name 6']),
        (['--joints', 'lwr_a1_jont'], ['did you mean lwr_a1_joint']),
        ([*SIX, '--every', '0.125'], ['0.125 s do not fit']),
        ([*SIX, '--every', 'soon'], ["'soon' given"]),
        ([*SIX, '--every', '-1'], ['do not fit']),
        ([*SIX, '--approach', '2'], ['target 1 of 4', 'cross its range', 'nothing was sent']),
        ([*SIX, '--timeout', '0'], ['--timeout: 0 is not a positive number']),
        ([*SIX, '--port', '0'], ["port: '0' given"]),
        ([*SIX, '--port', 'x'], ["port: 'x' given"]),
        ([*SIX, '--column', 'effort'], ['effort', 'true_position']),
        ([*SIX, '--robot', 'lwrr'], ["unknown robot 'lwrr'", 'did you mean lwr']),
        ([*SIX, '--robot', 'none.urdf'], ['no such robot description']),
        (['--robot', 'sphere'], ['the robot has 1']),
    ],
)
def test_a_users_mistake(
    refused: Callable[..., str], run: Path, arguments: list[str], parts: list[str]
) -> None:
    line = refused(str(run), *arguments)
    assert all(part in line for part in parts), line


def test_what_is_no_run(refused: Callable[..., str], run: Path, tmp_path: Path) -> None:
    assert 'no log.mcap' in refused(str(tmp_path))
    assert 'not there' in refused(str(tmp_path / 'none'))
    (tmp_path / 'log.mcap').write_bytes((run / 'log.mcap').read_bytes())
    assert 'add --robot' in refused(str(tmp_path), *SIX)
    for text in ('{}', '[]', 'x', '{"settings": {"robot": {"urdf": 1}}}'):
        (tmp_path / 'summary.json').write_text(text)
        assert 'add --robot' in refused(str(tmp_path), *SIX)
    (tmp_path / 'log.mcap').write_bytes(b'rubbish')
    assert 'not a complete log' in refused(str(tmp_path), *SIX)
    for name in ('way.csv', 'WAY.CSV'):
        (tmp_path / name).write_text('time,j1\n0,0\n')
        assert 'a CSV file does not have' in refused(str(tmp_path / name))


def test_a_controller_that_is_absent(
    refused: Callable[..., str], run: Path, free_port: int
) -> None:
    line = refused(str(run), *SIX, '--port', str(free_port))
    assert 'Connection refused' in line
    assert line.endswith('; nothing was sent\n')


def test_a_controller_that_drops_the_line_mid_move(
    refused: Callable[..., str], run: Path, script: Callable[..., Any]
) -> None:
    controller = script(b'OK\n', 'drop')
    line = refused(str(run), *SIX, '--port', str(controller.port))
    assert 'closed by the controller' in line
    assert '1 of 4 targets were acknowledged and nothing more is sent' in line


def test_ctrl_c_says_how_far_it_came(run: Path, script: Callable[..., Any]) -> None:
    controller = script(b'OK\n', 'silence')
    arguments = ['robotstudio', str(run), *SIX, '--port', str(controller.port)]
    process = subprocess.Popen(
        [sys.executable, '-m', 'simloop_ros.cli.main', *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    until = time.monotonic() + 20.0
    while len(controller.heard) < 2 * PACKET_SIZE:
        assert time.monotonic() < until
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=20)
    assert (process.returncode, errors) == (130, 'simloop: interrupted\n')
    assert output == '1 of 4 targets acknowledged\n'
    controller.close()
    assert len(controller.heard) == 2 * PACKET_SIZE
