"""Who has fallen silent: nodes that do not move the robot, so that it goes on without them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rclpy.qos import QoSProfile

if TYPE_CHECKING:
    from .block_node import BlockNode

LAST = QoSProfile(depth=1)


class Heartbeat:
    """Notices when a topic falls silent that was not.

    It is looked at once per step and wakes nobody; what the messages say is not read.

    :param kind: type of the messages.
    :param longest: number of steps without a message after which it counts as silent.
    :ivar topic: name of the topic.
    :ivar silent: whether it counts as silent now.
    """

    def __init__(self, node: BlockNode, kind: type, topic: str, longest: int):
        self._kind = kind
        self._longest = longest
        subscription = node.subscription(kind, topic, lambda _: None, LAST, raw=True, polled=True)
        self._handle = subscription.handle
        self.topic = topic
        self.forget()

    def forget(self) -> None:
        """Begin anew: silence counts from the next message on."""
        self._steps: int | None = None
        self.silent = False

    def look(self) -> bool:
        """Count a step; return whether the topic fell silent in it, or came back."""
        with self._handle:
            heard = self._handle.take_message(self._kind, True) is not None
        if heard:
            self._steps = 0
        elif self._steps is not None:
            self._steps += 1
        was, self.silent = self.silent, (self._steps or 0) >= self._longest
        return was != self.silent
