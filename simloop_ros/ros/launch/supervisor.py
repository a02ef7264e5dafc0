"""One process per program, all of which end together: without the ROS ``launch`` package."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
import os
import select
import signal
import socket
import subprocess
import time

import msgspec

from ...core.errors import SimloopError
from ..node.parent import interrupt_with_parent

STOPPING = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 128 + signal.SIGINT
"""Status after a signal that all programs obeyed."""
FAILED = 1
"""Status where a program that failed has none of its own."""
RESULTS = (FAILED, INTERRUPTED)
"""Statuses of a recorder whose run did not end as it should: it has said so itself."""


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """A command and its role in the graph.

    :ivar environment: added to the present one.
    :ivar ends_all: when it ends by itself with status 0, the graph is done.
    :ivar optional: it may end without the others, which go on.
    :ivar output: file to which everything that it prints is added; empty for ours.
    :ivar takes_signals: whether it opens itself to SIGINT and SIGTERM when it is ready; until
        then they wait, so that it never ends halfway through its imports.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = {}
    ends_all: bool = False
    optional: bool = False
    output: str = ''
    takes_signals: bool = False


def supervise(
    programs: Sequence[Program],
    *,
    delay: float = 0.0,
    grace: float = 2.0,
    report: Callable[[str], None],
) -> int:
    """Run programs until one of them ends or a signal comes, end the others, return the status.

    SIGINT and SIGTERM are passed on as one SIGINT; a second signal kills. Each program leads a
    session of its own, out of reach of the terminal's Ctrl-C, and what it leaves behind in its
    process group is killed when it ends. On Linux the programs get a SIGINT even if this process
    is killed; what they started themselves is then theirs to end.

    The status is 0 if all ended with status 0, or 130 if that was at a signal, and else that of
    the first that did not: its own if positive, or 1. Each of those is reported in a line, but for
    the result of a run.

    Belongs in the main thread: only there signals can be caught, and on Linux the programs end
    with the thread that started them.

    :param delay: between two starts [s].
    :param grace: from SIGINT to SIGKILL [s].
    :param report: called with each line for the user.
    :raises SimloopError: if a program cannot be started; the others have ended by then.
    """
    with _signals_as_bytes() as inbox:
        graph = _Supervision(inbox, report)
        try:
            graph.start(programs, delay)
            graph.watch()
        finally:
            graph.end(grace)
    return graph.status or (INTERRUPTED if graph.signals else 0)


class _Supervision:
    """The programs that run, and what is known of those that ended."""

    def __init__(self, inbox: socket.socket, report: Callable[[str], None]):
        self.status = 0
        self._inbox = inbox
        self._report = report
        self._running: list[tuple[Program, subprocess.Popen[bytes]]] = []
        self._ending = False
        self.signals = 0

    def start(self, programs: Sequence[Program], delay: float) -> None:
        """Start in order, unless a signal or the end of a program comes first."""
        end_with_parent = _end_with_parent()
        for index, program in enumerate(programs):
            if index:
                self._wait(lambda: self._ending, delay)
            if self._ending:
                return

            def prepare(takes_signals: bool = program.takes_signals) -> None:
                end_with_parent()
                if takes_signals:
                    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)

            with ExitStack() as files:
                output = (
                    files.enter_context(open(program.output, 'ab')) if program.output else None
                )
                try:
                    process = subprocess.Popen(
                        program.command,
                        env={**os.environ, **program.environment},
                        stdin=subprocess.DEVNULL,  # another session cannot read our terminal
                        stdout=output,
                        stderr=output,
                        start_new_session=True,
                        preexec_fn=prepare,
                    )
                except OSError as error:
                    raise SimloopError(
                        f'{program.name} cannot be started: {program.command[0]}: {error.strerror}'
                    ) from error
            self._running.append((program, process))

    def watch(self) -> None:
        """Return when it is time to end."""
        while self._running and not self._ending:
            self._poll(None)

    def end(self, grace: float) -> None:
        """Interrupt all that run, and kill those that are left after the grace period."""
        self._ending = True
        for _, process in self._running:
            _signal_group(process, signal.SIGINT)
        try:
            self._wait(lambda: not self._running or self.signals > 1, grace)
        finally:
            left, self._running = self._running, []
            for _, process in left:
                _signal_group(process, signal.SIGKILL)
            for _, process in left:
                process.wait()
        why = 'at the second signal' if self.signals > 1 else f'{grace:g} s after SIGINT'
        for program, _ in left:
            self._fail(f'{program.name} had not ended and was killed {why}', FAILED)

    def _wait(self, over: Callable[[], bool], seconds: float) -> None:
        """Poll at least once, unless it is over already."""
        deadline = time.monotonic() + seconds
        while not over():
            left = max(0.0, deadline - time.monotonic())
            self._poll(left)
            if not left:
                return

    def _poll(self, timeout: float | None) -> None:
        """Wait for a signal, also that of a program's end, and handle it."""
        readable, _, _ = select.select([self._inbox], [], [], timeout)
        received = self._inbox.recv(4096) if readable else b''
        # Signals that come together are one: a wrapper may pass on what all have got.
        if set(received).intersection(STOPPING):
            self.signals += 1
            self._ending = True
        running, self._running, ended = self._running, [], []
        for program, process in running:
            code = process.poll()
            if code is None:
                self._running.append((program, process))
            else:
                _signal_group(process, signal.SIGKILL)
                ended.append((program, code))
        for program, code in ended:
            self._judge(program, code)

    def _judge(self, program: Program, code: int) -> None:
        if program.optional:
            if code and not self._ending:
                self._report(f'{program.name} ended with status {code}; the others go on')
            return
        by_itself, self._ending = not self._ending, True
        if code < 0:
            self._fail(f'{program.name} died of {_signal_name(-code)}', FAILED)
        elif program.ends_all and code in RESULTS:
            self.status = self.status or code
        elif code > 0:
            self._fail(f'{program.name} ended with status {code}', code)
        elif by_itself and not program.ends_all:
            self._report(f'{program.name} ended, and so do the others')

    def _fail(self, line: str, status: int) -> None:
        self.status = self.status or status
        self._report(line)


@contextmanager
def _signals_as_bytes() -> Iterator[socket.socket]:
    """Give a socket from which the numbers of caught signals are read.

    With handlers in place the programs start with the default actions, even if this process was
    started to ignore SIGINT, as a shell does in the background.
    """
    inbox, outbox = socket.socketpair()
    with inbox, outbox:
        inbox.setblocking(False)
        outbox.setblocking(False)
        before = signal.set_wakeup_fd(outbox.fileno(), warn_on_full_buffer=False)
        handlers = {
            number: signal.signal(number, lambda *_: None)
            for number in (*STOPPING, signal.SIGCHLD)
        }
        try:
            yield inbox
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler or signal.SIG_DFL)
            signal.set_wakeup_fd(before)


def _end_with_parent() -> Callable[[], None]:
    interrupt, parent = interrupt_with_parent(), os.getpid()

    def prepare() -> None:
        interrupt()
        if os.getppid() != parent:  # it died before the call above
            os._exit(FAILED)

    return prepare


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # nobody left, or nothing but zombies
        os.killpg(process.pid, number)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f'signal {number}'
