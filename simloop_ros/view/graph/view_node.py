"""The node of a view: it listens, publishes wrenches, and calls services, as any client does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
import os
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import WrenchStamped
from rclpy.context import Context
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from sensor_msgs.msg import JointState as JointStateMessage
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import MarkerArray

from ...core.values import Array
from ...ros.messages.notice import COLLISION
from ...ros.messages.safety_status import SAFETY
from ...ros.transport.qos import EVENTS, JOINT_STATES, LATCHED_READER

WRENCH, DESCRIPTION = 'external_wrench', 'robot_description'
CONTACTS = 'contacts'
JOINT_TOPICS = (
    JOINT_STATES,
    'control_state',
    'effort_command',
    'external_torque',
    'true_external_torque',
)
"""Topics with a message per step; what comes on them waits until it is polled."""
DEPTH = 512
"""Messages of a stream that wait: 50 ms of a graph that takes 10 000 steps per second."""
STREAM = QoSProfile(depth=DEPTH, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Nobody waits for a view: a message that it loses is lost."""
NO_EVENTS = SubscriptionEventCallbacks(use_default_callbacks=False)
"""Events of a subscription would wake the executor with each message that waits to be polled."""
STOP, PAUSE = 'control_simulation/stop', 'plant/pause'
STEP, RESET = 'plant/step', 'plant/reset'
STARTS = ('motion_planner/start', 'admittance/start', 'bimanual/start')
ASKED_NODE, ASKED = 'control_simulation', ['robot.tips', 'period']
"""Parameters that say what no topic does."""
Take = Callable[[Any], None]


class ViewNode(Node):
    """Subscriptions, services and the publisher of a view, in a namespace.

    :param heard: what takes the messages of each topic that the executor serves.
    :ivar streams: handles of the topics that are polled, with the types of their messages.
    """

    def __init__(self, namespace: str, context: Context, heard: Mapping[str, Take]):
        self._polled: list[Subscription] = []
        super().__init__(
            f'simloop_view_{os.getpid()}',
            namespace=namespace or None,
            context=context,
            start_parameter_services=False,
            enable_rosout=False,
        )
        self.streams: dict[str, tuple[Any, type]] = {}
        for topic, kind, qos in (
            (DESCRIPTION, String, LATCHED_READER),
            (SAFETY, DiagnosticStatus, LATCHED_READER),
            ('/diagnostics', DiagnosticArray, EVENTS),
        ):
            self.create_subscription(kind, topic, heard[topic], qos)
        self._on_markers = heard['markers']
        self._markers: Subscription | None = None
        self._wrench = self.create_publisher(WrenchStamped, WRENCH, EVENTS)
        self.services_by_name: dict[str, Any] = {
            name: self.create_client(SetBool if name in (STOP, PAUSE) else Trigger, name)
            for name in (STOP, PAUSE, STEP, RESET, *STARTS)
        }
        self._told = AsyncParameterClient(self, ASKED_NODE)

    @property
    def subscriptions(self) -> Iterator[Subscription]:
        """Return the subscriptions that the executor shall serve."""
        return (each for each in super().subscriptions if each not in self._polled)

    @property
    def listens(self) -> bool:
        """Return whether it listens to the streams."""
        return bool(self.streams)

    def listen(self) -> None:
        """Subscribe to the streams."""
        if self.listens:
            return
        for topic in (*JOINT_TOPICS, COLLISION, CONTACTS):
            kind = JointStateMessage if topic in JOINT_TOPICS else DiagnosticArray
            polled = self.create_subscription(
                kind, topic, lambda _: None, STREAM, raw=True, event_callbacks=NO_EVENTS
            )
            self._polled.append(polled)
            self.streams[topic] = (polled.handle, kind)
        self._markers = self.create_subscription(MarkerArray, 'markers', self._on_markers, EVENTS)

    def rest(self) -> None:
        """Leave the streams: nobody looks."""
        self.streams.clear()
        for polled in self._polled:
            self.destroy_subscription(polled)
        self._polled.clear()
        if self._markers is not None:
            self.destroy_subscription(self._markers)
            self._markers = None

    def poll(self, topic: str) -> list[bytes]:
        """Return the messages of a stream that wait."""
        if topic not in self.streams:
            return []
        handle, kind = self.streams[topic]
        taken: list[bytes] = []
        with handle:
            while len(taken) < DEPTH and (message := handle.take_message(kind, True)):
                taken.append(message[0])
        return taken

    @property
    def robots(self) -> int:
        """Return how many publish joint states."""
        return int(self.count_publishers(self.resolve_topic_name(JOINT_STATES)))

    @property
    def takes_wrenches(self) -> bool:
        """Return whether somebody takes wrenches."""
        return self._wrench.get_subscription_count() > 0

    def push(self, link: str, wrench: Array) -> None:
        """Publish a wrench at the origin of a link, in its axes [N, N m], shape ``(6,)``."""
        message = WrenchStamped()
        message.header.stamp = self.get_clock().now().to_msg()
        message.header.frame_id = link
        force, torque = message.wrench.force, message.wrench.torque
        force.x, force.y, force.z, torque.x, torque.y, torque.z = wrench.tolist()
        self._wrench.publish(message)

    def ask(self) -> Any | None:
        """Return the future with the parameters ``ASKED``; none while nobody answers."""
        if not self._told.services_are_ready():
            return None
        return self._told.get_parameters(ASKED)
