"""Nodes that do not move the robot: it goes on without them, but their silence is reported."""

from __future__ import annotations

from collections.abc import Iterable

from rclpy.qos import QoSProfile

from .block_node import BlockNode
from .topics import Topics

LAST_ONLY = QoSProfile(depth=1)
SILENT = 'no messages any more; its node is dead or busy'


class Heartbeat:
    """Notices when no more messages come on a topic.

    It is checked once per step, and messages do not wake the node; their content is not read.

    :param kind: type of the messages.
    :param timeout: number of steps without a message after which the topic counts as silent.
    :ivar topic: name of the topic.
    :ivar silent: whether it counts as silent now.
    """

    def __init__(self, topics: Topics, kind: type, topic: str, timeout: int):
        self._kind = kind
        self._timeout = timeout
        subscription = topics.subscription(
            kind, topic, lambda _: None, LAST_ONLY, raw=True, polled=True
        )
        self._handle = subscription.handle
        self.topic = topic
        self.restart()

    def restart(self) -> None:
        """Count from the next message on."""
        self._steps: int | None = None
        self.silent = False

    def check(self) -> bool:
        """Count a step; return whether ``silent`` has changed in it."""
        with self._handle:
            received = self._handle.take_message(self._kind, True) is not None
        if received:
            self._steps = 0
        elif self._steps is not None:
            self._steps += 1
        was, self.silent = self.silent, (self._steps or 0) >= self._timeout
        return was != self.silent


class Heartbeats:
    """Several topics whose silence a node reports.

    :param timeouts: for each topic the type of its messages and its timeout [steps].
    """

    def __init__(self, node: BlockNode, timeouts: Iterable[tuple[str, type, int]]):
        self._node = node
        self._all = [Heartbeat(node.topics, kind, topic, n) for topic, kind, n in timeouts]

    def restart(self) -> None:
        """Count from the next messages on."""
        for heartbeat in self._all:
            heartbeat.restart()

    def check(self) -> None:
        """Count a step; report each topic that fell silent in it, or came back."""
        for heartbeat in self._all:
            if heartbeat.check():
                state = SILENT if heartbeat.silent else 'messages come again'
                self._node.publish_diagnostics()
                self._node.get_logger().warning(f'{heartbeat.topic}: {state}')

    @property
    def fault(self) -> str:
        """Return which topics are silent, in a line; empty if none is."""
        silent = [heartbeat.topic for heartbeat in self._all if heartbeat.silent]
        return f'{", ".join(silent)}: {SILENT}' if silent else ''
