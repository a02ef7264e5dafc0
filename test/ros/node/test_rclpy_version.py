"""A ROS 2 that is too old is refused in one line, wherever it would be used."""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    'command',
    [('simloop_ros.nodes.plant',), ('simloop_ros.cli.main', 'launch', 'sphere_step')],
)
def test_humble_is_refused_in_one_line(tmp_path: Path, command: tuple[str, ...]) -> None:
    metadata = tmp_path / 'rclpy-3.3.13.dist-info'
    metadata.mkdir()
    (metadata / 'METADATA').write_text('Metadata-Version: 2.1\nName: rclpy\nVersion: 3.3.13\n')
    paths = [str(tmp_path), os.environ.get('PYTHONPATH', '')]
    done = subprocess.run(
        [sys.executable, '-m', *command],
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, paths))},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert 'rclpy 3.3.13' in line
    assert 'Jazzy or newer' in line
