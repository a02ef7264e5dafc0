"""What the suite does when a driver is at fault: ``python benchmarks/standin_faults.py``.

For each fault a stand-in (``simloop standin generic``, an LWR at 100 Hz) and the suite on it
(``simloop launch step --driver generic``), as real processes; the fault begins in motion where it
can. Prints the table of docs/drivers.md: what the robot did, and when the fault was noticed.
``--quick`` runs two of the rows. A row is run again if this machine itself stood still just before
the robot was stopped: that is no fault of the driver.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
from threading import Thread
import time

RATE = 100.0
"""Of the joint states [Hz]; ``--rate 20`` where a busy machine would be taken for a fault."""
DOMAIN = 217
"""First of the ROS domains: far from those of tests."""
AFTER = 20.0
"""Time after which a fault begins [s]: the suite has started by then, and moves."""
LONGEST = 80.0
"""Time after which a run that has not ended is ended [s]."""
REFUSED = 30.0
"""The same where nothing shall begin [s]."""
KEYS = {'gravity': 'command', 'effort': 'torque'}
SIMLOOP = (sys.executable, '-m', 'simloop_ros.cli.main')
GRACE = 12.0
"""Time after a stop in which a run may end by itself [s]: the follower outlives control."""
LEFT = 2.0
"""Time after a stop in which the robot is held for sure [s]: then the suite may have ended."""
TICK, PAUSE = 0.01, 0.05
"""Time between two looks at the clock, and between two that is a pause of the machine [s]."""
SUSPECT = 1.0
"""Time before a stop in which a pause may be its cause [s]."""
TRIES = 5
BEGIN, STOPPED, NOT_STARTED = 'the faults begin', 'stopped: ', 'not started: '


@dataclass(frozen=True)
class Fault:
    """A row of the table.

    :ivar faults: of the stand-in.
    :ivar changes: of its driver file, and of the suite's.
    :ivar begins: whether it begins in motion; else it is there from the start.
    """

    name: str
    faults: tuple[str, ...] = ()
    changes: dict[str, str] = field(default_factory=dict)
    begins: bool = True


FAULTS = (
    Fault('none', begins=False),
    Fault('2 % of the states lost, 15 ms lag', ('lost=0.02',), {'lag': '0.015'}, begins=False),
    Fault('`lost=0.2`', ('lost=0.2',)),
    Fault('`bunched=5`', ('bunched=5',)),
    Fault('`freeze=0.05`', ('freeze=0.05',)),
    Fault('`freeze=1`', ('freeze=1',)),
    Fault('`payload=2`', ('payload=2',)),
    Fault('`late_start=15`', ('late_start=15',), begins=False),
    Fault('`rate=1.2`', ('rate=1.2',), begins=False),
    Fault('`order`', ('order',), begins=False),
    Fault('`current`', ('current',), begins=False),
)


class MachineWatch:
    """Notes when this machine stands still: a thread that does nothing but look at the clock."""

    def __init__(self) -> None:
        self._pauses: list[tuple[float, float]] = []
        Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        last = time.monotonic()
        while True:
            time.sleep(TICK)
            now = time.monotonic()
            if now - last > PAUSE:
                self._pauses.append((now, now - last))
            last = now

    def pause_before(self, moment: float) -> float:
        """Return the longest pause just before a moment [s]; zero if there was none."""
        near = (length for at, length in self._pauses if moment - SUSPECT < at < moment + TICK)
        return max(near, default=0.0)


class Lines:
    """The lines that a process prints, with the times at which they came [s]."""

    def __init__(self, process: subprocess.Popen[str]):
        self.found: list[tuple[float, str]] = []
        Thread(target=self._read, args=(process,), daemon=True).start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        for line in process.stderr or ():
            self.found.append((time.monotonic(), line.strip()))

    def first(self, words: str) -> tuple[float, str] | None:
        """Return when and how something was said first."""
        return next((pair for pair in self.found if words in pair[1]), None)


def start(
    arguments: list[str], environment: dict[str, str]
) -> tuple[subprocess.Popen[str], Lines]:
    """Start a command of simloop."""
    process = subprocess.Popen(
        [*SIMLOOP, *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    return process, Lines(process)


def settings(option: str, keys: dict[str, str]) -> list[str]:
    """Return keys and values as arguments."""
    return [word for key, value in keys.items() for word in (option, f'{key}={value}')]


def row_of(
    fault: Fault, rate: float, domain: int, machine: MachineWatch
) -> tuple[tuple[str, str, str], float]:
    """Return what happened: the fault, what the robot did, and when that was noticed.

    And for how long the machine stood still before the robot was stopped [s].
    """
    environment = {
        **os.environ,
        'ROS_DOMAIN_ID': str(domain),
        'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
    }
    keys = {'rate': f'{rate:g}', **KEYS, **fault.changes}
    faults = list(fault.faults)
    if fault.begins:
        faults.append(f'after={AFTER:g}')
    given = [word for each in faults for word in ('--fault', each)]
    driver, said = start(
        ['standin', 'generic', '--robot', 'lwr', *settings('--set', keys), *given], environment
    )
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / 'out'
        suite, heard = start(
            [
                *('launch', 'step', '--driver', 'generic', *settings('--driver-set', keys)),
                *('--set', 'robot=lwr', '--set', 'planner.move=[[-0.2,0,0.1]]'),
                *('--set', 'planner.max_velocity=0.01', '--composed'),
                *('--no-figures', '--out', str(out)),
            ],
            environment,
        )
        wait(suite, heard)
        driver.send_signal(signal.SIGINT)
        driver.wait()
        summary = out / 'summary.json'
        result = json.loads(summary.read_text()) if summary.is_file() else {}
    reached = result.get('status') == 'reached'
    stopped = heard.first(STOPPED)
    pause = 0.0 if stopped is None or reached else machine.pause_before(stopped[0])
    row = fault.name, outcome(result, said, heard), '' if reached else noticed(said, heard)
    return row, pause


def wait(suite: subprocess.Popen[str], heard: Lines) -> None:
    """Wait until the suite has ended, or end it once it is known what happened."""
    begin = time.monotonic()
    while suite.poll() is None and time.monotonic() < begin + LONGEST:
        stopped, refused = heard.first(STOPPED), heard.first(NOT_STARTED)
        over = stopped is not None and time.monotonic() > stopped[0] + GRACE
        if over or (refused is not None and time.monotonic() > begin + REFUSED):
            break
        time.sleep(0.1)
    if suite.poll() is None:
        suite.send_signal(signal.SIGINT)
    suite.wait()


def outcome(result: dict[str, object], said: Lines, heard: Lines) -> str:
    """Return what the robot did, in words."""
    refused, stopped = heard.first(NOT_STARTED), heard.first(STOPPED)
    reflex = said.first('takes no command any more')
    if reflex and stopped and reflex[0] > stopped[0] + LEFT:
        reflex = None  # it was left alone, with the gravity of its last position
    after = f'; the robot itself: {reflex[1].partition("simloop: ")[2]}' if reflex else ''
    if refused is not None:
        return f'got no command: {refused[1].partition(NOT_STARTED)[2]}{after}'
    if stopped is not None and result.get('status') != 'reached':
        return f'came to rest: {stopped[1].partition(STOPPED)[2]}{after}'
    verdict = result.get('verdict') or ['no result']
    assert isinstance(verdict, list)
    return f'{verdict[0]}{after}'


def noticed(said: Lines, heard: Lines) -> str:
    """Return the time from the fault to the stop [ms]."""
    begin, stopped = said.first(BEGIN), heard.first(STOPPED)
    return f'{1e3 * (stopped[0] - begin[0]):.0f}' if begin and stopped else ''


def main() -> int:
    """Run every fault and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--quick', action='store_true', help='two of the rows')
    parser.add_argument('--only', metavar='WORD', default='', help='rows with this in their name')
    parser.add_argument('--rate', metavar='HZ', type=float, default=RATE, help='[%(default)s]')
    options = parser.parse_args()
    chosen = [fault for fault in FAULTS if options.only in fault.name]
    machine = MachineWatch()
    print('| fault | what the robot did | noticed after [ms] |\n|---|---|---|')
    for i, fault in enumerate(chosen[:2] if options.quick else chosen):
        for _ in range(TRIES):
            row, pause = row_of(fault, options.rate, DOMAIN + i, machine)
            if not pause:
                break
            print(f'{fault.name}: the machine stood still for {pause:.2f} s', file=sys.stderr)
        print(f'| {" | ".join(row)} |', flush=True)
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
