"""Scheduling priority of the threads of this process."""

from __future__ import annotations

from contextlib import suppress
import os
from pathlib import Path
import sys

SWITCH_INTERVAL = 5e-5
"""Time after which a thread of Python yields to another one [s]. A period takes some 30 system
calls, and after each one the loop waits that long if its process plans in the background: with
0.5 ms, or the usual 5 ms, longer than a period."""
NO_PRIORITY = (
    'no real-time priority {}: allow it with "rtprio" in /etc/security/limits.conf, or '
    'CAP_SYS_NICE; without it commands come late more often'
)
THREADS = Path('/proc/self/task')
AUTOGROUP = Path('/proc/self/autogroup')
NICENESS = 19
"""Of the threads of a process with low priority: what counts within one session."""
GROUP_NICENESS = 5
"""Of the scheduling group of its session: what counts between sessions. A third of the others'
time on a busy machine, and messages to it do not preempt them. A higher value would be faster, but
on a busy machine it would take long until a signal is noticed."""


def set_priority(priority: int) -> bool:
    """Set the priority of all threads of this process; return whether the system allows that.

    Those of the middleware too: a message goes through them. Threads that are started later
    inherit it.

    :param priority: of ``SCHED_FIFO``, from 1 to 99: they run before all ordinary threads, and
        until they wait; 0 for ordinary threads.
    """
    if sys.platform != 'linux':
        return False
    policy = os.SCHED_FIFO if priority else os.SCHED_OTHER
    try:
        for thread in THREADS.iterdir():
            with suppress(ProcessLookupError):  # it has just ended
                os.sched_setscheduler(int(thread.name), policy, os.sched_param(priority))
    except PermissionError:
        return False
    return True


class LowPriority:
    """Lowers the priority of all threads of this process, until ``end``.

    Niceness counts among the processes of one session. Between sessions, and each node that
    ``simloop launch`` starts has its own, that of the session's group counts. Every user may
    restore the latter, but not the former.
    """

    def __init__(self) -> None:
        self._before = os.getpriority(os.PRIO_PROCESS, 0)
        self._set(NICENESS, GROUP_NICENESS)

    def end(self) -> None:
        """Restore the priority, if that is allowed."""
        self._set(self._before, 0)

    def _set(self, niceness: int, group: int) -> None:
        if sys.platform != 'linux':
            return
        if os.getsid(0) == os.getpid():
            with suppress(OSError):  # a system without such groups
                AUTOGROUP.write_text(str(group))
        for thread in THREADS.iterdir():
            with suppress(ProcessLookupError, PermissionError):  # it has ended; not allowed
                os.setpriority(os.PRIO_PROCESS, int(thread.name), niceness)


def lower_thread_priority() -> None:
    """Lower the real-time priority of the calling thread by one, if it has any.

    It stays a real-time thread: any other process would keep an ordinary one from releasing
    Python's lock, and the loop of its process would wait for that.
    """
    if sys.platform == 'linux' and os.sched_getscheduler(0) == os.SCHED_FIFO:
        priority = os.sched_getparam(0).sched_priority
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(max(1, priority - 1)))
