"""Initialisation of every process that uses ROS: transport, signals, executor."""

from __future__ import annotations

from collections.abc import Sequence
import os
import signal

import rclpy
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from .parent import LAUNCHER, interrupt_with_parent

MAX_SPIN_TIME = 0.05
"""Longest time until a signal is noticed [s]."""


def open_middleware(arguments: Sequence[str]) -> list[int]:
    """Initialise rclpy; return a list to which received SIGINT and SIGTERM are appended.

    :param arguments: the process's arguments, with those of ROS.
    """
    # UDP was measured to be as fast for messages of this size, and a process that is killed
    # leaves no file in shared memory. Where discovery is limited to LOCALHOST this is ignored:
    # see shared_memory.py.
    os.environ.setdefault('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    received: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: received.append(number))
    launcher = os.environ.get(LAUNCHER)
    if launcher:
        # ros2 launch leaves its nodes alone when it gets a SIGTERM (ros2/launch issue 666).
        interrupt_with_parent()()
        if str(os.getppid()) != launcher:
            received.append(signal.SIGINT)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    rclpy.init(args=list(arguments), signal_handler_options=SignalHandlerOptions.NO)
    return received


def fastest_executor() -> Executor:
    """Return the fastest executor that this rclpy has."""
    try:
        from rclpy.experimental.events_executor import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor()
    return EventsExecutor()
