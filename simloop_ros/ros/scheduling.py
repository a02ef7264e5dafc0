"""How urgent the threads of this process are to the operating system."""

from __future__ import annotations

from contextlib import suppress
import os
from pathlib import Path
import sys

THREADS = Path('/proc/self/task')


def set_priority(priority: int) -> bool:
    """Make all threads of this process urgent; return whether the system allows that.

    Those of the middleware too: a message goes through them. Threads that are started later are
    as urgent as the one that starts them.

    :param priority: of ``SCHED_FIFO``, from 1 to 99: they run before all that is not urgent, and
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
