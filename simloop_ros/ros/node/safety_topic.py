"""What a node that can stop the robot knows of others: their safety status, their silence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState as JointStateMessage
from std_msgs.msg import Header

from ...safety.config import SafetyConfig
from ..messages.safety_status import SAFETY, SafetyStatus, from_message, to_message
from ..transport.qos import LATCHED, LATCHED_READER
from .block_node import BlockNode


class SafetyTopic:
    """Publishes the status of a node, and hands it that of others.

    :param call: gets each status of another node, while this one is active.
    """

    def __init__(self, node: BlockNode, call: Callable[[SafetyStatus], None]):
        self._node = node
        self._call = call
        self._publisher = node.topics.publisher(DiagnosticStatus, SAFETY, LATCHED)
        node.topics.subscription(DiagnosticStatus, SAFETY, self._take, LATCHED_READER)

    def announce(
        self,
        event: str,
        stopped: str,
        stops: int,
        diverged: bool = False,
        stamp: int = 0,
        level: str = '',
        paused: bool = False,
        *,
        state: str = '',
        calm: bool = False,
    ) -> None:
        """Publish the present ``SafetyStatus``; the event is what the log calls a stop.

        :param calm: whether nothing moved: then it is no error.
        """
        node = self._node
        if stopped and calm:
            node.get_logger().info(f'{event}: {stopped}')
        elif stopped:
            node.get_logger().error(f'{event}: {stopped}', throttle_duration_sec=0.1)
        status = SafetyStatus(
            node.get_name(), stopped, stops, diverged, stamp, level, paused, state
        )
        self._publisher.publish(to_message(status))

    def _take(self, message: DiagnosticStatus) -> None:
        status = from_message(message)
        if self._node.active and status and status.source != self._node.get_name():
            self._call(status)


LAST_ONLY = QoSProfile(depth=1)
RECORDER_TIMEOUT = 0.6
"""Time without a message after which a recorder counts as dead [s]: three of its messages."""
SILENT = 'no messages any more; its node is dead or busy'
LEFT = 'left'
"""``frame_id`` of the last header of a node that ends as it should: its silence is no fault."""


class Heartbeats:
    """Notices when no more messages come on a topic, and reports it.

    Topics are checked once per step, and messages do not wake the node. Their content is read only
    when they end: who said with a header that it has ``LEFT`` is no longer watched.

    :param timeouts: for each topic the type of its messages, and the number of steps without one
        after which it counts as silent.
    """

    def __init__(self, node: BlockNode, timeouts: Iterable[tuple[str, type, int]]):
        self._node = node
        self._watched = [(*each, self._subscribe(*each[:2])) for each in timeouts]
        self.restart()

    def _subscribe(self, topic: str, kind: type) -> Any:
        return self._node.topics.subscription(
            kind, topic, lambda _: None, LAST_ONLY, raw=True, polled=True
        ).handle

    def restart(self) -> None:
        """Count from the next messages on."""
        self._steps: dict[str, int] = {}
        self._silent: set[str] = set()
        self._last: dict[str, bytes] = {}

    def check(self) -> None:
        """Count a step; report each topic that fell silent in it, or came back."""
        for topic, kind, timeout, handle in self._watched:
            with handle:
                received = handle.take_message(kind, True)
            if received is not None:
                self._steps[topic] = 0
                self._last[topic] = received[0]
            elif topic in self._steps:
                self._steps[topic] += 1
            silent = self._steps.get(topic, 0) >= timeout
            if silent and topic not in self._silent and self._left(topic, kind):
                del self._steps[topic]
                continue
            if silent != (topic in self._silent):
                self._silent ^= {topic}
                self._node.publish_diagnostics()
                state = SILENT if silent else 'messages come again'
                self._node.get_logger().warning(f'{topic}: {state}')

    def _left(self, topic: str, kind: type) -> bool:
        if kind is not Header:
            return False
        message: Any = deserialize_message(self._last[topic], kind)
        return bool(message.frame_id == LEFT)

    @property
    def fault(self) -> str:
        """Return which topics are silent, in a line; empty if none is."""
        silent = [topic for topic, *_ in self._watched if topic in self._silent]
        return f'{", ".join(silent)}: {SILENT}' if silent else ''


def control_heartbeats(node: BlockNode, safety: SafetyConfig) -> Heartbeats:
    """Return what control watches in real time: monitor and recorder, which it needs not."""
    graph, watched = node.graph, list[tuple[str, type, int]]()
    if graph.realtime and not node.topics.bus:
        timeout = safety.timeout_periods(graph.period)
        recorder = max(timeout, round(RECORDER_TIMEOUT / graph.period))
        watched = [
            ('external_torque', JointStateMessage, timeout - 1),
            ('recorded', Header, recorder),
        ]
    return Heartbeats(node, watched)
