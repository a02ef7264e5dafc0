"""Calls the services of the node that teaches."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import SetBool, Trigger

from ...core.errors import SimloopError
from ..node.process import MAX_SPIN_TIME, open_middleware

NODE = 'teach'
PATIENCE = 5.0
"""Time in which a service has to be there [s]."""
ANSWER = 30.0
"""Time in which it has to answer [s]: a long path takes a while."""


class Answer(NamedTuple):
    """The answer of a service: whether it did what was asked for, and what it says."""

    done: bool
    text: str


class TeachClient:
    """A client of the services ``keep``, ``record`` and ``save``.

    :param namespace: of the graph; empty for none.
    :raises SimloopError: nobody teaches there.
    """

    def __init__(self, namespace: str):
        self.interrupts = open_middleware([])
        self._node = Node('simloop_teach', namespace=namespace)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        kinds = {'keep': Trigger, 'record': SetBool, 'save': Trigger}
        self._clients: dict[str, Any] = {
            name: self._node.create_client(kind, f'{NODE}/{name}') for name, kind in kinds.items()
        }
        if not all(client.wait_for_service(PATIENCE) for client in self._clients.values()):
            self.close()
            raise SimloopError(
                f'nobody answers at {namespace.rstrip("/")}/{NODE}: start the graph with '
                '--teach FILE (simloop launch) or teach:=FILE (ros2 launch)'
            )

    def call(self, name: str, *, on: bool = True) -> Answer:
        """Call a service and return its answer.

        :param on: of ``record``: whether a path begins, or ends.
        """
        request: Any = SetBool.Request(data=on) if name == 'record' else Trigger.Request()
        future = self._clients[name].call_async(request)
        end = time.monotonic() + ANSWER
        while not future.done() and time.monotonic() < end and not self.interrupts:
            self._executor.spin_once(timeout_sec=MAX_SPIN_TIME)
        if not future.done():
            return Answer(False, f'{NODE}/{name} does not answer')
        answer: Any = future.result()
        return Answer(answer.success, answer.message)

    def close(self) -> None:
        """End."""
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.shutdown()
