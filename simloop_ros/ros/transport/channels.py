"""Messages over topics: bytes out, values in; lost ones are sent again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from rclpy.publisher import Publisher
from rclpy.subscription import Subscription
from sensor_msgs.msg import JointState as JointStateMessage

from ...core.errors import MessageError
from ...core.values import Array
from ...record.joint_state_cdr import FIELDS
from ..messages.joint_state import ABSENT, DecodedJointState, JointStateDecoder, JointStateEncoder
from .local_bus import Deliver, LocalBus
from .resend import Resend

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


READER_CHECK_INTERVAL = 32
"""Messages after which a publisher checks again who reads them."""
DUPLICATE_WINDOW = 256
"""Last messages that came without the middleware, whose second copies are recognised."""


class Receiver(Protocol):
    """What subscriptions need of their node.

    :ivar active: whether messages are taken.
    """

    active: bool

    def refuse(self, reason: str) -> None:
        """Count and report a message that cannot be used."""

    def fail(self, error: Exception) -> None:
        """Note an unexpected error."""


class JointPublisher:
    """Sends joint states and keeps the last ones, to send them again on request.

    Readers of the same process get the values; bytes are made only if there are others.

    :param fields: some of position, velocity and effort, in this order.
    """

    def __init__(
        self,
        publisher: Publisher,
        bus: LocalBus | None,
        joint_names: Sequence[str],
        fields: tuple[str, ...],
    ):
        self._publisher = publisher
        self._bus = bus
        self._names, self._fields = tuple(joint_names), fields
        self._places = [FIELDS.index(field) for field in fields]
        self._encoders: dict[str, JointStateEncoder] = {}
        self._sent: Outbox[tuple[str, tuple[Array, ...]]] = Outbox()
        self._local: list[Deliver] = []
        self._has_remote = True
        self._count = 0

    def send(self, stamp: int, *arrays: Array, frame_id: str = '') -> None:
        """Publish one array of shape ``(n,)`` per field, with a stamp [ns].

        The arrays must not change afterwards.

        :param frame_id: kind of the message; one of a few.
        """
        self._sent.add(stamp, (frame_id, arrays))
        self._publish(stamp, frame_id, arrays)

    def send_again(self, stamp: int) -> bool:
        """Publish the message with this stamp once more; return whether it was ever sent."""
        sent = self._sent.find(stamp)
        if sent is None:
            return False
        self._publish(stamp, *sent)
        return True

    def forget(self) -> None:
        """Forget the messages so far: they are not sent again."""
        self._sent.clear()

    def _publish(self, stamp: int, frame_id: str, arrays: tuple[Array, ...]) -> None:
        if self._bus is None:
            self._publisher.publish(self._encoder(frame_id).encode(stamp, *arrays))
            return
        if not self._count % READER_CHECK_INTERVAL:
            self._local = self._bus.readers(self._publisher.topic_name, self._names, self._fields)
            self._has_remote = self._publisher.get_subscription_count() != len(self._local)
        self._count += 1
        values = [ABSENT] * len(FIELDS)
        for i, array in zip(self._places, arrays, strict=True):
            values[i] = array
        position, velocity, effort = values
        self._bus.send(self._local, DecodedJointState(stamp, position, velocity, effort, frame_id))
        if self._has_remote:
            self._publisher.publish(self._encoder(frame_id).encode(stamp, *arrays))

    def _encoder(self, frame_id: str) -> JointStateEncoder:
        if frame_id not in self._encoders:
            self._encoders[frame_id] = JointStateEncoder(self._names, self._fields, frame_id)
        return self._encoders[frame_id]


class JointSubscription:
    """Receives joint states; one that cannot be used is counted, reported and ignored.

    :param fields: those that are needed.
    :param call: gets each message that can be used.
    :param on_refusal: called with the reason when a message cannot be used.
    :param optional: fields that are read where a message has them.
    :param finite: whether all numbers have to be.
    """

    def __init__(
        self,
        node: Receiver,
        resend: Resend,
        topic: str,
        joint_names: Sequence[str],
        fields: tuple[str, ...],
        call: Callable[[DecodedJointState], None],
        on_refusal: Callable[[str], None] | None,
        optional: tuple[str, ...],
        *,
        finite: bool,
    ):
        self._decode = JointStateDecoder(
            joint_names, fields, topic, optional, finite=finite
        ).decode
        self._call = call
        self._node = node
        self._resend = resend
        self._on_refusal = on_refusal
        self._local: deque[int] = deque(maxlen=DUPLICATE_WINDOW)

    def attach(self, subscription: Subscription) -> None:
        """Use the subscription whose messages ``receive`` gets."""
        self._subscription = subscription

    @property
    def publishers(self) -> int:
        """Return the number of publishers that are matched."""
        return int(self._subscription.get_publisher_count())

    def poll(self) -> None:
        """Take all messages that wait in the subscription."""
        handle = self._subscription.handle
        with handle:
            while taken := handle.take_message(JointStateMessage, True):
                self.receive(taken[0])

    def deliver(self, message: DecodedJointState) -> None:
        """Take a message that came over the bus."""
        node = self._node
        if node.active:
            self._local.append(message.stamp)
            self._resend.received += 1
            try:
                self._call(message)
            except MessageError as error:
                self._refuse(error)
            except Exception as error:
                node.fail(error)

    def receive(self, data: bytes) -> None:
        """Take a message that came over the middleware."""
        node = self._node
        if not node.active:
            return
        try:
            message = self._decode(data)
            if message.stamp not in self._local:
                self._resend.received += 1
                self._call(message)
        except MessageError as error:
            self._refuse(error)

    def _refuse(self, error: MessageError) -> None:
        self._node.refuse(str(error))
        if self._on_refusal:
            self._on_refusal(str(error))
