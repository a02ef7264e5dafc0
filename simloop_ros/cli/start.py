"""Start of the ``simloop`` process: from here on Ctrl-C gives one line and status 130."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

INTERRUPTED = 128 + signal.SIGINT
"""Exit status after a signal."""
ENDING = 2.0
"""Computing time after an interrupt until the process leaves: a library may swallow it [s]."""


class _Interrupts:
    """What a SIGINT does; a process that was started to ignore it still does."""

    def __init__(self) -> None:
        self.came = False

    def leave_at_once(self) -> None:
        """While modules are imported nothing is to be cleaned up, but much may go wrong."""
        self._handle(lambda *_: _leave())

    def interrupt(self) -> None:
        """Raise ``KeyboardInterrupt``; where Python would only print it, leave."""
        sys.unraisablehook = self._unraisable
        self._handle(self._raise)

    def ignore(self) -> None:
        """Let the process end: its work is done and its status is known."""
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        self._handle(signal.SIG_IGN)

    @staticmethod
    def _handle(handler: Any) -> None:
        if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            signal.signal(signal.SIGINT, handler)

    def _raise(self, _: int, __: FrameType | None) -> None:
        self.came = True
        signal.signal(signal.SIGVTALRM, lambda *_: _leave())
        signal.setitimer(signal.ITIMER_VIRTUAL, ENDING)
        raise KeyboardInterrupt

    def _unraisable(self, problem: Any) -> None:
        if isinstance(problem.exc_value, KeyboardInterrupt):
            _leave()
        sys.__unraisablehook__(problem)


def _leave() -> None:
    os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, b'simloop: interrupted\n')
    os._exit(INTERRUPTED)


interrupts = _Interrupts()


def main() -> int:
    """Run the command of this process and return its exit status."""
    interrupts.leave_at_once()
    from .main import main as run_command

    try:
        status = run_command(ready=interrupts.interrupt)
    except BaseException:
        # A library may have made another exception of the interrupt.
        if not interrupts.came:
            raise
        print('simloop: interrupted', file=sys.stderr)
        status = INTERRUPTED
    finally:
        interrupts.ignore()
    return _flush(status)


def _flush(status: int) -> int:
    """Write what is still to be printed, and return the exit status."""
    try:
        if sys.__stdout__ is not None:  # a process may be started without one
            sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python would try again at its end
        if not isinstance(error, BrokenPipeError):
            print(f'simloop: the output cannot be written: {error.strerror}', file=sys.stderr)
            return status or 3
    return status
