"""A run that is told to stop ends soon and keeps what it has."""

from __future__ import annotations

import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import time

import pytest

from simloop_ros.record.mcap import McapReader
from simloop_ros.record.metrics import compute_metrics

STOPPED = 130
STARTING = 30.0  # longest time to import and plan on a busy machine [s]
ENDING = 15.0  # longest time to write the log and the figures on a busy machine [s]


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM], ids=['SIGINT', 'SIGTERM'])
def test_a_long_run_is_stopped(tmp_path: Path, number: signal.Signals) -> None:
    settings = ['--set', 'duration=1000', '--set', 'period=0.0005']
    settings += ['--out', str(tmp_path / 'out')]
    process = subprocess.Popen(
        [sys.executable, '-m', 'simloop_ros.cli.main', 'run', 'sphere_guiding', *settings],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))},
    )
    try:
        raw, until = tmp_path / '.out.run' / 'log.raw', time.monotonic() + STARTING
        while not (raw.exists() and raw.stat().st_size) and time.monotonic() < until:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        _, errors = process.communicate(timeout=ENDING)
    finally:
        process.kill()
    assert process.returncode == STOPPED
    summary = json.loads((tmp_path / 'out' / 'summary.json').read_text())
    assert summary['status'] == 'interrupted'
    assert errors == f'simloop: stopped after {summary["steps"]} steps\n'
    log = McapReader(tmp_path / 'out' / 'log.mcap')
    assert 0 < log.rows == summary['steps'] < 1000 / 0.0005
    assert compute_metrics(log).digest == summary['digest']
    expected = {'summary.json', 'log.mcap'} | {f'{graph}.png' for graph in summary['graphs']}
    assert {path.name for path in (tmp_path / 'out').iterdir()} == expected


@pytest.mark.parametrize(
    ('command', 'delays'),
    [(['list'], (0.05, 0.4)), (['run', 'sphere_step'], (0.3, 0.8, 1.4))],
    ids=['list', 'run'],
)
def test_an_interrupt_at_any_moment_gives_one_line(
    tmp_path: Path, command: list[str], delays: tuple[float, ...]
) -> None:
    """While modules are imported, the run is prepared, and figures are drawn."""
    begin = 'import os, sys; from simloop_ros.cli.start import main; os.write(1, b"x"); '
    for delay in delays:
        process = subprocess.Popen(
            [sys.executable, '-c', f'{begin}sys.exit(main())', *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))},
        )
        try:
            assert process.stdout is not None
            process.stdout.read(1)  # until then Python itself answers
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=STARTING)
        finally:
            process.kill()
        lines = errors.decode().splitlines()
        assert process.returncode in (0, STOPPED), lines  # 0: it was done before
        assert len(lines) == (process.returncode == STOPPED), lines
    assert not list(tmp_path.glob('runs/.*'))


def test_without_a_standard_output_nothing_goes_wrong(tmp_path: Path) -> None:
    program = f'{sys.executable} -m simloop_ros.cli.main list >&-'
    paths = {'PYTHONPATH': os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        ['bash', '-c', program], cwd=tmp_path, env={**os.environ, **paths}, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b'')
