"""Messages over topics: bytes out, values in; lost ones are sent again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Container, Sequence
from operator import itemgetter
from typing import Any, Protocol

from rclpy.publisher import Publisher
from rclpy.subscription import Subscription
from sensor_msgs.msg import JointState as JointStateMessage
from std_msgs.msg import Header

from ...core.errors import MessageError
from ...core.values import Array
from ...record.joint_state_cdr import FIELDS
from ..messages.joint_state import ABSENT, DecodedJointState, JointStateDecoder, JointStateEncoder
from .resend import Resend

Deliver = Callable[[DecodedJointState], None]
Answer = Callable[[Header], None]
OUTBOX_SIZE = 2048
"""Messages that a publisher can send again: more than any reader may lag behind."""
READER_CHECK_INTERVAL = 32
"""Messages after which a publisher checks again who reads them."""
DUPLICATE_WINDOW = 256
"""Last messages that came without the middleware, whose second copies are recognised."""


class LocalBus:
    """Hands joint states and requests to the nodes of the same process, in the order of sending.

    rclpy has no intra-process communication as rclcpp has: for two nodes of one process, DDS costs
    serialisation and the executor, several times the cost of the blocks.
    """

    def __init__(self) -> None:
        self._readers: dict[str, list[tuple[tuple[str, ...], tuple[str, ...], Deliver]]] = {}
        self._answerers: list[tuple[Container[str], Answer]] = []
        self._queue: deque[tuple[Callable[[Any], None], Any]] = deque()

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

    def answer_requests(self, topics: Container[str], answer: Answer) -> Callable[[], None]:
        """Add who sends messages of these topics again; return what removes it."""
        answerer = (topics, answer)
        self._answerers.append(answerer)
        return lambda: self._answerers.remove(answerer)

    def request(self, request: Header) -> bool:
        """Put a request for a lost message into the queue; return whether anybody answers it."""
        for topics, answer in self._answerers:
            if request.frame_id in topics:
                self._queue.append((answer, request))
                return True
        return False

    def run(self, max_messages: int) -> None:
        """Deliver what is in the queue, and what that causes, up to a number of messages."""
        queue = self._queue
        for _ in range(max_messages):
            if not queue:
                return
            deliver, message = queue.popleft()
            deliver(message)


class _Outbox(ABC):
    """Keeps the last messages that were sent, to send them again on request."""

    def __init__(self, publisher: Publisher):
        self._publisher = publisher
        self._sent: deque[tuple[int, Any]] = deque(maxlen=OUTBOX_SIZE)

    def send_again(self, stamp: int) -> bool:
        """Publish the last message with this stamp once more; return whether there was any."""
        sent = next((message for at, message in reversed(self._sent) if at == stamp), None)
        if sent is not None:
            self._publish(sent)
        return sent is not None

    def forget(self) -> None:
        """Forget the messages so far: they are not sent again."""
        self._sent.clear()

    @abstractmethod
    def _publish(self, message: Any) -> None: ...


class StampedPublisher(_Outbox):
    """Sends messages of any type that have a stamp."""

    def send(self, stamp: int, message: Any) -> None:
        """Publish a message whose stamp is this [ns]."""
        self._sent.append((stamp, message))
        self._publish(message)

    def _publish(self, message: Any) -> None:
        self._publisher.publish(message)


class JointPublisher(_Outbox):
    """Sends joint states: to readers of the same process the values, to others bytes.

    :param fields: some of position, velocity and effort, in this order.
    """

    def __init__(
        self,
        publisher: Publisher,
        bus: LocalBus | None,
        joint_names: Sequence[str],
        fields: tuple[str, ...],
    ):
        super().__init__(publisher)
        self._bus = bus
        self._names, self._fields = tuple(joint_names), fields
        places = (fields.index(field) + 1 if field in fields else 0 for field in FIELDS)
        self._by_field = itemgetter(*places)
        self._encoders: dict[str, JointStateEncoder] = {}
        self._local: list[Deliver] = []
        self._has_remote = True
        self._count = 0

    def send(self, stamp: int, *arrays: Array, frame_id: str = '') -> None:
        """Publish one array of shape ``(n,)`` per field, with a stamp [ns] and a kind.

        The arrays must not change afterwards.
        """
        position, velocity, effort = self._by_field((ABSENT, *arrays))
        message = DecodedJointState(stamp, position, velocity, effort, frame_id)
        self._sent.append((stamp, message))
        self._publish(message)

    def _publish(self, message: DecodedJointState) -> None:
        bus = self._bus
        if bus is not None:
            if not self._count % READER_CHECK_INTERVAL:
                self._local = bus.readers(self._publisher.topic_name, self._names, self._fields)
                self._has_remote = self._publisher.get_subscription_count() != len(self._local)
            self._count += 1
            bus.send(self._local, message)
        if self._has_remote:
            arrays = [getattr(message, field) for field in self._fields]
            self._publisher.publish(self._encoder(message.frame_id).encode(message.stamp, *arrays))

    def _encoder(self, frame_id: str) -> JointStateEncoder:
        if frame_id not in self._encoders:
            self._encoders[frame_id] = JointStateEncoder(self._names, self._fields, frame_id)
        return self._encoders[frame_id]


class _ReceivingNode(Protocol):
    active: bool

    def refuse(self, reason: str) -> None: ...
    def fail(self, error: Exception) -> None: ...


class JointSubscription:
    """Receives joint states; one that cannot be used is counted, reported and ignored.

    :ivar subscription: whose messages ``receive`` gets.
    """

    subscription: Subscription

    def __init__(
        self,
        node: _ReceivingNode,
        resend: Resend,
        decoder: JointStateDecoder,
        call: Callable[[DecodedJointState], None],
        on_refusal: Callable[[str], None] | None,
    ):
        self._decode, self._stamp = decoder.decode, decoder.stamp
        self._call = call
        self._node = node
        self._resend = resend
        self._on_refusal = on_refusal
        self._local: deque[int] = deque(maxlen=DUPLICATE_WINDOW)

    @property
    def publishers(self) -> int:
        """Return the number of publishers that are matched."""
        return int(self.subscription.get_publisher_count())

    def poll(self) -> None:
        """Take all messages that wait in the subscription."""
        handle = self.subscription.handle
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
            if self._local and self._stamp(data) in self._local:
                return
            message = self._decode(data)
            self._resend.received += 1
            self._call(message)
        except MessageError as error:
            self._refuse(error)

    def _refuse(self, error: MessageError) -> None:
        self._node.refuse(str(error))
        if self._on_refusal:
            self._on_refusal(str(error))
