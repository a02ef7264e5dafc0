"""A long run keeps its memory: ``python benchmarks/million_steps.py [STEPS]``.

Runs ``simloop run yumi_offline`` at 2 kHz in a process of its own and prints its peak memory.
"""

from __future__ import annotations

from pathlib import Path
import resource
import subprocess
import sys
import tempfile
import time

PERIOD = 0.0005


def main() -> int:
    """Run, print, and return the exit status of the run."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, '-m', 'simloop_ros.cli.main', 'run', 'yumi_offline']
        settings = [f'period={PERIOD}', f'duration={steps * PERIOD}']
        for setting in settings:
            command += ['--set', setting]
        status = subprocess.run([*command, '--out', scratch]).returncode
        size = (Path(scratch) / 'log.mcap').stat().st_size
    elapsed = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f'{steps} steps: peak memory {peak:.0f} MB, log {size / 1e6:.0f} MB, {elapsed:.0f} s')
    return status


if __name__ == '__main__':
    sys.exit(main())
