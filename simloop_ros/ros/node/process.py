"""A process with one node or several: middleware, signals, spinning, a clean end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
import gc
import inspect
import os
import signal
import sys

import rclpy
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future

from ...core.errors import USER_ERROR, MissingDependencyError, SimloopError
from ..pacing.schedule import Schedule
from ..transport.channels import LocalBus
from .block_node import BlockNode
from .parent import follow_launcher
from .rclpy_version import awaits_events, require_rclpy
from .scheduling import SWITCH_INTERVAL

MAX_SPIN_TIME = 0.05
"""Longest time until a signal is noticed [s]."""
MAX_DELIVERIES = 512
"""Messages between nodes of the process after which the executor serves what waits: some forty
steps. A turn of the executor costs as much as half a step, also if nothing waits."""
UNCOLLECTED = 100_000
"""Objects that may be left over before cycles among them are looked for. With Python's own number
that stopped the loop for 1 to 4 ms now and then, and none were found: nodes in motion make no
cycles. What a custom block makes is still collected."""


def prepare_middleware() -> None:
    """Choose how messages travel, before rclpy is initialised.

    :raises MissingDependencyError: rclpy is too old.
    """
    require_rclpy()
    # UDP was measured to be as fast for messages of this size, and a process that is killed
    # leaves no file in shared memory. Where discovery is limited to LOCALHOST this is ignored:
    # see ``remove_orphans``.
    os.environ.setdefault('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')


def open_middleware(arguments: Sequence[str]) -> list[int]:
    """Initialise rclpy; return a list to which received SIGINT and SIGTERM are appended.

    :raises MissingDependencyError: rclpy is too old.
    """
    prepare_middleware()
    received: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: received.append(number))
    if follow_launcher():
        received.append(signal.SIGINT)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    rclpy.init(args=list(arguments), signal_handler_options=SignalHandlerOptions.NO)
    return received


def fastest_executor() -> Executor:
    """Return the fastest executor of this rclpy that serves all that the nodes have."""
    if not awaits_events():
        return SingleThreadedExecutor()
    try:
        from rclpy.experimental.events_executor import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor()
    return EventsExecutor()


def main_of(kind: Callable[..., BlockNode], name: str) -> Callable[[], int]:
    """Return the main function of a process with one node."""
    return lambda: run_nodes([partial(kind, name)], sys.argv)


def run_nodes(factories: Sequence[Callable[..., BlockNode]], arguments: Sequence[str]) -> int:
    """Run nodes until SIGINT or SIGTERM, or until one has finished; return the exit status.

    0 for a clean end, 1 after an unexpected error, 2 if a node cannot be configured.

    :param factories: what makes each node, given ``bus``.
    """
    thresholds = gc.get_threshold()
    try:
        return _run_nodes(factories, arguments)
    except MissingDependencyError as error:
        print(f'simloop: {error}', file=sys.stderr)
        return USER_ERROR
    finally:
        # Nodes hold each other in cycles: only when these are collected does the middleware leave
        # the graph and remove its files in shared memory.
        gc.set_threshold(*thresholds)
        gc.unfreeze()
        gc.collect()


def _run_nodes(factories: Sequence[Callable[..., BlockNode]], arguments: Sequence[str]) -> int:
    sys.setswitchinterval(SWITCH_INTERVAL)
    received = open_middleware(arguments)
    bus, schedule = LocalBus() if len(factories) > 1 else None, Schedule()
    nodes: list[BlockNode] = []
    status = 0
    try:
        executor = fastest_executor()
        for factory in factories if not received else ():
            node = factory(bus=bus, schedule=schedule)
            nodes.append(node)
            executor.add_node(node)
        for node in nodes:
            if not received:
                node.start()
        # rclpy's logger looks up its caller. The first time inspect reads the files of all modules
        # for that, for 20 to 40 ms: not in the middle of a motion.
        inspect.getframeinfo(sys._getframe())
        gc.collect()
        gc.freeze()  # these objects stay: the collector need not visit them again
        gc.set_threshold(UNCOLLECTED)
        while not any(node.finished or node.failure for node in nodes):
            if received and all(node.leave() for node in nodes):
                break
            if bus and bus.busy:
                _serve(executor, nodes)
            else:
                executor.spin_once(timeout_sec=schedule.wait(MAX_SPIN_TIME))
            schedule.run()
            if bus:
                bus.run(MAX_DELIVERIES)
    except SimloopError as error:
        print(f'simloop: {error}', file=sys.stderr)
        status = USER_ERROR
    finally:
        for node in nodes:
            node.stop()
        status = status or max((node.exit_status for node in nodes), default=0)
        for node in nodes:
            executor.remove_node(node)
            node.destroy_node()
        executor.shutdown()
        rclpy.shutdown()
    return status


def _serve(executor: Executor, nodes: Sequence[BlockNode]) -> None:
    """Serve all that waits.

    In lockstep there is always something on the bus. What one node of the process sends to the
    others comes over the middleware, too, once another program listens: if only some of that were
    served, the rest would pile up, and services and messages of others behind it.
    """
    if not isinstance(executor, SingleThreadedExecutor):
        executor.spin_until_future_complete(Future(), timeout_sec=0.0)
        return
    before, served = -1, 0
    while served != before:
        executor.spin_once(timeout_sec=0.0)  # serves one event
        before, served = served, sum(node.served for node in nodes)
