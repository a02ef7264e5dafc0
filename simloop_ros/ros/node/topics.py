"""Publishers and subscriptions of a node, for as long as it is configured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.lifecycle import LifecyclePublisher
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription
from sensor_msgs.msg import JointState as JointStateMessage
from std_msgs.msg import Header

from ...core.errors import MessageError
from ...core.values import Flags
from ..messages import setpoint
from ..messages.joint_state import DecodedJointState, JointStateDecoder
from ..messages.stamps import join
from ..messages.turns import without_jumps
from ..transport.channels import JointPublisher, JointSubscription, LocalBus, StampedPublisher
from ..transport.qos import (
    DRIVERS_TOPICS,
    EVENTS,
    JOINT_STATES,
    STREAM,
    STREAM_DEPTH,
    stream_reader,
)
from ..transport.resend import Resend

if TYPE_CHECKING:
    from .block_node import BlockNode

C = TypeVar('C')


class Topics:
    """The topics of a node; joint states and diagnostic arrays are sent again on request.

    :ivar bus: to the other nodes of the same process.
    :ivar resend: requests for lost messages.
    :ivar waiting: subscriptions whose messages wait for ``poll``.
    :ivar polled: subscriptions that the executor leaves alone.
    :ivar endless: joints of the robot that have no ends, shape ``(n,)``, where they are known.
    """

    def __init__(self, node: BlockNode, bus: LocalBus | None):
        self._node = node
        self.waiting: list[JointSubscription] = []
        self.bus = bus
        self.polled: list[Subscription] = []
        self.endless: Flags | None = None

    def open(self) -> None:
        """Begin to request and to answer: the node is being configured."""
        node, bus = self._node, self.bus
        publisher = self.publisher(Header, 'resend', EVENTS)
        nearby = {} if bus is None else {'nearby': bus.request}
        self.resend = resend = Resend(publisher, node.missing, node.gaps, **nearby)
        self.subscription(Header, 'resend', resend.answer, EVENTS)
        if bus is not None:
            answer = partial(node.guard, resend.answer)
            node.at_cleanup(bus.answer_requests(resend.sources, answer))

    def poll(self) -> None:
        """Take all messages that wait."""
        for channel in self.waiting:
            channel.poll()

    def publisher(self, kind: type, topic: str, qos: QoSProfile) -> Publisher:
        """Create a publisher."""
        publisher: LifecyclePublisher = self._node.create_lifecycle_publisher(
            kind, topic, qos, qos_overriding_options=QoSOverridingOptions.with_default_policies()
        )
        self._node.at_cleanup(lambda: self._node.destroy_lifecycle_publisher(publisher))
        return publisher

    def subscription(
        self,
        kind: type,
        topic: str,
        call: Callable[[Any], None],
        qos: QoSProfile,
        *,
        raw: bool = False,
        polled: bool = False,
    ) -> Subscription:
        """Create a subscription: of serialized messages if ``raw``, left alone if ``polled``."""
        node = self._node
        subscription = node.create_subscription(
            kind,
            topic,
            lambda message: node.guard(call, message),
            qos,
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
            raw=raw,
        )
        if polled:
            self.polled.append(subscription)
            node.at_cleanup(lambda: self.polled.remove(subscription))
        node.at_cleanup(lambda: node.destroy_subscription(subscription))
        return subscription

    def publish_joints(
        self, topic: str, joint_names: Sequence[str], fields: tuple[str, ...]
    ) -> JointPublisher:
        """Create a publisher of joint states."""
        publisher = JointPublisher(
            self.publisher(JointStateMessage, topic, STREAM), self.bus, joint_names, fields
        )
        self.resend.sources[topic] = publisher.send_again
        return publisher

    def publish_arrays(self, topic: str) -> StampedPublisher:
        """Create a publisher of diagnostic arrays."""
        publisher = StampedPublisher(self.publisher(DiagnosticArray, topic, STREAM))
        self.resend.sources[topic] = publisher.send_again
        return publisher

    def subscribe_arrays(
        self, topic: str, decode: Callable[[DiagnosticArray], C], call: Callable[[int, C], None]
    ) -> None:
        """Create a subscription of diagnostic arrays, while the node is active.

        :param decode: returns the content of a message, or raises MessageError to refuse it.
        :param call: gets the stamp [ns] and the content.
        """
        node = self._node

        def take(message: DiagnosticArray) -> None:
            if not node.active:
                return
            self.resend.received += 1
            try:
                content = decode(message)
            except MessageError as error:
                node.refuse(str(error))
                return
            call(join(message.header.stamp), content)

        self.subscription(DiagnosticArray, topic, take, STREAM)

    def subscribe_setpoints(
        self, joint_names: Sequence[str], call: Callable[[DecodedJointState], None]
    ) -> JointSubscription:
        """Create a subscription of the plan: every setpoint counts."""
        return self.subscribe_joints(
            setpoint.TOPIC,
            joint_names,
            setpoint.NEEDED,
            call,
            STREAM_DEPTH,
            optional=setpoint.OPTIONAL,
        )

    def subscribe_joints(
        self,
        topic: str,
        joint_names: Sequence[str],
        fields: tuple[str, ...],
        call: Callable[[DecodedJointState], None],
        depth: int | None = None,
        on_refusal: Callable[[str], None] | None = None,
        *,
        optional: tuple[str, ...] = (),
        kind: str = '',
        polled: bool = False,
        finite: bool = True,
        driven: bool = False,
    ) -> JointSubscription:
        """Create a subscription of joint states; ``call`` gets them while the node is active.

        :param depth: number of messages that may wait; ``STREAM_DEPTH``, or 1 in real time where
            none is given: there only the last message is of use.
        :param on_refusal: called with the reason when a message cannot be used.
        :param optional: fields that are read where a message has them,
        :param kind: and this first word in its ``frame_id``, if it is given.
        :param polled: whether messages wait for ``poll``, instead of waking the node for each.
        :param finite: whether a message with a number that is not finite is refused.
        :param driven: whether a driver may publish it, best effort; of ``DRIVERS_TOPICS`` always.
        """
        node, realtime = self._node, self._node.graph.realtime
        if realtime and topic == JOINT_STATES and self.endless is not None and self.endless.any():
            call = without_jumps(call, self.endless)
        decoder = JointStateDecoder(joint_names, fields, topic, optional, kind=kind, finite=finite)
        channel = JointSubscription(node, self.resend, decoder, call, on_refusal)
        waiting = depth or (1 if realtime else STREAM_DEPTH)
        driven = driven or topic in DRIVERS_TOPICS
        qos = stream_reader(waiting, realtime=realtime, driven=driven)
        subscription = self.subscription(
            JointStateMessage, topic, channel.receive, qos, raw=True, polled=polled
        )
        channel.subscription = subscription
        if self.bus:
            full_name = subscription.topic_name
            node.at_cleanup(self.bus.subscribe(full_name, joint_names, fields, channel.deliver))
        if polled:
            self.waiting.append(channel)
            node.at_cleanup(lambda: self.waiting.remove(channel))
        return channel
