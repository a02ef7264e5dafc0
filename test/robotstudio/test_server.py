"""The controller without a robot: it refuses what it cannot read, and serves the next."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from robotstudio_server import RobotStudioServer, main

from simloop_ros.core.errors import ConfigError
from simloop_ros.robotstudio.client import RobotStudioClient
from simloop_ros.robotstudio.config import LinkConfig
from simloop_ros.robotstudio.packet import OK, Target, encode

HERE = Target((1.0,) * 6, 0.3)


def talk(port: int, data: bytes) -> bytes:
    """Send some bytes, then nothing more; return all that comes back."""
    with socket.create_connection(('127.0.0.1', port), timeout=5.0) as line:
        line.sendall(data)
        line.shutdown(socket.SHUT_WR)
        answer = b''
        while more := line.recv(1000):
            answer += more
    return answer


def test_good_bad_half_and_good_again(server: RobotStudioServer) -> None:
    good = encode(HERE)
    assert talk(server.port, good + good) == OK + OK
    assert talk(server.port, b'x' * 52).startswith(b'ERROR angle of axis 1')
    assert talk(server.port, good + good[:20]) == OK
    assert talk(server.port, b'') == b''
    assert talk(server.port, good) == OK
    assert server.targets == [HERE] * 4


def test_moves_take_their_time(free_port: int) -> None:
    process = subprocess.Popen(
        [sys.executable, '-m', 'robotstudio_server', '--port', str(free_port)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout
    assert process.stdout.readline() == f'listening on 127.0.0.1:{free_port}\n'
    with RobotStudioClient(LinkConfig(port=free_port)) as client:
        client.connect()
        begin = time.monotonic()
        client.send(HERE)
        assert time.monotonic() - begin >= HERE.time
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    assert '1.000    1.000    1.000    1.000    1.000    1.000 deg in 0.3 s' in output


def test_a_port_that_is_taken(server: RobotStudioServer) -> None:
    with pytest.raises(ConfigError, match=f'cannot listen on 127.0.0.1:{server.port}'):
        RobotStudioServer(port=server.port)


def test_the_help_says_that_the_pace_is_a_factor(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(['--help'])
    assert 'its time times this' in ' '.join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ('arguments', 'words'),
    [
        (['--host', ''], "host: '' given"),
        (['--port', '0'], 'from 1 to 65535'),
        (['--pace', '-1'], 'pace: -1 given'),
        (['--pace', 'nan'], 'pace: nan given'),
    ],
)
def test_a_users_mistake(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith('simloop: ')
    assert words in error
    assert error.count('\n') == 1
