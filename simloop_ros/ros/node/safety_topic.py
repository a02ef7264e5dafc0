"""The topic ``safety`` of a node that can stop the robot."""

from __future__ import annotations

from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticStatus

from ..messages.safety_status import TOPIC, SafetyStatus, from_message, to_message
from ..transport.qos import LATCHED, LATCHED_READER
from .block_node import BlockNode


class SafetyTopic:
    """Publishes the status of a node, and hands it that of others.

    :param call: gets each status of another node, while this one is active.
    """

    def __init__(self, node: BlockNode, call: Callable[[SafetyStatus], None]):
        self._node = node
        self._call = call
        self._publisher = node.topics.publisher(DiagnosticStatus, TOPIC, LATCHED)
        node.topics.subscription(DiagnosticStatus, TOPIC, self._take, LATCHED_READER)

    def announce(
        self, event: str, stopped: str, stops: int, diverged: bool = False, stamp: int = 0
    ) -> None:
        """Publish the present status; see ``SafetyStatus``.

        :param event: what the log calls a stop.
        """
        node = self._node
        if stopped:
            node.get_logger().error(f'{event}: {stopped}', throttle_duration_sec=0.1)
        status = SafetyStatus(node.get_name(), stopped, stops, diverged, stamp)
        self._publisher.publish(to_message(status))

    def _take(self, message: DiagnosticStatus) -> None:
        status = from_message(message)
        if self._node.active and status and status.source != self._node.get_name():
            self._call(status)
