"""A publisher of whole messages that can send lost ones again."""

from __future__ import annotations

from typing import Any

from rclpy.publisher import Publisher

from .outbox import Outbox


class StampedPublisher:
    """Sends messages and keeps the last ones, to send them again on request."""

    def __init__(self, publisher: Publisher):
        self._publisher = publisher
        self._sent: Outbox[Any] = Outbox()

    def send(self, stamp: int, message: Any) -> None:
        """Publish a message whose stamp is this [ns]."""
        self._sent.add(stamp, message)
        self._publisher.publish(message)

    def send_again(self, stamp: int) -> None:
        """Publish the message with this stamp once more, if it was ever sent."""
        message = self._sent.find(stamp)
        if message is not None:
            self._publisher.publish(message)
