"""What all nodes have in common: lifecycle, parameters, diagnostics, lost messages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
import traceback
from typing import Any, ClassVar, TypeVar

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
import msgspec
from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import (
    LifecycleNode,
    LifecyclePublisher,
    LifecycleState,
    TransitionCallbackReturn,
)
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription
from rclpy.task import Future
from rclpy.timer import Timer
from std_msgs.msg import Header

from ...core.errors import USER_ERROR, MessageError, SimloopError
from ..messages.joint_state import DecodedJointState
from ..messages.stamps import join, stamp_of
from ..transport.channels import JointPublisher, JointSubscription
from ..transport.local_bus import LocalBus
from ..transport.qos import EVENTS, STREAM, STREAM_DEPTH, stream_reader
from ..transport.resend import Resend
from ..transport.stamped_publisher import StampedPublisher
from .config import GraphConfig
from .parameters import changed_config, check_change, declare_config, read_config
from .scheduling import MakeWay, set_priority, step_back

T = TypeVar('T', bound=msgspec.Struct)
C = TypeVar('C')
DIAGNOSTICS_PERIOD = 1.0
POLL_PERIOD = 0.005
"""Time between two looks at what has come [s]: waking up for each message costs far more."""
BROKEN = 1
"""Exit status for what nobody foresaw."""


class Report(msgspec.Struct, frozen=True):
    """What a node says of itself in ``/diagnostics``.

    :ivar level: ``DiagnosticStatus.OK``, ``WARN`` or ``ERROR``.
    :ivar values: details, by name.
    """

    level: bytes
    message: str
    values: Mapping[str, Any] = {}


class BlockNode(LifecycleNode):
    """A managed node around a block.

    A subclass names the ``SECTIONS`` of its configuration, each declared as parameters with its
    prefix, and gives ``build`` (create the block, publishers, subscriptions), ``begin`` (first
    message), ``missing`` (what it waits for) and ``report``. While the node is unconfigured all
    parameters may change; later only those of ``LIVE``, whose block can take them over.

    In lockstep whoever waits longer than ``patience`` for a message asks for it, and its publisher
    sends it again: a lost message costs time but changes nothing, and nobody needs to be first.

    :param bus: way to the other nodes of the same process.
    :ivar graph: what every node is told, once it is configured.
    :ivar active: whether the node is in the active state.
    :ivar finished: whether the node has nothing left to do, so that its process may end.
    :ivar failure: why the node cannot be configured, or broke.
    :ivar exit_status: what its process shall end with.
    :ivar refused: number of messages that could not be used.
    """

    SECTIONS: ClassVar[Mapping[str, type[msgspec.Struct]]] = {}
    LIVE: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, name: str, bus: LocalBus | None = None, **options: Any):
        self._polled: list[Subscription] = []
        super().__init__(name, **options)
        self.bus = bus
        self.active = False
        self.finished = False
        self.failure = ''
        self.exit_status = 0
        self.refused = 0
        self._refusal = ''
        self._configs: dict[str, msgspec.Struct] = {}
        self._given_back: list[Callable[[], Any]] = []
        self._active_timers: list[Timer] = []
        self._waiting_channels: list[JointSubscription] = []
        self._thread: ThreadPoolExecutor | None = None
        self._making_way: MakeWay | None = None
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._kinds: dict[str, type[msgspec.Struct]] = {'': GraphConfig, **self.SECTIONS}
        for prefix, kind in self._kinds.items():
            declare_config(self, kind, prefix)
        self.add_on_set_parameters_callback(self._check_parameters)
        self.add_post_set_parameters_callback(lambda changed: self.guard(self._take_over, changed))
        self._diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', EVENTS)
        self.create_timer(
            DIAGNOSTICS_PERIOD,
            lambda: self.guard(self._publish_diagnostics),
            clock=self._steady,
        )

    @property
    def subscriptions(self) -> Iterator[Subscription]:
        """Return the subscriptions that the executor shall serve."""
        return (each for each in super().subscriptions if each not in self._polled)

    # What a subclass gives

    def build(self) -> None:
        """Create the block, its publishers and subscriptions from the configuration."""

    def begin(self) -> None:
        """Start: the node has become active."""

    def end(self) -> None:
        """Bring to an end what was begun: the node is no longer active, or its process ends."""

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return topic and stamp of each message that the next step waits for, in lockstep."""
        return ()

    @property
    def awaited(self) -> bool:
        """Return whether others wait for this node."""
        return True

    def gaps(self) -> Iterable[tuple[str, int]]:
        """Return those of which later ones of the same topic are there already."""
        return ()

    def check_live(self, config: msgspec.Struct) -> None:
        """Raise SimloopError if the block cannot take over a section of the configuration."""

    def apply_live(self) -> None:
        """Take over the parameters of ``LIVE``, which have changed."""

    def report(self) -> Report:
        """Return what the node says of itself while it is active."""
        return Report(DiagnosticStatus.OK, 'active')

    # What a subclass uses

    def config(self, kind: type[T], prefix: str = '') -> T:
        """Return a section of the configuration, as it was when the node was configured."""
        config = self._configs[prefix]
        assert isinstance(config, kind)
        return config

    def stamp(self, step: int) -> int:
        """Return the stamp of a step [ns], in lockstep."""
        return stamp_of(step, self.graph.period)

    def publisher(self, kind: type, topic: str, qos: QoSProfile) -> Publisher:
        """Create a publisher for as long as the node is configured."""
        publisher: LifecyclePublisher = self.create_lifecycle_publisher(
            kind,
            topic,
            qos,
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )
        self.gives_back(lambda: self.destroy_lifecycle_publisher(publisher))
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
        """Create a subscription for as long as the node is configured.

        :param raw: whether ``call`` gets the serialized message.
        :param polled: whether the executor leaves it alone.
        """
        subscription = self.create_subscription(
            kind,
            topic,
            lambda message: self.guard(call, message),
            qos,
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
            raw=raw,
        )
        if polled:
            self._polled.append(subscription)
            self.gives_back(lambda: self._polled.remove(subscription))
        self.gives_back(lambda: self.destroy_subscription(subscription))
        return subscription

    def service(self, kind: type, name: str, call: Callable[[Any], str | Awaitable[str]]) -> None:
        """Create a service whose response has ``success`` and ``message``.

        :param call: gets the request; returns what was done, or raises SimloopError with the
            reason why it cannot be done now. What takes long is awaited, see ``beside``.
        """

        async def serve(request: Any, response: Any) -> Any:
            try:
                if not self.active:
                    raise SimloopError(f'{self.get_name()} is not active')
                said = call(request)
                response.message = said if isinstance(said, str) else await said
                response.success = True
            except SimloopError as error:
                response.message = str(error)
                response.success = False
            except Exception as error:
                self.fail(error)
                response.message = self.failure
                response.success = False
            return response

        service = self.create_service(kind, f'~/{name}', serve)
        self.gives_back(lambda: self.destroy_service(service))

    def publish_joints(
        self, topic: str, joint_names: Sequence[str], fields: tuple[str, ...]
    ) -> JointPublisher:
        """Create a publisher of joint states that sends lost messages again."""
        publisher = JointPublisher(self, topic, joint_names, fields, STREAM)
        self.resend.sources[topic] = publisher.send_again
        return publisher

    def publish_arrays(self, topic: str) -> StampedPublisher:
        """Create a publisher of diagnostic arrays that sends lost messages again."""
        publisher = StampedPublisher(self.publisher(DiagnosticArray, topic, STREAM))
        self.resend.sources[topic] = publisher.send_again
        return publisher

    def subscribe_arrays(
        self,
        topic: str,
        decode: Callable[[DiagnosticArray], C],
        call: Callable[[int, C], None],
    ) -> None:
        """Create a subscription of diagnostic arrays, while the node is active.

        :param decode: returns what a message says, or raises MessageError: it is refused then.
        :param call: gets the stamp [ns], and what the message says.
        """

        def take(message: DiagnosticArray) -> None:
            if not self.active:
                return
            self.resend.received += 1
            try:
                content = decode(message)
            except MessageError as error:
                self.refuse(str(error))
                return
            call(join(message.header.stamp), content)

        self.subscription(DiagnosticArray, topic, take, STREAM)

    def subscribe_joints(
        self,
        topic: str,
        joint_names: Sequence[str],
        fields: tuple[str, ...],
        call: Callable[[DecodedJointState], None],
        depth: int = STREAM_DEPTH,
        on_refusal: Callable[[str], None] | None = None,
        *,
        optional: tuple[str, ...] = (),
        polled: bool = False,
        finite: bool = True,
    ) -> JointSubscription:
        """Create a subscription of joint states; ``call`` gets them while the node is active.

        :param depth: number of messages that may wait.
        :param on_refusal: called with the reason when a message cannot be used.
        :param optional: fields that are read where they are there.
        :param polled: whether messages wait to be polled, instead of waking the node for each.
        :param finite: whether a message with a number that is not is refused.
        """
        qos = stream_reader(depth, realtime=self.graph.realtime)
        channel = JointSubscription(
            self, topic, joint_names, fields, call, qos, on_refusal, optional, polled, finite
        )
        if polled:
            self._waiting_channels.append(channel)
            self.gives_back(lambda: self._waiting_channels.remove(channel))
        return channel

    def every(self, period: float, call: Callable[[], None]) -> None:
        """Call something in this period [s] of the steady clock, while the node is active."""
        timer = self.create_timer(period, lambda: self.guard(call), clock=self._steady)
        self._active_timers.append(timer)

    def beside(self, call: Callable[[], Any]) -> Future[Any]:
        """Call something that takes long in a thread of its own, while the process goes on."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, initializer=step_back)
        future: Future[Any] = Future(executor=self.executor)

        def work() -> None:
            try:
                future.set_result(call())
            except Exception as error:
                future.set_exception(error)

        self._thread.submit(work)
        return future

    def gives_back(self, call: Callable[[], Any]) -> None:
        """Call something when the node is no longer configured."""
        self._given_back.append(call)

    def guard(self, call: Callable[..., Any], *arguments: Any) -> None:
        """Call something such that nothing leaves it: an exception would end the process."""
        try:
            call(*arguments)
        except Exception as error:
            self.fail(error)

    def refuse(self, reason: str) -> None:
        """Count and report a message that cannot be used."""
        self.refused += 1
        self._refusal = reason
        self.get_logger().warning(f'refused: {reason}', throttle_duration_sec=1.0)

    def fail(self, error: Exception) -> None:
        """Take note of an error that nobody foresaw; the process ends with it."""
        if not self.failure:
            self.exit_status = USER_ERROR if isinstance(error, SimloopError) else BROKEN
            if self.exit_status == USER_ERROR:
                self.failure = str(error)
                self.get_logger().error(self.failure)
            else:
                self.failure = f'{type(error).__name__}: {error}'
                self.get_logger().fatal(f'{self.failure}\n{traceback.format_exc()}')

    # Lifecycle

    def start(self) -> None:
        """Configure and activate the node, if it shall do so by itself.

        :raises SimloopError: it cannot be configured.
        """
        if not read_config(self, GraphConfig, '').autostart:
            return
        for transition in (self.trigger_configure, self.trigger_activate):
            if transition() != TransitionCallbackReturn.SUCCESS:
                raise SimloopError(f'{self.get_name()}: {self.failure}')

    def stop(self) -> None:
        """Bring everything to an end, whatever the state: the process ends."""
        self._leave_active()
        self._give_back()
        if self._thread:
            self._thread.shutdown(wait=False, cancel_futures=True)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Build the block."""
        self.failure = ''
        try:
            self._configs = {
                prefix: read_config(self, kind, prefix) for prefix, kind in self._kinds.items()
            }
            self.graph = self.config(GraphConfig)
            self.resend = Resend(self.publisher(Header, 'resend', EVENTS), self.missing, self.gaps)
            self.subscription(Header, 'resend', self.resend.answer, EVENTS)
            self.build()
        except Exception as error:
            self.fail(error)
            self._give_back()
            return TransitionCallbackReturn.FAILURE
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin."""
        result = super().on_activate(state)
        self.active = True
        try:
            self.begin()
        except Exception as error:
            self.fail(error)
            self._leave_active()
            return TransitionCallbackReturn.FAILURE
        if self._waiting_channels:
            self.every(POLL_PERIOD, self._poll)
        if not self.awaited and self.bus is None:
            self._making_way = MakeWay()
        if not self.graph.realtime:
            self.every(self.graph.patience, self.resend.tick)
        elif self.graph.priority:
            self._become_urgent()
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Pause: what arrives is ignored until the node is active again."""
        self._leave_active()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Give the block up, so that all parameters may change."""
        self._give_back()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Bring everything to an end."""
        self.stop()
        self.finished = True
        return super().on_shutdown(state)

    def _poll(self) -> None:
        for channel in self._waiting_channels:
            channel.poll()

    def _become_urgent(self) -> None:
        if not set_priority(self.graph.priority):
            self.get_logger().warning(
                f'no real-time priority {self.graph.priority}: allow it with "rtprio" in '
                '/etc/security/limits.conf, or CAP_SYS_NICE; without it commands come late more '
                'often'
            )

    def _leave_active(self) -> None:
        if self.active:
            self.active = False
            if self.graph.realtime and self.graph.priority:
                set_priority(0)
            if self._making_way:
                self._making_way.end()
            for timer in self._active_timers:
                self.destroy_timer(timer)
            self._active_timers.clear()
            self.end()

    def _give_back(self) -> None:
        while self._given_back:
            self._given_back.pop()()
        self._configs = {}

    # Parameters and diagnostics

    def _check_parameters(self, changed: list[Parameter]) -> SetParametersResult:
        reason = ''
        for prefix, kind in self._kinds.items():
            reason = reason or check_change(self, kind, prefix, changed)
        if self._configs and not reason:
            fixed = [parameter.name for parameter in changed if self._is_fixed(parameter.name)]
            if fixed:
                reason = (
                    f'{fixed[0]} cannot change while the node is configured: deactivate it and '
                    'clean it up first (ros2 lifecycle set)'
                )
            if any(parameter.name in self.LIVE for parameter in changed):
                reason = reason or self._reason_against(changed)
        return SetParametersResult(successful=not reason, reason=reason)

    def _reason_against(self, changed: list[Parameter]) -> str:
        try:
            for prefix, kind in self._kinds.items():
                self.check_live(changed_config(self, kind, prefix, changed))
        except SimloopError as error:
            return str(error)
        return ''

    def _is_fixed(self, name: str) -> bool:
        own = any(name.startswith(f'{prefix}.') for prefix in self.SECTIONS)
        return (own or name in GraphConfig.__struct_fields__) and name not in self.LIVE

    def _take_over(self, changed: list[Parameter]) -> None:
        if self._configs and any(parameter.name in self.LIVE for parameter in changed):
            for prefix, kind in self._kinds.items():
                self._configs[prefix] = read_config(self, kind, prefix)
            self.apply_live()

    def _publish_diagnostics(self) -> None:
        status = DiagnosticStatus(name=self.get_fully_qualified_name(), hardware_id='simloop_ros')
        report = self._report()
        values = {
            **report.values,
            'refused': self.refused,
            **({'last refusal': self._refusal} if self._refusal else {}),
        }
        status.level, status.message = report.level, report.message
        status.values = [KeyValue(key=key, value=str(value)) for key, value in values.items()]
        message = DiagnosticArray(status=[status])
        message.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(message)

    def _report(self) -> Report:
        if self.failure:
            return Report(DiagnosticStatus.ERROR, self.failure)
        if not self.active:
            return Report(DiagnosticStatus.WARN, 'not active')
        waiting = self.resend.waiting if not self.graph.realtime else ''
        report = self.report()
        values = {
            **report.values,
            'asked again': self.resend.asked,
            'sent again': self.resend.answered,
        }
        if waiting and report.level == DiagnosticStatus.OK:
            return Report(DiagnosticStatus.WARN, waiting, values)
        return Report(report.level, report.message, values)
