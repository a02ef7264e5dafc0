"""The link to RobotStudio as a node: a controller of ABB follows the robot of the graph."""

from __future__ import annotations

from contextlib import suppress
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.task import Future
from std_srvs.srv import Trigger

from ..core.errors import USER_ERROR, ConfigError, LinkError, SimloopError
from ..core.values import Array
from ..robot.config import RobotConfig
from ..robot.fit_robot import load_fit_robot
from ..robotstudio.axes import linked_axes
from ..robotstudio.client import RobotStudioClient
from ..robotstudio.config import LinkConfig
from ..robotstudio.packet import Target, time_field
from ..ros.messages.joint_state import DecodedJointState
from ..ros.node.block_node import BlockNode, Report
from ..ros.node.process import main_of

CHECK_PERIOD = 0.02
"""Time between two checks of the connection and of the robot's position [s]."""


class RobotStudioNode(BlockNode):
    """Sends ``joint_states`` as targets, each after the one before was acknowledged.

    A robot that takes positions only follows the positions of the one in the graph, simulated or
    real: not the setpoints, which that one may not reach. Each target is the last known position;
    where it is too far for ``move_time``, its move takes longer. A position that has not changed
    is not sent again. The first move takes ``approach_time``.

    Any error, of the connection or of a position, ends the session: nothing more is sent until
    the service ``reset`` connects again. A process that ends like that, or before there is a
    connection, ends with status ``USER_ERROR``.
    """

    SECTIONS = {'robot': RobotConfig, 'robotstudio': LinkConfig}

    def build(self) -> None:
        """Find the axes."""
        self._link = link = self.config(LinkConfig, 'robotstudio')
        if not self.graph.realtime:
            raise ConfigError('realtime: false, but a controller moves in real time')
        for seconds in (link.move_time, link.approach_time):
            time_field(seconds)
        model = load_fit_robot(self.config(RobotConfig, 'robot'))
        self._axes = linked_axes(model, link)
        self._address = f'{link.host}:{link.port}'
        self._sent = self._acknowledged = 0
        self._stopped = ''
        self.topics.subscribe_joints('joint_states', self._axes.names, ('position',), self._take)
        self.service(Trigger, 'reset', self._serve_reset)

    def begin(self) -> None:
        """Connect."""
        self.exit_status = 0  # that of an earlier session does not count
        self._connect()
        self.every(CHECK_PERIOD, self._check)

    def end(self) -> None:
        """Disconnect; the robot completes the move that it has begun."""
        self._count()
        fault = self._fault()
        if fault:
            self.get_logger().error(
                f'{fault}; {self._sent} targets sent, {self._acknowledged} acknowledged'
            )
            self.exit_status = self.exit_status or USER_ERROR
        self._client.end()
        if self._work.done():
            self._client.close()

    def _connect(self) -> Future[Any]:
        self._stopped = ''
        self._position: Array | None = None
        self._last: Target | None = None
        self._due = 0.0
        self._client = RobotStudioClient(self._link)
        self._work = self._run_client(self._client.connect)
        return self._work

    def _run_client(self, call: Any) -> Future[Any]:
        """Call the client in the background; it keeps its error."""

        def work() -> None:
            with suppress(LinkError):
                call()

        return self.in_background(work)

    def _take(self, message: DecodedJointState) -> None:
        self._position = message.position

    def _check(self) -> None:
        """Send the next target, if it is due, or report what is wrong."""
        if self._stopped or not self._work.done():
            return
        self._work.result()  # raises an unexpected error
        client = self._client
        try:
            client.check()
            if self._position is not None and time.monotonic() >= self._due:
                self._send(self._position)
        except SimloopError as error:
            client.close()
            self._stopped = str(error)
            self.get_logger().error(f'stopped: {error}; nothing is sent until the service reset')
            self.publish_diagnostics()

    def _send(self, position: Array) -> None:
        last, link = self._last, self._link
        target = (
            self._axes.target(position, link.approach_time, None)
            if last is None
            else self._axes.reachable_target(position, link.move_time, last)
        )
        if last is not None and target.angles == last.angles:
            return
        self._last = target
        self._due = time.monotonic() + link.move_time
        self._work = self._run_client(lambda: self._client.send(target))

    async def _serve_reset(self, _: Any) -> str:
        if not self._stopped:
            raise SimloopError('nothing to reset: the link is not stopped')
        self._count()
        await self._connect()
        if self._client.failure:
            raise SimloopError(str(self._client.failure))
        return 'connected: the first move is slow again'

    def _fault(self) -> str:
        client = self._client
        reason = self._stopped or client.failure  # which may not have been checked yet
        if reason:
            return f'ended while stopped: {reason}'
        if client.connected:
            return ''
        why = f': {client.unreachable}' if client.unreachable else ''
        return f'ended without a connection to {self._address}{why}'

    def _count(self) -> None:
        self._sent += self._client.sent
        self._acknowledged += self._client.acknowledged

    def report(self) -> Report:
        """Return whether the robot follows."""
        client = self._client
        values = {
            'address': self._address,
            'connected': client.connected,
            'sent': self._sent + client.sent,
            'acknowledged': self._acknowledged + client.acknowledged,
            'last error': self._stopped or 'none',
        }
        if self._stopped:
            return Report(
                DiagnosticStatus.ERROR, f'stopped: {self._stopped}: call the service reset', values
            )
        if not client.connected:
            return Report(DiagnosticStatus.WARN, 'connecting', values)
        if self._position is None:
            return Report(DiagnosticStatus.WARN, 'waiting for joint_states', values)
        return Report(DiagnosticStatus.OK, 'following', values)


main = main_of(RobotStudioNode, 'robotstudio')

if __name__ == '__main__':
    raise SystemExit(main())
