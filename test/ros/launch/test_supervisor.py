"""The supervisor: whatever ends first, all end, nobody stays behind, and the status says why."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
import fcntl
import os
from pathlib import Path
import pty
import signal
import subprocess
import sys
import termios
import time

import msgspec
import pytest

from simloop_ros.core.errors import SimloopError
from simloop_ros.ros.launch.supervisor import Program, supervise

ENDING = 10.0  # longest time for a graph to end on a busy machine [s]
FOREVER = 60.0  # longer than any test may last [s]
STOPPED = 130  # status after a signal
REACTION = 0.3  # from the end of one to SIGINT in another, on a busy machine [s]
READY = 1.0  # longest time for a bare interpreter to start on a busy machine [s]
CTRL_C = b'\x03'

PYTHON = (sys.executable, '-I', '-S', '-c')
NODE = """
import os, signal, sys, time
name, on_interrupt, on_user = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
caught = {signal.SIGINT, signal.SIGUSR1}
signal.pthread_sigmask(signal.SIG_BLOCK, caught)
print(name, os.getpid(), flush=True)
number = signal.sigwait(caught)
print(name, signal.Signals(number).name, time.monotonic(), flush=True)
os._exit(on_user if number == signal.SIGUSR1 else on_interrupt)
"""
STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
print(sys.argv[1], os.getpid(), flush=True)
time.sleep(60)
"""
PARENT = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, '-I', '-S', '-c', 'import time; time.sleep(60)'])
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
print(sys.argv[1], os.getpid(), flush=True)
signal.sigwait({signal.SIGUSR1})
os._exit(0)
"""
COUNTER = """
import os, signal, sys, time
count = 0
def note(*_):
    global count
    count += 1
signal.signal(signal.SIGINT, note)
print(sys.argv[1], os.getpid(), flush=True)
while not count:
    time.sleep(0.01)
time.sleep(0.2)
print(sys.argv[1], 'count', count, flush=True)
"""
SUPERVISOR = """
import signal, sys
import msgspec
from simloop_ros.ros.launch.supervisor import Program, supervise
programs, options = msgspec.json.decode(sys.argv[1], type=tuple[list[Program], dict])
if options.pop('ignoring', False):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
def report(line):
    print(line, file=sys.stderr, flush=True)
