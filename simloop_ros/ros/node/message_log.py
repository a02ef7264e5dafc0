"""Messages that belong to no row of the log, as they were received."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.serialization import serialize_message

from ...record.live_log import LiveLogWriter, LiveMessage
from ...record.log_topics import LIVE_TOPICS
from ..messages.stamps import join
from .block_node import BlockNode

C = TypeVar('C')


class MessageLog:
    """Logs messages in real time; in lockstep the rows have their content."""

    def __init__(self, node: BlockNode, log: LiveLogWriter):
        self._node, self._log = node, log

    def add(self, topic: str, message: Any, stamp: int | None = None) -> None:
        """Log a message of a topic of ``LIVE_TOPICS``; without a stamp [ns] it has that of now."""
        if not self._node.graph.realtime:
            return
        if stamp is None:
            stamp = self._node.get_clock().now().nanoseconds
        self._log.add(LiveMessage(LIVE_TOPICS[topic], stamp, serialize_message(message)))

    def decoder(
        self, topic: str, decode: Callable[[DiagnosticArray], C]
    ) -> Callable[[DiagnosticArray], C]:
        """Return a decoder that logs what it decodes; of empty contents in a row only one."""
        was_empty = False

        def log_and_decode(message: DiagnosticArray) -> C:
            nonlocal was_empty
            content = decode(message)
            empty = content == ()
            if not (empty and was_empty):
                self.add(topic, message, join(message.header.stamp))
            was_empty = empty
            return content

        return log_and_decode
