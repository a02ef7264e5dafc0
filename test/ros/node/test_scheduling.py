"""Real-time and low priority of threads, where the system allows them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from simloop_ros.ros.node.scheduling import GROUP_NICENESS, NICENESS

PROGRAM = textwrap.dedent("""
    import os, sys, threading
    from simloop_ros.ros.node.scheduling import THREADS, set_priority

    def policies():
        return {os.sched_getscheduler(int(thread.name)) for thread in THREADS.iterdir()}

    wait = threading.Event()
    threads = [threading.Thread(target=wait.wait) for _ in range(3)]
    for thread in threads:
        thread.start()
    allowed = set_priority(1)
    urgent = policies()
    set_priority(0)
    ordinary = policies()  # while the threads are still there
    wait.set()
    print(allowed, *sorted(urgent), *sorted(ordinary))
""")
LOW_PRIORITY = textwrap.dedent("""
    import os, threading
    from simloop_ros.ros.node.scheduling import AUTOGROUP, THREADS, LowPriority

    def niceness():
        found = {os.getpriority(os.PRIO_PROCESS, int(thread.name)) for thread in THREADS.iterdir()}
        group = AUTOGROUP.read_text().split()[-1] if AUTOGROUP.exists() else '-'
        return f'{max(found)} {min(found)} {group}'

    wait = threading.Event()
    thread = threading.Thread(target=wait.wait)
    thread.start()
    lowered = LowPriority()
    print(niceness())
    lowered.end()
    print(niceness())
    wait.set()
""")


@pytest.mark.skipif(sys.platform != 'linux', reason='only Linux has these priorities')
def test_all_threads_get_real_time_priority_or_none_and_lose_it_again() -> None:
    printed = subprocess.run(
        [sys.executable, '-c', PROGRAM], capture_output=True, text=True, check=True
    ).stdout.split()
    urgent = os.SCHED_FIFO if printed[0] == 'True' else os.SCHED_OTHER
    assert [int(policy) for policy in printed[1:]] == [urgent, os.SCHED_OTHER]


@pytest.mark.skipif(sys.platform != 'linux', reason='only Linux has these groups')
def test_low_priority_is_that_of_all_threads_and_between_sessions() -> None:
    while_it_does, afterwards = subprocess.run(
        [sys.executable, '-c', LOW_PRIORITY],
        capture_output=True,
        text=True,
        check=True,
        start_new_session=True,
    ).stdout.splitlines()
    assert while_it_does.split()[:2] == [str(NICENESS)] * 2
    if not while_it_does.endswith('-'):  # a system with groups
        assert (while_it_does.split()[2], afterwards.split()[2]) == (str(GROUP_NICENESS), '0')
    if os.geteuid() == 0:
        assert afterwards.split()[:2] == [str(os.getpriority(os.PRIO_PROCESS, 0))] * 2