sys.exit(supervise(programs, report=report, **options))
"""


def program(code: str, name: str, *arguments: object, **settings: object) -> Program:
    command = (*PYTHON, code, name, *map(str, arguments))
    return msgspec.convert({'name': name, 'command': command, **settings}, Program)


def node(name: str, on_interrupt: int = 0, on_user: int = 0, ends_all: bool = False) -> Program:
    """Return a program that ends with one status at SIGINT and with another at SIGUSR1."""
    return program(NODE, name, on_interrupt, on_user, ends_all=ends_all)


class Graph:
    """A supervisor in a process of its own, whose programs have all said that they are ready."""

    def __init__(self, process: subprocess.Popen[bytes], count: int):
        self.process = process
        self.pids: dict[str, int] = {}
        assert process.stdout is not None
        while len(self.pids) < count:
            name, pid = process.stdout.readline().split()
            self.pids[name.decode()] = int(pid)

    def kill(self, name: str, number: signal.Signals) -> None:
        os.kill(self.pids[name], number)

    def end(self) -> tuple[int, list[str], list[str]]:
        """Return the status, the lines reported, and the lines that the programs wrote.

        The pipes reach their ends when nobody is left who could write: neither program nor child.
        """
        out, err = self.process.communicate(timeout=ENDING)
        return self.process.returncode, err.decode().splitlines(), out.decode().splitlines()


@contextmanager
def graph(*programs: Program, terminal: int | None = None, **options: object) -> Iterator[Graph]:
    """Run a supervisor, in the foreground of a terminal if one is given."""

    def take_terminal() -> None:
        if terminal is not None:
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        [
            sys.executable,
            '-S',
            '-c',
            SUPERVISOR,
            msgspec.json.encode((programs, options)).decode(),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
        preexec_fn=take_terminal,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))},
    )
    pids: list[int] = []
    try:
        running = Graph(process, len(programs))
        pids += running.pids.values()
        yield running
    finally:
        process.kill()
        for pid in pids:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        process.communicate()


def told(lines: list[str]) -> dict[str, str]:
    """Return which signal each program says it got."""
    return {line.split()[0]: line.split()[1] for line in lines}


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM], ids=['SIGINT', 'SIGTERM'])
def test_a_signal_is_passed_on_as_an_interrupt(number: signal.Signals) -> None:
    with graph(node('plant'), node('control'), node('recorder', ends_all=True)) as running:
        running.process.send_signal(number)
        status, reported, written = running.end()
    assert (status, reported) == (STOPPED, [])
    assert told(written) == dict.fromkeys(('plant', 'control', 'recorder'), 'SIGINT')


def test_an_interrupt_gets_through_where_the_supervisor_was_started_to_ignore_it() -> None:
    with graph(program(COUNTER, 'plant'), ignoring=True) as running:
        running.process.send_signal(signal.SIGINT)
        assert running.end() == (STOPPED, [], ['plant count 1'])


def test_the_status_is_that_of_a_program_that_does_not_end_cleanly_after_a_signal() -> None:
    with graph(node('plant'), node('control', on_interrupt=3)) as running:
        running.process.send_signal(signal.SIGINT)
        status, reported, _ = running.end()
    assert (status, reported) == (3, ['control ended with status 3'])


def test_the_terminal_interrupts_each_program_once() -> None:
    ours, theirs = pty.openpty()
    try:
        programs = program(COUNTER, 'plant'), program(COUNTER, 'control')
        with graph(*programs, terminal=theirs) as running:
            os.write(ours, CTRL_C)
            status, reported, written = running.end()
    finally:
        os.close(ours)
        os.close(theirs)
    assert (status, reported) == (STOPPED, [])
    assert sorted(written) == ['control count 1', 'plant count 1']


def test_the_graph_is_done_when_the_program_that_ends_all_is() -> None:
    with graph(node('plant'), node('recorder', ends_all=True)) as running:
        running.kill('recorder', signal.SIGUSR1)
        status, reported, written = running.end()
    assert (status, reported) == (0, [])
    assert told(written) == {'recorder': 'SIGUSR1', 'plant': 'SIGINT'}


def test_all_stop_when_any_program_is_stopped() -> None:
    with graph(node('plant'), node('control'), node('recorder', ends_all=True)) as running:
        running.kill('control', signal.SIGINT)
        status, reported, written = running.end()
    assert (status, reported) == (0, ['control ended, and so do the others'])
    assert told(written) == dict.fromkeys(('plant', 'control', 'recorder'), 'SIGINT')


@pytest.mark.parametrize('ends_all', [False, True])
def test_a_failure_ends_all_with_its_status(ends_all: bool) -> None:
    with graph(node('plant', on_user=2, ends_all=ends_all), node('control')) as running:
        running.kill('plant', signal.SIGUSR1)
        status, reported, written = running.end()
    assert (status, reported) == (2, ['plant ended with status 2'])
    assert told(written)['control'] == 'SIGINT'


def test_the_first_failure_gives_the_status() -> None:
    with graph(node('plant', on_interrupt=5), node('control', on_user=2)) as running:
        running.kill('control', signal.SIGUSR1)
        status, reported, _ = running.end()
    assert status == 2
    assert reported == ['control ended with status 2', 'plant ended with status 5']


@pytest.mark.parametrize(
    ('number', 'name'),
    [(signal.SIGKILL, 'SIGKILL'), (signal.SIGSEGV, 'SIGSEGV'), (37, 'signal 37')],
)
def test_death_by_a_signal_is_reported_and_ends_all(number: int, name: str) -> None:
    with graph(node('control_simulation'), node('plant')) as running:
        os.kill(running.pids['control_simulation'], number)
        status, reported, written = running.end()
    assert (status, reported) == (1, [f'control_simulation died of {name}'])
    assert told(written) == {'plant': 'SIGINT'}


def test_who_ignores_the_interrupt_is_killed_after_the_grace_period() -> None:
    grace = 0.4
    with graph(program(STUBBORN, 'viewer'), node('plant'), grace=grace) as running:
        start = time.monotonic()
        running.process.send_signal(signal.SIGINT)
        status, reported, written = running.end()
        assert grace < time.monotonic() - start < grace + ENDING / 2
    assert status == 1
    assert reported == ['viewer had not ended and was killed 0.4 s after SIGINT']
    assert told(written) == {'plant': 'SIGINT'}


def test_a_second_signal_kills_at_once() -> None:
    with graph(program(STUBBORN, 'viewer'), node('plant'), grace=FOREVER) as running:
        running.process.send_signal(signal.SIGINT)
        assert running.process.stdout is not None
        assert running.process.stdout.readline().split()[:2] == [b'plant', b'SIGINT']
        running.process.send_signal(signal.SIGTERM)
        status, reported, _ = running.end()
    assert status == 1
    assert reported[0] == 'viewer had not ended and was killed at the second signal'


def test_children_of_a_killed_program_go_with_it() -> None:
    with graph(program(PARENT, 'viewer'), grace=0.1) as running:
        running.process.send_signal(signal.SIGINT)
        status, reported, _ = running.end()
    assert (status, len(reported)) == (1, 1)


@pytest.mark.parametrize('number', [signal.SIGUSR1, signal.SIGKILL], ids=['clean', 'killed'])
def test_children_of_a_program_that_ended_go_with_it(number: signal.Signals) -> None:
    with graph(program(PARENT, 'viewer', ends_all=True)) as running:
        running.kill('viewer', number)
        status, _, _ = running.end()
    assert status == (number == signal.SIGKILL)


@pytest.mark.skipif(sys.platform != 'linux', reason='only Linux tells of the death of a parent')
def test_nobody_survives_a_supervisor_that_is_killed() -> None:
    with graph(node('plant'), node('control')) as running:
        running.process.kill()
        status, reported, written = running.end()
    assert (status, reported) == (-signal.SIGKILL, [])
    assert told(written) == {'plant': 'SIGINT', 'control': 'SIGINT'}


def test_the_end_of_one_is_soon_known_to_the_others() -> None:
    with graph(node('plant', on_user=1), node('control'), grace=FOREVER) as running:
        running.kill('plant', signal.SIGUSR1)
        _, _, written = running.end()
    at = {line.split()[0]: float(line.split()[2]) for line in written}
    assert 0.0 < at['control'] - at['plant'] < REACTION


def test_waiting_takes_no_processor_time() -> None:
    code = 'import time; time.sleep(0.6)'
    start = time.process_time()
    assert supervise([program(code, 'plant', ends_all=True)], report=print) == 0
    assert time.process_time() - start < 0.2


def test_programs_start_in_order_with_a_delay_between_two(tmp_path: Path) -> None:
    code = """
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
open(sys.argv[2], 'a').write(sys.argv[1] + ' ')
if sys.argv[1] != 'last':
    signal.sigwait({signal.SIGINT})
