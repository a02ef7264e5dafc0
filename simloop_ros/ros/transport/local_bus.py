"""Joint states between nodes of one process, without the middleware.

rclpy has no intra-process communication as rclcpp has: for two nodes of one process, DDS costs
serialisation and the executor, several times the cost of the blocks. Here the values themselves
go from publisher to subscription, in the order in which they were sent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from ..messages.joint_state import DecodedJointState

Deliver = Callable[[DecodedJointState], None]


class LocalBus:
    """Hands joint states to the subscriptions of the same process."""

    def __init__(self) -> None:
        self._readers: dict[str, list[tuple[tuple[str, ...], tuple[str, ...], Deliver]]] = {}
        self._queue: deque[tuple[Deliver, DecodedJointState]] = deque()

    @property
    def busy(self) -> bool:
        """Return whether something is to be delivered."""
        return bool(self._queue)

    def subscribe(
        self, topic: str, joint_names: Sequence[str], fields: tuple[str, ...], deliver: Deliver
    ) -> Callable[[], None]:
        """Add a reader of a topic, given by its full name; return what removes it again."""
        readers = self._readers.setdefault(topic, [])
        reader = (tuple(joint_names), fields, deliver)
        readers.append(reader)
        return lambda: readers.remove(reader)

    def readers(
        self, topic: str, joint_names: Sequence[str], fields: tuple[str, ...]
    ) -> list[Deliver]:
        """Return the readers that can take these joints and fields as they are."""
        return [
            deliver
            for names, needed, deliver in self._readers.get(topic, [])
            if names == tuple(joint_names) and set(needed) <= set(fields)
        ]

    def send(self, readers: Sequence[Deliver], message: DecodedJointState) -> None:
        """Put a message into the queue, for each of the readers."""
        for deliver in readers:
            self._queue.append((deliver, message))

    def run(self, max_messages: int) -> None:
        """Deliver what is in the queue, and what that causes, up to a number of messages."""
        queue = self._queue
        for _ in range(max_messages):
            if not queue:
                return
            deliver, message = queue.popleft()
            deliver(message)
