"""A node of a test, spun in a thread of its own beside the graph."""

from __future__ import annotations

from contextlib import suppress
import threading

import rclpy
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor


class SpunNode:
    """Talks to the nodes of a domain from ``begin`` until ``close``; a subclass says of what."""

    def __init__(self, name: str, domain: int):
        self._context = Context()
        rclpy.init(context=self._context, domain_id=domain)
        self._node = rclpy.create_node(name, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)

    def begin(self) -> None:
        """Call what was subscribed to, from now on."""
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def _spin(self) -> None:
        with suppress(ExternalShutdownException):
            while self._context.ok():
                self._executor.spin_once(timeout_sec=0.05)

    def close(self) -> None:
        """End."""
        self._context.try_shutdown()
        self._thread.join()
        self._executor.shutdown()
        self._node.destroy_node()
