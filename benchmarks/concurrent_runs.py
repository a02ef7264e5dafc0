"""Runs at the same time, in one folder or in several, some of them killed.

Every run that ends with status 0 has the digest that it has alone, one that is refused has status
2, and the results of earlier runs stay as they are.
"""

from __future__ import annotations

import argparse
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
import json
import os
from pathlib import Path
import random
import signal
import subprocess
import sys
import tempfile
import time

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.core.errors import USER_ERROR
from simloop_ros.record.folder import RAW_LOG
from simloop_ros.record.run_folder import RunFolder
from simloop_ros.scenario.loading import load_scenario

SCENARIO = 'sphere_step'
BIASES = (0.05, 0.1, 0.2)
EARLIER = 0.3  # bias of the run that is there before
WAYS = {
    'process': ('run',),
    'composed': ('launch', '--composed'),
    'distributed': ('launch',),
}
PLACES = ('default', 'one --out', 'several --out')
ROUNDS = (0, 1, 2, 3, 4, 5)
QUICK = (3, 4, 6)  # three in one place, twice, and one that is killed
LONGEST = 300.0  # time of a run on a busy machine [s]
TAG = 'SIMLOOP_CONCURRENT'


@dataclass(frozen=True)
class Trial:
    """Runs that start together.

    :ivar killed: whether one of them is killed while it records.
    """

    way: str
    place: str
    runs: int
    killed: bool


def trials(quick: bool) -> list[Trial]:
    """Return 54 trials, of every way and place, or a few."""
    found = [
        Trial(way, place, 2 + k % 2, killed=k % 3 == 2)
        for k, way, place in product(ROUNDS, WAYS, PLACES)
    ]
    in_process = [trial for trial in found if trial.way == 'process']
    return [in_process[k] for k in QUICK] if quick else found


def settings(bias: float) -> list[str]:
    """Return what makes a run of its own."""
    return [f'plant.mass_bias={bias}', 'period=0.002', 'graphs=[]']


def lone_digest(bias: float, folder: Path) -> str:
    """Run alone, in this process, and return the digest."""
    scenario = load_scenario(SCENARIO, settings(bias))
    return str(run(assemble(scenario), folder, time.perf_counter)['digest'])


def start(trial: Trial, number: int, folder: Path, domain: int) -> subprocess.Popen[bytes]:
    """Start one of the runs."""
    command, *flags = WAYS[trial.way]
    values = [word for value in settings(BIASES[number]) for word in ('--set', value)]
    out = {'default': [], 'one --out': ['--out', 'out'], 'several --out': [f'--out=out{number}']}
    program = [sys.executable, '-m', 'simloop_ros.cli.main', command, SCENARIO]
    return subprocess.Popen(
        [*program, *flags, *values, *out[trial.place]],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=(folder / f'error{number}.txt').open('wb'),
        env={
            **os.environ,
            'ROS_DOMAIN_ID': str(domain),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
            'ROS_LOG_DIR': str(folder / 'ros_log'),
            TAG: f'{folder}-{number}',
        },
    )


def processes(tag: str) -> list[int]:
    """Return the processes of a run: itself, or the launcher and its nodes."""
    found = []
    for entry in Path('/proc').glob('[0-9]*'):
        with suppress(OSError):
            if f'{TAG}={tag}'.encode() in (entry / 'environ').read_bytes().split(b'\0'):
                found.append(int(entry.name))
    return found


def records(pid: int) -> bool:
    """Return whether a process has a raw log open."""
    with suppress(OSError):
        return any(
            os.readlink(file).endswith(RAW_LOG) for file in Path(f'/proc/{pid}/fd').iterdir()
        )
    return False


