"""Joint states over topics: bytes out, values in, and the ones that got lost once more."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState as JointStateMessage

from ...core.errors import MessageError
from ...core.values import Array
from ...record.joint_state_cdr import FIELDS
from ..messages.joint_state import ABSENT, DecodedJointState, JointStateDecoder, JointStateEncoder
from .local_bus import Deliver
from .outbox import Outbox

if TYPE_CHECKING:
    from ..node.block_node import BlockNode

LOOK_EVERY = 32
"""Messages after which a publisher looks again who reads them."""
REMEMBERED = 256
"""Messages that came past the middleware, whose second copies are known as such."""


class JointPublisher:
    """Sends joint states and keeps the last ones, for those who did not get them.

    Readers of the same process get the values; bytes are made only if there are others.

    :param fields: some of position, velocity and effort, in this order.
    """

    def __init__(
        self,
        node: BlockNode,
        topic: str,
        joint_names: Sequence[str],
        fields: tuple[str, ...],
        qos: QoSProfile,
    ):
        self._publisher = node.publisher(JointStateMessage, topic, qos)
        self._bus = node.bus
        self._names, self._fields = tuple(joint_names), fields
        self._places = [FIELDS.index(field) for field in fields]
        self._encoders: dict[str, JointStateEncoder] = {}
        self._sent: Outbox[tuple[str, tuple[Array, ...]]] = Outbox()
        self._near: list[Deliver] = []
        self._far = True
        self._count = 0

    def send(self, stamp: int, *arrays: Array, frame_id: str = '') -> None:
        """Publish one array of shape ``(n,)`` per field, with a stamp [ns].

        The arrays must not change afterwards.

        :param frame_id: how it is meant; one of a few.
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
        """Send nothing of the past again."""
        self._sent.clear()

    def _publish(self, stamp: int, frame_id: str, arrays: tuple[Array, ...]) -> None:
        if self._bus is None:
            self._publisher.publish(self._encoder(frame_id).encode(stamp, *arrays))
            return
        if not self._count % LOOK_EVERY:
            self._near = self._bus.readers(self._publisher.topic_name, self._names, self._fields)
            self._far = self._publisher.get_subscription_count() != len(self._near)
        self._count += 1
        values = [ABSENT] * len(FIELDS)
        for i, array in zip(self._places, arrays, strict=True):
            values[i] = array
        position, velocity, effort = values
        self._bus.send(self._near, DecodedJointState(stamp, position, velocity, effort, frame_id))
        if self._far:
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
    :param optional: fields that are read where they are there.
    :param polled: whether messages wait until ``poll`` is called, instead of waking the node.
    :param finite: whether all numbers have to be.
    """

    def __init__(
        self,
        node: BlockNode,
        topic: str,
        joint_names: Sequence[str],
        fields: tuple[str, ...],
        call: Callable[[DecodedJointState], None],
        qos: QoSProfile,
        on_refusal: Callable[[str], None] | None,
        optional: tuple[str, ...],
        polled: bool,
        finite: bool,
    ):
        self._decode = JointStateDecoder(
            joint_names, fields, topic, optional, finite=finite
        ).decode
        self._call = call
        self._node = node
        self._on_refusal = on_refusal
        self._subscription = node.subscription(
            JointStateMessage, topic, self._receive, qos, raw=True, polled=polled
        )
        self._near: deque[int] = deque(maxlen=REMEMBERED)
        if node.bus:
            full_name = self._subscription.topic_name
            node.gives_back(node.bus.subscribe(full_name, joint_names, fields, self._deliver))

    @property
    def publishers(self) -> int:
        """Return the number of publishers that are matched."""
        return int(self._subscription.get_publisher_count())

    def poll(self) -> None:
        """Take all messages that wait."""
        handle = self._subscription.handle
        with handle:
            while taken := handle.take_message(JointStateMessage, True):
                self._receive(taken[0])

    def _deliver(self, message: DecodedJointState) -> None:
        """Take a message that came past the middleware."""
        node = self._node
        if node.active:
            self._near.append(message.stamp)
            node.resend.received += 1
            try:
                self._call(message)
            except MessageError as error:
                self._refuse(error)
            except Exception as error:
                node.fail(error)

    def _receive(self, data: bytes) -> None:
        node = self._node
        if not node.active:
            return
        try:
            message = self._decode(data)
            if message.stamp not in self._near:
                node.resend.received += 1
                self._call(message)
        except MessageError as error:
            self._refuse(error)

    def _refuse(self, error: MessageError) -> None:
        self._node.refuse(str(error))
        if self._on_refusal:
            self._on_refusal(str(error))
