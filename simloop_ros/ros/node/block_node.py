"""What all nodes have in common: lifecycle, parameters, diagnostics, lost messages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
import traceback
from typing import Any, ClassVar, TypeVar

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
import msgspec
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.subscription import Subscription
from rclpy.task import Future

from ...core.errors import SimloopError
from ..messages.stamps import stamp_of
from ..pacing.config import GraphConfig
from ..pacing.pause_log import PauseLog
from ..pacing.schedule import Schedule
from ..transport.channels import LocalBus
from ..transport.qos import EVENTS
from .parameters import LiveParameters, read_config
from .scheduling import NO_PRIORITY, LowPriority, lower_thread_priority, set_priority
from .topics import Topics

T = TypeVar('T', bound=msgspec.Struct)
POLL_PERIOD = 0.005
"""Time between two polls of waiting messages [s]: waking up for each message costs far more."""
DIAGNOSTICS_PERIOD = 1.0
UNEXPECTED_ERROR = 1
"""Exit status after an exception that is no SimloopError."""


class Report(msgspec.Struct, frozen=True):
    """State of a node: level of a ``DiagnosticStatus``, message, and details by name."""

    level: bytes
    message: str
    values: Mapping[str, Any] = {}


class BlockNode(LifecycleNode):
    """A managed node around a block.

    A subclass names the ``SECTIONS`` of its configuration, each declared as parameters with its
    prefix, and gives ``build`` (create the block, publishers, subscriptions), ``begin`` (first
    message), ``missing`` (what it waits for) and ``report``. While the node is unconfigured all
    parameters may change; later only those of ``LIVE``, which the block can take over.

    In lockstep a node that waits longer than ``patience`` for a message requests it, and its
    publisher sends it again: a lost message costs time but changes nothing, and the nodes may
    start in any order.

    :param bus: to the other nodes of the same process.
    :param schedule: of the process; whoever runs the executor runs it, too.
    :ivar graph: how the nodes step together, once this one is configured.
    :ivar refused: number of messages that could not be used.
    :ivar served: number of messages and periodic calls so far.
    :ivar finished: whether the node has nothing left to do, so that its process may end.
    :ivar failure: why the node cannot be configured, or failed.
    """

    SECTIONS: ClassVar[Mapping[str, type[msgspec.Struct]]] = {}
    LIVE: ClassVar[frozenset[str]] = frozenset()

    def __init__(
        self,
        name: str,
        bus: LocalBus | None = None,
        schedule: Schedule | None = None,
        **options: Any,
    ):
        self.topics = Topics(self, bus)
        self.schedule = schedule or Schedule()
        super().__init__(name, **options)
        self.active = self.finished = False
        self.failure = ''
        self.exit_status = 0
        self._cleanup: list[Callable[[], Any]] = []
        self._active_calls: list[Callable[[], None]] = []
        self._thread: ThreadPoolExecutor | None = None
        self._low_priority: LowPriority | None = None
        self._pauses: PauseLog | None = None
        self._parameter_sections = LiveParameters(self)
        take_over = partial(self.guard, self._parameter_sections.take_over)
        self.add_post_set_parameters_callback(take_over)
        self._diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', EVENTS)
        self._refusal = ''
        self.refused = self.served = 0
        diagnose = partial(self.guard, self.publish_diagnostics)
        self._end_diagnostics = self.schedule.every(DIAGNOSTICS_PERIOD, diagnose)

    @property
    def subscriptions(self) -> Iterator[Subscription]:
        """Return the subscriptions that the executor shall serve."""
        return (each for each in super().subscriptions if each not in self.topics.polled)

    # What a subclass gives

    def build(self) -> None:
        """Create the block, its publishers and subscriptions from the configuration."""

    def begin(self) -> None:
        """Start: the node has become active."""

    def end(self) -> None:
        """Undo ``begin``: the node is no longer active, or its process ends."""

    def leave(self) -> bool:
        """Prepare for the end of the process, after a signal; return whether it may end now."""
        return True

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return topic and stamp of each message that the next step waits for, in lockstep."""
        return ()

    @property
    def awaited(self) -> bool:
        """Return whether other nodes wait for this one."""
        return True

    def gaps(self) -> Iterable[tuple[str, int]]:
        """Return those of ``missing`` of which later ones of the same topic are there already."""
        return ()

    def check_live(self, config: msgspec.Struct) -> None:
        """Raise SimloopError if the block cannot take over a section of the configuration."""

    def apply_live(self) -> None:
        """Take over the parameters of ``LIVE``, which have changed."""

    def report(self) -> Report:
        """Return the state of the node while it is active."""
        return Report(DiagnosticStatus.OK, 'active')

    # What a subclass uses

    def config(self, kind: type[T], prefix: str = '') -> T:
        """Return a section of the configuration, as it was when the node was configured."""
        return self._parameter_sections.config(kind, prefix)

    def stamp(self, step: int) -> int:
        """Return the stamp of a step [ns], in lockstep."""
        return stamp_of(step, self.graph.period)

    def service(self, kind: type, name: str, call: Callable[[Any], str | Awaitable[str]]) -> None:
        """Create a service whose response has ``success`` and ``message``.

        :param call: gets the request; returns what was done, or raises SimloopError with the
            reason why it cannot be done now. What takes long is awaited, see ``in_background``.
        """

        async def serve(request: Any, response: Any) -> Any:
            try:
                if not self.active:
                    raise SimloopError(f'{self.get_name()} is not active')
                answer = call(request)
                response.message = answer if isinstance(answer, str) else await answer
                response.success = True
            except SimloopError as error:
                response.message, response.success = str(error), False
            except Exception as error:
                self.fail(error)
                response.message, response.success = self.failure, False
            return response

        service = self.create_service(kind, f'~/{name}', serve)
        self.at_cleanup(lambda: self.destroy_service(service))

    def every(self, period: float, call: Callable[[], None]) -> None:
        """Call something in this period [s] of a steady clock, while the node is active."""
        self._active_calls.append(self.schedule.every(period, partial(self.guard, call)))

    def in_background(self, call: Callable[[], Any]) -> Future[Any]:
        """Call something that takes long in a thread of its own, while the process goes on."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, initializer=lower_thread_priority)
        future: Future[Any] = Future(executor=self.executor)

        def work() -> None:
            try:
                future.set_result(call())
            except Exception as error:
                future.set_exception(error)

        self._thread.submit(work)
        return future

    def at_cleanup(self, call: Callable[[], Any]) -> None:
        """Call something when the node is no longer configured."""
        self._cleanup.append(call)

    def guard(self, call: Callable[..., Any], *arguments: Any) -> None:
        """Call something and note its exception, which would end the process without cleanup."""
        self.served += 1
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
        """Note an unexpected error; the process ends with it."""
        if not self.failure:
            if isinstance(error, SimloopError):
                self.exit_status = error.exit_status
                self.failure = str(error)
                self.get_logger().error(self.failure)
            else:
                self.exit_status = UNEXPECTED_ERROR
                self.failure = f'{type(error).__name__}: {error}'
                self.get_logger().fatal(f'{self.failure}\n{traceback.format_exc()}')

    def publish_diagnostics(self) -> None:
        """Publish the state of the node now, on ``/diagnostics``."""
        report = self._full_report()
        values = {**report.values, 'refused': self.refused}
        if self._refusal:
            values['last refusal'] = self._refusal
        status = DiagnosticStatus(
            name=self.get_fully_qualified_name(),
            hardware_id='simloop_ros',
            level=report.level,
            message=report.message,
            values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
        )
        message = DiagnosticArray(status=[status])
        message.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics.publish(message)

    # Lifecycle

    def start(self) -> None:
        """Configure and activate the node, if it shall do so by itself; raises SimloopError."""
        if not read_config(self, GraphConfig, '').autostart:
            return
        for transition in (self.trigger_configure, self.trigger_activate):
            if transition() != TransitionCallbackReturn.SUCCESS:
                raise SimloopError(f'{self.get_name()}: {self.failure}')

    def stop(self) -> None:
        """End everything, whatever the state: the process ends."""
        self._end_diagnostics()
        self._leave_active()
        self._clean_up()
        if self._thread:
            self._thread.shutdown(wait=False, cancel_futures=True)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Build the block."""
        self.failure = ''
        try:
            self._parameter_sections.read()
            self.graph = self.config(GraphConfig)
            self.topics.open()
            self.build()
            if self.graph.trace:
                self._record_pauses(Path(self.graph.trace))
        except Exception as error:
            self.fail(error)
            self._clean_up()
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
        if self.topics.waiting:
            self.every(POLL_PERIOD, self.topics.poll)
        if self._pauses:
            self._pauses.begin()
            self.every(self.graph.period, self._pauses.tick)
        if not self.awaited and self.topics.bus is None:
            self._low_priority = LowPriority()
        if not self.graph.realtime:
            self.every(self.graph.patience, self.topics.resend.tick)
        elif self.graph.priority:
            self._raise_priority()
        return result

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Pause: messages are ignored until the node is active again."""
        self._leave_active()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Discard the block, so that all parameters may change."""
        self._clean_up()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """End everything."""
        self.stop()
        self.finished = True
        return super().on_shutdown(state)

    def _record_pauses(self, folder: Path) -> None:
        self._pauses = pauses = PauseLog(self.graph.period)
        self.at_cleanup(lambda: pauses.write(folder, self.get_name()))

    def _raise_priority(self) -> None:
        if not set_priority(self.graph.priority):
            self.get_logger().warning(NO_PRIORITY.format(self.graph.priority))

    def _leave_active(self) -> None:
        if self.active:
            self.active = False
            if self.graph.realtime and self.graph.priority:
                set_priority(0)
            if self._low_priority:
                self._low_priority.end()
            while self._active_calls:
                self._active_calls.pop()()
            self.end()

    def _clean_up(self) -> None:
        while self._cleanup:
            self._cleanup.pop()()
        self._parameter_sections.clear()

    def _full_report(self) -> Report:
        if self.failure:
            return Report(DiagnosticStatus.ERROR, self.failure)
        if not self.active:
            return Report(DiagnosticStatus.WARN, 'not active')
        resend, report = self.topics.resend, self.report()
        values = {
            **report.values,
            'resend requests': resend.requested,
            'messages resent': resend.answered,
        }
        waiting = resend.waiting if not self.graph.realtime else ''
        if waiting and report.level == DiagnosticStatus.OK:
            return Report(DiagnosticStatus.WARN, waiting, values)
        return Report(report.level, report.message, values)