"""
    file = tmp_path / 'starts'
    names = ['first', 'second', 'last']
    programs = [program(code, name, file, ends_all=True) for name in names]
    start = time.monotonic()
    assert supervise(programs, delay=READY, report=print) == 0
    assert time.monotonic() - start > 2 * READY
    assert file.read_text().split() == names


def test_who_fails_during_the_delay_keeps_the_rest_from_starting(tmp_path: Path) -> None:
    reported: list[str] = []
    file = tmp_path / 'started'
    programs = [
        program('raise SystemExit(2)', 'plant'),
        program('import sys; open(sys.argv[2], "w")', 'control', file),
    ]
    start = time.monotonic()
    assert supervise(programs, delay=FOREVER, report=reported.append) == 2
    assert time.monotonic() - start < ENDING
    assert reported == ['plant ended with status 2']
    assert not file.exists()


def test_the_environment_is_added_to_the_present_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('SIMLOOP_PRESENT', '1')
    code = """
import os
raise SystemExit(10 * int(os.environ['SIMLOOP_PRESENT']) + int(os.environ['SIMLOOP_ADDED']))
"""
    added = {'SIMLOOP_ADDED': '3'}
    assert supervise([program(code, 'plant', environment=added)], report=print) == 13
    assert 'SIMLOOP_ADDED' not in os.environ


@pytest.mark.parametrize('kind', ['missing', 'not executable'])
def test_a_program_that_cannot_start_ends_those_that_did(tmp_path: Path, kind: str) -> None:
    pid_file, executable = tmp_path / 'pid', tmp_path / 'no_such_program'
    if kind == 'not executable':
        executable.touch()
    code = """
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
open(sys.argv[2], 'w').write(str(os.getpid()))
signal.sigwait({signal.SIGINT})
"""
    programs = [
        program(code, 'plant', pid_file),
        Program(name='control', command=(str(executable), '--fast')),
        program('import sys; open(sys.argv[2], "w")', 'recorder', tmp_path / 'started'),
    ]
    cause = {'missing': 'No such file or directory', 'not executable': 'Permission denied'}[kind]
    reported: list[str] = []
    with pytest.raises(SimloopError) as raised:
        supervise(programs, delay=READY, report=reported.append)
    assert str(raised.value) == f'control cannot be started: {executable}: {cause}'
    assert reported == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    assert not (tmp_path / 'started').exists()


def test_a_report_that_fails_leaves_nobody_behind(tmp_path: Path) -> None:
    pid_file = tmp_path / 'pid'
    code = 'import os, sys, time; open(sys.argv[2], "w").write(str(os.getpid())); time.sleep(60)'

    def report(line: str) -> None:
        raise BrokenPipeError(line)

    programs = [
        program(code, 'plant', pid_file),
        program('raise SystemExit(2)', 'control'),
    ]
    with pytest.raises(BrokenPipeError):
        supervise(programs, delay=READY, report=report)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


def test_signals_are_handled_as_before_and_no_zombie_is_left(tmp_path: Path) -> None:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)
    handlers = [signal.getsignal(number) for number in numbers]
    file = tmp_path / 'pids'
    code = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
open(sys.argv[2], 'a').write(f'{os.getpid()} ')
time.sleep(float(sys.argv[3]))
"""
    programs = [program(code, 'viewer', file, FOREVER), program(code, 'plant', file, 0.0)]
    assert supervise(programs, delay=READY, grace=0.1, report=print) == 1
    assert [signal.getsignal(number) for number in numbers] == handlers
    assert signal.set_wakeup_fd(-1) == -1
    killed, ended = map(int, file.read_text().split())
    for pid in (killed, ended):
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_nothing_to_run_is_done() -> None:
    assert supervise([], report=print) == 0
