"""Real nodes in processes of their own, on a ROS domain of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
import gc
from importlib.util import find_spec
import os
from pathlib import Path
import signal
import socket
import subprocess
import sys
import time

import msgspec
import pytest

from simloop_ros.ros.launch.graph import programs
from simloop_ros.ros.launch.supervisor import Program
from simloop_ros.ros.launch.wiring import NodeSpec, parameter_file

collect_ignore_glob = [] if find_spec('rclpy') else ['test_*.py']

DOMAINS = 100  # beyond 101 the ports lie where Linux takes those of its own
FIRST_PORT, PORTS_PER_DOMAIN, UNICAST = 7400, 250, 10  # of DDS discovery
LAST = PORTS_PER_DOMAIN - 1  # of a domain's ports: that of its 120th process
ENDING = 10.0  # longest time for a process to disappear on a busy machine [s]
NODES = 'simloop_ros.nodes.'
SUPERVISOR = """
import sys
import msgspec
from simloop_ros.ros.launch.supervisor import Program, supervise
programs, delay = msgspec.json.decode(sys.argv[1], type=tuple[list[Program], float])
sys.exit(supervise(programs, delay=delay, grace=10.0, report=print))
"""


class Graph:
    """Starts processes that hear each other but nobody else, and finds those that are left.

    :ivar folder: for files; every process has its name in the environment, its own children too.
    :ivar environment: of every process.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        # Nodes that an earlier test had in this process hold each other in cycles; until these
        # are collected their shared memory is there, and who uses their domain again opens it.
        gc.collect()
        domain, self._reserved = reserve_domain()
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(('ROS_', 'FASTDDS_', 'RMW_'))
        }
        self.environment = {
            **inherited,
            'PYTHONPATH': os.pathsep.join(filter(None, sys.path)),
            'ROS_DOMAIN_ID': str(domain),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
            'ROS_LOG_DIR': str(folder / 'ros_log'),
        }
        self._output = folder / 'output'

    @property
    def output(self) -> str:
        """Return what all processes have written so far, to stdout and stderr."""
        return self._output.read_text()

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """Start a process, in a session of its own."""
        with self._output.open('ab') as output:
            return subprocess.Popen(
                command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def launch(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start ``simloop launch``."""
        return self.start(sys.executable, '-m', 'simloop_ros.cli.main', 'launch', *arguments)

    def programs(
        self, nodes: tuple[NodeSpec, ...], *, composed: bool = False
    ) -> tuple[Program, ...]:
        """Return the programs of the nodes that ``wire`` gives.

        ``start(*program.command)`` starts one, ``supervise`` all.
        """
        parameters = self.folder / 'parameters.yaml'
        parameters.write_text(parameter_file(nodes))
        return programs(nodes, parameters, composed=composed)

    def supervise(
        self, programs: Sequence[Program], delay: float = 0.0
    ) -> subprocess.Popen[bytes]:
        """Start programs in order under a supervisor, with a delay between two [s]."""
        message = msgspec.json.encode((programs, delay)).decode()
        return self.start(sys.executable, '-c', SUPERVISOR, message)

    def pids(self) -> dict[int, str]:
        """Return the processes that live, each with its node's name or its command line."""
        tag = f'ROS_LOG_DIR={self.environment["ROS_LOG_DIR"]}'.encode()
        found = {}
        for entry in Path('/proc').glob('[0-9]*'):
            with suppress(OSError):
                if tag in (entry / 'environ').read_bytes().split(b'\0'):
                    words = (entry / 'cmdline').read_bytes().decode().split('\0')
                    nodes = [w.removeprefix(NODES) for w in words if w.startswith(NODES)]
                    found[int(entry.name)] = nodes[0] if nodes else ' '.join(words)
        return found

    def node_pids(self) -> dict[str, int]:
        """Return the process of each node, ``composed`` if they share one."""
        return {name: pid for pid, name in self.pids().items() if name.isidentifier()}

    def wait_until(self, true: Callable[[], object], seconds: float) -> None:
        """Wait for something; fail with what the processes wrote if it does not come true."""
        until = time.monotonic() + seconds
        while not true():
            if time.monotonic() > until:
                pytest.fail(f'not within {seconds:g} s; output:\n{self.output}')
            time.sleep(0.01)

    def close(self) -> None:
        """Kill whatever still lives, and leave the domain to others."""
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.wait_until(lambda: not self.pids(), ENDING)
        self._reserved.close()


def reserve_domain() -> tuple[int, socket.socket]:
    """Return a domain that nobody on this machine takes part in, and what keeps others out."""
    for offset in range(DOMAINS):
        domain = 1 + (os.getpid() + offset) % DOMAINS
        first = FIRST_PORT + PORTS_PER_DOMAIN * domain
        reserved = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unicast:
            reserved.bind(('', first + LAST))
            unicast.bind(('', first + UNICAST))
            return domain, reserved
        reserved.close()
    raise RuntimeError('all ROS domains are in use')


@contextmanager
def cleared(folder: Path) -> Iterator[Graph]:
    """Give a graph, and leave nothing of it behind."""
    graph = Graph(folder)
    try:
        yield graph
    finally:
        graph.close()


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    """Give a graph of its own to each test."""
    with cleared(tmp_path) as graph:
        yield graph


@pytest.fixture(scope='session')
def open_graph() -> Callable[[Path], AbstractContextManager[Graph]]:
    """Return what gives a graph to several tests."""
    return cleared
