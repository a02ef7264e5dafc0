"""Nodes keep their memory: ``python benchmarks/memory.py [--quick]``.

Runs ``simloop launch sphere_step`` in lockstep, one process per node, and prints the resident
memory of each node at the start, when half of the steps are done, and at the end.
"""

from __future__ import annotations

import argparse
from pathlib import Path
import subprocess
import sys
import tempfile
import time

PERIOD = 0.005
STEPS, QUICK_STEPS = 200_000, 20_000
WARM_UP = 4096
"""Steps after which every buffer of a fixed length is full."""
BYTES_PER_STEP = 8 * 8
"""Of the raw log of a robot with one joint: eight columns of float64."""
NODES = 'simloop_ros.nodes.'
MARKS = ('start', 'middle', 'end')


def main() -> int:
    """Run, print, and return the exit status of the run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--quick', action='store_true', help=f'only {QUICK_STEPS} steps')
    parser.add_argument('--steps', type=int, default=STEPS)
    options = parser.parse_args()
    steps = QUICK_STEPS if options.quick else options.steps
    with tempfile.TemporaryDirectory() as scratch:
        begin = time.monotonic()
        process = subprocess.Popen(
            [
                *(sys.executable, '-m', 'simloop_ros.cli.main', 'launch', 'sphere_step'),
                *('--set', f'period={PERIOD}', '--set', f'duration={steps * PERIOD}'),
                *('--set', 'plant.noise=1e-5', '--no-figures', '--out', f'{scratch}/out'),
            ],
            stdout=subprocess.DEVNULL,
        )
        raw = Path(scratch) / '.out.run' / 'log.raw'
        samples: list[dict[str, float]] = []
        try:
            for mark in (WARM_UP, steps // 2, steps - WARM_UP):
                while process.poll() is None and steps_in(raw) < mark:
                    time.sleep(0.05)
                nodes = nodes_of(process.pid)
                samples.append({name: resident(pid) for name, pid in nodes.items()})
        except KeyboardInterrupt:
            process.terminate()
        status = process.wait()
    print(f'{steps} steps in {time.monotonic() - begin:.0f} s, resident memory [MB]:')
    print(f'{"node":20}' + ''.join(f'{mark:>10}' for mark in MARKS) + f'{"growth":>10}')
    for name in sorted(samples[0] if samples else ()):
        values = [sample.get(name, float('nan')) for sample in samples]
        growth = values[-1] - values[0]
        print(f'{name:20}' + ''.join(f'{value:10.2f}' for value in (*values, growth)))
    return status


def steps_in(raw: Path) -> int:
    """Return the number of steps that the recorder has written so far."""
    return raw.stat().st_size // BYTES_PER_STEP if raw.exists() else 0


def nodes_of(parent: int) -> dict[str, int]:
    """Return the processes of the nodes that a launcher started."""
    children = Path(f'/proc/{parent}/task/{parent}/children')
    found = {}
    for pid in map(int, children.read_text().split()) if children.exists() else ():
        words = Path(f'/proc/{pid}/cmdline').read_text().split('\0')
        found |= {word.removeprefix(NODES): pid for word in words if word.startswith(NODES)}
    return found


def resident(pid: int) -> float:
    """Return the resident memory of a process [MB]."""
    pages = int(Path(f'/proc/{pid}/statm').read_text().split()[1])
    return pages * 4096 / 1e6


if __name__ == '__main__':
    sys.exit(main())
