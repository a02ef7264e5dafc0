"""Joint states over topics: bytes out, values in, and the ones that got lost once more."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState as JointStateMessage

from ..errors import MessageError
from ..values import Array
from .joint_state import DecodedJointState, JointStateDecoder, JointStateEncoder

if TYPE_CHECKING:
    from .block_node import BlockNode

KEPT = 2048
"""Messages that a publisher can send again: more than anybody may lag behind."""


class JointPublisher:
    """Sends joint states and keeps the last ones, for those who did not get them.

    :param fields: some of position, velocity and effort, in this order.
    """

    MESSAGE: ClassVar = JointStateMessage

    def __init__(
        self, publisher: Publisher, joint_names: Sequence[str], fields: tuple[str, ...]
    ):
        self._publish = publisher.publish
        self._encode = JointStateEncoder(joint_names, fields).encode
        self._sent: deque[tuple[int, bytes]] = deque(maxlen=KEPT)

    def send(self, stamp: int, *arrays: Array) -> None:
        """Publish one array of shape ``(n,)`` per field, with a stamp [ns]."""
        data = self._encode(stamp, *arrays)
        self._sent.append((stamp, data))
        self._publish(data)

    def send_again(self, stamp: int) -> None:
        """Publish the message with this stamp once more, if it was ever sent."""
        for sent, data in reversed(self._sent):
            if sent == stamp:
                self._publish(data)
                return

    def forget(self) -> None:
        """Send nothing of the past again."""
        self._sent.clear()


class JointSubscription:
    """Receives joint states; one that cannot be used is counted, reported and ignored.

    :param fields: those that are needed.
    :param call: gets each message that can be used.
    :ivar on_refusal: called with the reason when a message cannot be used.
    """

    def __init__(
        self,
        node: BlockNode,
        topic: str,
        joint_names: Sequence[str],
        fields: tuple[str, ...],
        call: Callable[[DecodedJointState], None],
        qos: QoSProfile,
    ):
        self._decode = JointStateDecoder(joint_names, fields, topic).decode
        self._call = call
        self._node = node
        self.on_refusal: Callable[[str], None] | None = None
        self._subscription = node.subscription(
            JointStateMessage, topic, self._receive, qos, raw=True
        )

    @property
    def publishers(self) -> int:
        """Return the number of publishers that are matched."""
        return int(self._subscription.get_publisher_count())

    def _receive(self, data: bytes) -> None:
        node = self._node
        if not node.active:
            return
        try:
            self._call(self._decode(data))
        except MessageError as error:
            node.refuse(str(error))
            if self.on_refusal:
                self.on_refusal(str(error))
