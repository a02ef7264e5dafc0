"""``simloop view`` as a process: it serves until it is told to end, and refuses in one line."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
import re
import signal
import socket
import subprocess
import sys
from urllib.request import urlopen

import pytest

from simloop_ros.cli.main import USER_ERROR

LONGEST = 60.0
"""Of a start or an end on a busy machine [s]."""
COMMAND = [sys.executable, '-m', 'simloop_ros.cli.main', 'view']
WITHOUT_VISER = """
import sys
sys.modules['viser'] = None
from simloop_ros.cli.main import main
sys.exit(main(['view', 'sphere_step']))
"""

needs_viser = pytest.mark.skipif(
    find_spec('viser') is None, reason='no viser: pip install "simloop_ros[view]"'
)


def refused(command: list[str], folder: Path) -> str:
    """Return the one line with which a command is refused."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LONGEST)
    assert (done.returncode, done.stdout) == (USER_ERROR, ''), done.stderr
    assert done.stderr.count('\n') == 1, done.stderr
    assert list(folder.iterdir()) == []
    return done.stderr.removeprefix('simloop: ').strip()


@needs_viser
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_it_serves_until_a_signal(number: signal.Signals) -> None:
    command = [*COMMAND, 'sphere_step', '--no-browser', '--port', '0']
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            address = re.match(r'(http://127\.0\.0\.1:\d+) ', line)
            assert address, line
            with urlopen(address[1], timeout=LONGEST) as page:
                assert b'<html' in page.read()
            process.send_signal(number)
            out, err = process.communicate(timeout=LONGEST)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (0, '', '')


@needs_viser
def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(('127.0.0.1', 0)) as taken:
        port = str(taken.getsockname()[1])
        line = refused([*COMMAND, 'sphere_step', '--no-browser', '--port', port], tmp_path)
    assert line.startswith(f'--port {port} is taken')


@needs_viser
def test_a_scenario_that_is_unknown(tmp_path: Path) -> None:
    line = refused([*COMMAND, 'sphere_stp', '--no-browser', '--port', '0'], tmp_path)
    assert 'did you mean sphere_step' in line
    assert line.count('sphere_stp') <= 2


def test_without_viser(tmp_path: Path) -> None:
    line = refused([sys.executable, '-c', WITHOUT_VISER], tmp_path)
    assert line == "simloop view needs viser: pip install 'simloop_ros[view]'"


@pytest.mark.parametrize(
    ('arguments', 'part'),
    [
        ([], 'name a scenario'),
        (['sphere_step', '--port', 'http'], "'http' is no port"),
        (['sphere_step', '--port', '70000'], "'70000' is no port"),
        (['sphere_step', '--namespace', 'left'], '--graph'),
        (['sphere_step', '--graph'], '--graph'),
        (['--html', 'page.html'], '--html'),
    ],
)
def test_arguments_that_make_no_sense(arguments: list[str], part: str, tmp_path: Path) -> None:
    assert part in refused([*COMMAND, *arguments, '--no-browser'], tmp_path)
