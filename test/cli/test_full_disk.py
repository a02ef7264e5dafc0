"""Where results cannot be written: one line, a status of its own, and what was written is kept."""

from __future__ import annotations

from collections.abc import Iterator
import json
import os
from pathlib import Path
import resource
import subprocess
import sys

import pytest

from simloop_ros.cli.main import main
from simloop_ros.core.errors import STORAGE_ERROR
from simloop_ros.record.mcap import McapReader
from simloop_ros.record.metrics import compute_metrics

SIZE = 512 * 1024  # of the disk [bytes]
LARGEST = 300 * 1024  # file that may be written [bytes]
RESERVED = 256 * 1024
ROW = 8 * 8  # of the log of the sphere [bytes]
STEPS = 2 * (SIZE - RESERVED) // ROW  # too many


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Give a disk of half a megabyte."""
    folder = tmp_path / 'disk'
    folder.mkdir()
    mount = ['mount', '-t', 'tmpfs', '-o', f'size={SIZE}', 'tmpfs', str(folder)]
    if os.getuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip('not allowed to mount a small disk')
    yield folder
    subprocess.run(['umount', str(folder)], check=True)


def run(out: Path, steps: int, *, limited: bool = False) -> str:
    """Run a scenario that does not get all of its results written; return the line."""
    values = (f'duration={steps * 0.0005}', 'period=0.0005', 'graphs=[path_difference]')
    settings = [word for value in values for word in ('--set', value)]
    command = [sys.executable, '-m', 'simloop_ros.cli.main', 'run', 'sphere_step']
    done = subprocess.run(
        [*command, *settings, '--out', str(out)],
        capture_output=True,
        text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))},
        preexec_fn=(
            (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST)))
            if limited
            else None
        ),
        check=False,
    )
    assert done.returncode == STORAGE_ERROR, done.stderr
    assert done.stderr.count('\n') == 1, done.stderr
    return done.stderr


def check_kept(out: Path, capsys: pytest.CaptureFixture[str]) -> int:
    """Check that ``simloop plot`` makes whole results of what was kept; return their steps."""
    summary = json.loads((out / 'summary.json').read_text())
    assert {path.name for path in out.iterdir()} == {'summary.json', 'log.raw'}
    assert main(['plot', str(out)]) == 0
    assert capsys.readouterr().out.split() == [str(out / 'path_difference.png')]
    log = McapReader(out / 'log.mcap')
    assert (log.rows, compute_metrics(log).digest) == (summary['steps'], summary['digest'])
    assert not (out / 'log.raw').exists()
    return log.rows


def test_a_disk_that_gets_full_during_the_run(
    disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = disk / 'out'
    line = run(out, STEPS)
    assert 'No space left on device' in line
    assert f'simloop plot {out}' in line
    assert json.loads((out / 'summary.json').read_text())['status'] == 'interrupted'
    assert main(['plot', str(out)]) == STORAGE_ERROR  # it is still full
    assert capsys.readouterr().err.count('\n') == 1
    subprocess.run(['mount', '-o', f'remount,size={8 * SIZE}', str(disk)], check=True)
    assert check_kept(out, capsys) > (SIZE - RESERVED) // ROW - 1100  # one buffer is lost


def test_a_disk_with_room_for_the_raw_log_only(
    disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = 2 * SIZE // 5 // ROW  # as messages it needs twice as much
    run(disk / 'out', steps)
    assert json.loads((disk / 'out' / 'summary.json').read_text())['status'] != 'interrupted'
    subprocess.run(['mount', '-o', f'remount,size={8 * SIZE}', str(disk)], check=True)
    assert check_kept(disk / 'out', capsys) == steps


def test_a_file_that_must_not_grow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 'File too large' in run(tmp_path / 'out', STEPS, limited=True)
    assert check_kept(tmp_path / 'out', capsys) == LARGEST // ROW


def test_a_disk_that_is_full_from_the_start(disk: Path) -> None:
    (disk / 'filler').write_bytes(bytes(SIZE - 8192))
    assert f'{disk / "out"}: cannot be written: No space left' in run(disk / 'out', 10)
    assert {path.name for path in disk.iterdir()} == {'filler'}
