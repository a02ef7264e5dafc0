"""What a node reports of itself on ``/diagnostics``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
import msgspec
from rclpy.node import Node

from ..transport.qos import EVENTS

DIAGNOSTICS_PERIOD = 1.0


class Report(msgspec.Struct, frozen=True):
    """State of a node: level of a ``DiagnosticStatus``, message, and details by name."""

    level: bytes
    message: str
    values: Mapping[str, Any] = {}


class Diagnostics:
    """Publishes the state of a node, and counts the messages that it refused."""

    def __init__(self, node: Node):
        self._node = node
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', EVENTS)
        self._refusal = ''
        self.refused = 0

    def refuse(self, reason: str) -> None:
        """Count and report a message that cannot be used."""
        self.refused += 1
        self._refusal = reason
        self._node.get_logger().warning(f'refused: {reason}', throttle_duration_sec=1.0)

    def publish(self, report: Report) -> None:
        """Publish the present state."""
        values = {
            **report.values,
            'refused': self.refused,
            **({'last refusal': self._refusal} if self._refusal else {}),
        }
        status = DiagnosticStatus(
            name=self._node.get_fully_qualified_name(),
            hardware_id='simloop_ros',
            level=report.level,
            message=report.message,
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
        )
        message = DiagnosticArray(status=[status])
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._publisher.publish(message)
