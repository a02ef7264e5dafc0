"""The last messages of a publisher, to send them again on request."""

from __future__ import annotations

from collections import deque
from typing import Any, Generic, TypeVar

from rclpy.publisher import Publisher

T = TypeVar('T')
OUTBOX_SIZE = 2048
"""Messages that a publisher can send again: more than any reader may lag behind."""


class Outbox(Generic[T]):
    """The last messages of a publisher, by their stamps [ns]; memory does not grow."""

    def __init__(self) -> None:
        self._sent: deque[tuple[int, T]] = deque(maxlen=OUTBOX_SIZE)

    def add(self, stamp: int, content: T) -> None:
        """Keep a message that is sent."""
        self._sent.append((stamp, content))

    def find(self, stamp: int) -> T | None:
        """Return the last message with this stamp; none if it was not sent, or long ago."""
        return next((content for sent, content in reversed(self._sent) if sent == stamp), None)

    def clear(self) -> None:
        """Keep nothing of the past."""
        self._sent.clear()


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
