"""When a driver gets which command: that of control, or what the robot does by itself."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any, Protocol

from ...core.errors import MessageError, UnsafeCommandError
from ...core.values import Array
from ..messages import effort_command
from ..messages.joint_state import DecodedJointState
from ..messages.stamps import NANO
from .config import GraphConfig
from .driven_robot import DrivenRobot
from .plant_pace import take_plan
from .step_clock import StepClock

PATIENCE = 2
"""Periods without a joint state in which the last command stands: one may be late, and so may this
process."""
LONGEST_END = 5.0
"""Time in which the robot has to come to rest when the process shall end [s]."""


class _DriverNode(Protocol):
    """The node beside the driver."""

    robot: DrivenRobot

    def accepts(self, effort: Array, age: float) -> bool: ...
    def engage(self, reason: str) -> None: ...
    def hold(self, reason: str) -> None: ...


class RealtimeDriver:
    """Hands each command to the driver in its period; the driver's joint states are the steps.

    A command is sent at once if it was computed from the last joint state. An effort stands until
    the next one comes, which has to be there before the next but one state: from then on the
    robot goes on by itself with each state, see ``StoppingRobot``. A command that is late is not
    applied, but its desired position counts. After ``timeout`` periods without a command the robot
    is stopped. Without joint states it goes on by itself, too, as far as its model tells where it
    is, and after as many periods it is stopped.

    Before the first command nothing is sent: the driver still has what it had before. One that
    ``holds`` sends what holds the robot where it is.

    :param timeout: returns the present number of periods after which a node counts as dead.
    :param holds: whether the robot is held from the first joint states on.
    :param clock: returns the time of a steady clock [ns].
    """

    def __init__(
        self,
        node: _DriverNode,
        graph: GraphConfig,
        timeout: Callable[[], int],
        *,
        holds: bool = False,
        clock: Callable[[], int] = time.monotonic_ns,
    ):
        self._node = node
        self._period = graph.period
        self._timeout = timeout
        self._clock = clock
        self._steps = StepClock(graph.period)
        self._stamp = -1  # of the last joint state [ns]
        self._age = 0  # steps since the state that the last command was computed from
        self._silent = 0  # periods since the last joint state
        self._end: int | None = None  # when the process ends, at rest or not [ns]
        self._commanded = self._released = False
        self._holds = holds
        self._late = self._own = self._missed = 0

    def measured(self, message: DecodedJointState) -> None:
        """Take a joint state; if the last command is over, let the robot go on by itself.

        :raises MessageError: its stamp is not after that of the last one.
        """
        robot = self._node.robot
        if message.stamp <= self._stamp and not robot.engaged:
            raise MessageError(
                f'joint_states: stamp {message.stamp} ns is not after {self._stamp} ns'
            )
        self._silent = 0
        periods = self._steps.advance(message.stamp)
        if not periods:
            return  # too early to be a step
        first, self._stamp = self._stamp < 0, message.stamp
        robot.measured(message.position, periods)
        if first or not self._commanded:
            if self._holds and not first:
                self._send(robot.hold)
            return
        self._missed += periods - 1
        self._age += periods
        timeout = self._timeout()
        if self._age >= timeout and not self._released:
            still, reason = robot.stands_still, f'effort_command: no message for {timeout} periods'
            (self._node.hold if still else self._node.engage)(reason)
        if self._age > robot.stands or robot.engaged:
            self._own += 1
            self._send(robot.go_on)

    @property
    def known(self) -> bool:
        """Return whether it is known where the robot is."""
        return self._stamp >= 0

    def command(self, message: DecodedJointState) -> None:
        """Take a command."""
        if message.frame_id == effort_command.STOPPED or self._stamp < 0:
            return  # the robot knows better how to come to rest, or nothing is known of it
        late = (self._stamp - message.stamp) / NANO
        if not self._node.accepts(message.effort, late):
            return
        robot, desired = self._node.robot, effort_command.desired_position(message)
        self._age = max(-1, round(late / self._period))  # it may come before its joint state
        robot.follow(desired, self._age)
        self._commanded, self._released = True, False
        self._late += self._age > 0
        if self._age <= 0 and not robot.engaged:
            self._send(lambda: robot.command(message.effort, desired))

    def desired(self, message: DecodedJointState) -> None:
        """Take a setpoint of the plan: the robot follows it where commands are late."""
        if self._stamp >= 0:
            take_plan(self._node.robot, message, self._stamp, self._period)

    def watch(self) -> None:
        """Let the robot go on if no joint states come; a steady timer calls it once per period."""
        self._silent += 1
        if self._silent <= PATIENCE or not self._commanded:
            return
        timeout = self._timeout()
        if self._silent >= timeout:
            self._node.engage(f'joint_states: no message for {timeout} periods')
        robot, periods = self._node.robot, self._silent if self._silent == PATIENCE + 1 else 1
        self._send(lambda: robot.go_on_unseen(periods))

    def release(self) -> None:
        """Take commands again; until the first one the robot is held."""
        self._released = True
        self._node.robot.release()

    def stand(self) -> None:
        """Ask for no motion: that is what the driver holds from now on."""
        if self._commanded:
            self._node.robot.stand()

    def leave(self) -> bool:
        """Bring the robot to rest, because the process shall end; return whether it may."""
        robot, now = self._node.robot, self._clock()
        if self._end is None:
            still = self.known and robot.stands_still
            (self._node.hold if still else self._node.engage)('the process ends')
            self._end = now + round(LONGEST_END * NANO)
        gone = self._silent >= self._timeout() or now > self._end
        return not self._commanded or robot.let_go() or gone

    def report(self) -> dict[str, Any]:
        """Return details for the diagnostics."""
        return {
            'late commands': self._late,
            'states without a command': self._own,
            'missed states': self._missed,
        }

    def _send(self, call: Callable[[], None]) -> None:
        try:
            call()
        except UnsafeCommandError as error:
            self._node.engage(str(error))
