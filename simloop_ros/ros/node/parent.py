"""A process that ends with the one that started it, however that one ended."""

from __future__ import annotations

from collections.abc import Callable
import ctypes
import os
import signal
import sys

LAUNCHER = 'SIMLOOP_LAUNCHER'
"""Environment variable with the process that launched a node."""
PR_SET_PDEATHSIG = 1


def interrupt_with_parent() -> Callable[[], None]:
    """Return what a process calls to get a SIGINT when its parent ends, where that is possible."""
    if sys.platform != 'linux':
        return lambda: None
    prctl = ctypes.CDLL(None).prctl
    prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)
    return lambda: prctl(PR_SET_PDEATHSIG, signal.SIGINT, 0, 0, 0)


def follow_launcher() -> bool:
    """Ask for a SIGINT when the process that launched this one ends; return whether it has ended.

    ros2 launch leaves its nodes alone when it gets a SIGTERM (ros2/launch issue 666).
    """
    launcher = os.environ.get(LAUNCHER)
    if not launcher:
        return False
    interrupt_with_parent()()
    return str(os.getppid()) != launcher