def kill_one(folder: Path, running: list[subprocess.Popen[bytes]], source: random.Random) -> int:
    """Kill a run that has its folder and records, or its launcher; return its number, or -1."""
    while any(process.poll() is None for process in running):
        for number, process in enumerate(running):
            recording = [pid for pid in processes(f'{folder}-{number}') if records(pid)]
            if recording:
                with suppress(ProcessLookupError):
                    os.kill(source.choice([*recording, process.pid]), signal.SIGKILL)
                    return number
    return -1


def attempt(trial: Trial, folder: Path, digests: dict[float, str], seed: int) -> Counter[str]:
    """Return how the runs of a trial ended; ``wrong`` counts what must not be."""
    source = random.Random(seed)
    default = folder / 'runs' / SCENARIO
    places = {'default': [default], 'one --out': [folder / 'out']}.get(
        trial.place, [folder / f'out{number}' for number in range(trial.runs)]
    )
    for place in places:
        lone_digest(EARLIER, place)
    begin = 10 + 3 * (seed % 30)  # domains of this trial
    running = [start(trial, k, folder, begin + k) for k in range(trial.runs)]
    killed = kill_one(folder, running, source) if trial.killed else -1
    status = [process.wait(LONGEST) for process in running]
    while any(processes(f'{folder}-{k}') for k in range(trial.runs)):
        time.sleep(0.1)
    return judge(trial, folder, places, digests, status, killed)


def judge(
    trial: Trial,
    folder: Path,
    places: list[Path],
    digests: dict[float, str],
    status: list[int],
    killed: int,
) -> Counter[str]:
    """Compare the results that are there with those that ought to be."""
    found = Counter(
        (summary['mass_bias'], summary['digest'])
        for path in folder.rglob('summary.json')
        if not path.parent.is_symlink() and 'runs/' + SCENARIO + '/' not in str(path)
        for summary in [json.loads(path.read_text())]
        if summary['status'] != 'interrupted'  # of a graph whose launcher was killed
    )
    expected = Counter({(EARLIER, digests[EARLIER]): len(places)})
    counts: Counter[str] = Counter()
    for number, code in enumerate(status):
        own = (BIASES[number], digests[BIASES[number]])
        if code == 0:
            expected[own] += 1
            counts['complete'] += 1
        elif code == USER_ERROR and trial.place == 'one --out':
            counts['refused'] += 1
        elif number == killed:
            counts['killed'] += 1
            expected[own] += found[own]  # it may have been complete already
        else:
            counts['wrong'] += 1
    for place in places:  # the next run removes what killed ones left
        RunFolder(place, numbered=trial.place == 'default').discard()
    left = [path for path in folder.rglob('.*.run*') if path.is_dir()]
    counts['wrong'] += (
        (found != expected) + len(left) + (not counts['complete'] and not trial.killed)
    )
    if counts['wrong']:
        errors = [path.read_text() for path in sorted(folder.glob('error*.txt'))]
        print(trial, status, found, expected, left, *errors, sep='\n', file=sys.stderr)
    return counts


def main() -> int:
    """Run the trials, print a table, return 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--quick', action='store_true', help='a few, without ROS')
    options = parser.parse_args()
    table: dict[tuple[str, str], Counter[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        base = Path(scratch)
        digests = {bias: lone_digest(bias, base / str(bias)) for bias in (*BIASES, EARLIER)}
        for seed, trial in enumerate(trials(options.quick)):
            folder = base / f'trial{seed}'
            folder.mkdir()
            counts = attempt(trial, folder, digests, seed)
            row = table.setdefault((trial.way, trial.place), Counter())
            row.update(counts, trials=1)
            print(trial, dict(counts), file=sys.stderr)
    columns = ('trials', 'complete', 'refused', 'killed', 'wrong')
    print(f'{"way":12} {"folder":14}' + ''.join(f'{name:>10}' for name in columns))
    for (way, place), counts in sorted(table.items()):
        print(f'{way:12} {place:14}' + ''.join(f'{counts[name]:10}' for name in columns))
    return int(any(counts['wrong'] for counts in table.values()))


if __name__ == '__main__':
    sys.exit(main())
