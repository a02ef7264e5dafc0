"""Urgent threads, where the system allows them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

PROGRAM = textwrap.dedent("""
    import os, sys, threading
    from simloop_ros.ros.scheduling import THREADS, set_priority

    def policies():
        return {os.sched_getscheduler(int(thread.name)) for thread in THREADS.iterdir()}

    wait = threading.Event()
    threads = [threading.Thread(target=wait.wait) for _ in range(3)]
    for thread in threads:
        thread.start()
    allowed = set_priority(1)
    urgent = policies()
    set_priority(0)
    wait.set()
    print(allowed, *sorted(urgent), *sorted(policies()))
""")


@pytest.mark.skipif(sys.platform != 'linux', reason='only Linux has these priorities')
def test_all_threads_become_urgent_or_none_and_ordinary_again() -> None:
    said = subprocess.run(
        [sys.executable, '-c', PROGRAM], capture_output=True, text=True, check=True
    ).stdout.split()
    urgent = os.SCHED_FIFO if said[0] == 'True' else os.SCHED_OTHER
    assert [int(policy) for policy in said[1:]] == [urgent, os.SCHED_OTHER]
