"""How the plant steps: in lockstep, or at its own rate in real time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import math
import time
from typing import Any, Protocol

from ...core.errors import SimloopError, UnsafeCommandError
from ...core.values import Array
from ...safety.stopping_robot import StoppingRobot
from ..messages import effort_command
from ..messages.joint_state import DecodedJointState
from ..messages.setpoint import LONGEST_LEAD, read_setpoint
from ..messages.stamps import NANO, stamp_of, step_of
from .braked_plant import BrakedPlant
from .config import GraphConfig
from .durations import Durations
from .position_stream import PositionStream

ROUNDING = 1e-6
"""Share of a period that a step may be early: its time is not exact in floating point."""
MAX_CATCH_UP = 100
"""Steps that are caught up with at once; after a longer pause time goes on from there."""


class _PlantNode(Protocol):
    """The plant's node: the plant behind gate and brakes, its commands and its outputs."""

    plant: BrakedPlant

    def accepts(self, effort: Array, age: float) -> bool: ...
    def publish(self, stamp: int) -> None: ...
    def engage(self, reason: str) -> None: ...


class LockstepPlant:
    """Applies the command whose stamp is due for one period, and no other.

    With a recorder, ``graph.window`` is the number of steps that the plant may be ahead of it.

    :ivar started: whether the robot's position is known: always, in lockstep.
    """

    started = True

    def __init__(self, node: _PlantNode, graph: GraphConfig):
        self._node = node
        self._graph = graph
        self._due = 0
        self._allowed: float = 0 if graph.window else math.inf
        self._pending: Array | None = None
        self.steps = 0
        self.paused = False

    def begin(self) -> None:
        """Publish the initial state."""
        if self.steps == 0:
            self._node.publish(0)

    def command(self, message: DecodedJointState) -> None:
        """Take a command; step if it is due."""
        due = message.stamp == self._due and self._pending is None
        if due and self._node.accepts(message.effort, 0.0):
            self._pending = message.effort
            self._advance()

    def recorded(self, stamp: int) -> None:
        """Allow the steps of the recorder's window, from a stamp not recorded yet [ns] on."""
        step = step_of(stamp, self._graph.period)
        if step <= self.steps:  # a later one cannot have been recorded
            self._allowed = max(self._allowed, step + self._graph.window)
            self._advance()

    def pause(self, paused: bool) -> None:
        """Stop stepping, or continue."""
        self.paused = paused
        self._advance()

    def step_once(self) -> None:
        """Take one step while the plant is paused, if its command has come."""
        if self._pending is None:
            raise SimloopError('no command has come for the next step yet')
        self.pause(False)
        self.paused = True

    def rest(self) -> str:
        """Put the robot to rest at its home; return what was done."""
        self._node.plant.rest_at_home()
        return 'the robot rests at its home'

    def release(self) -> None:
        """Release the brakes."""
        self._node.plant.release()

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return the command that is due; while the plant is paused, nothing."""
        if self.paused or self._pending is not None:
            return ()
        return (('effort_command', self._due),)

    @property
    def waits_for_recorder(self) -> bool:
        """Return whether a command waits because the recorder lags behind, or for a pause."""
        return self._pending is not None

    def report(self) -> dict[str, Any]:
        """Return details for the diagnostics."""
        return {}

    def _advance(self) -> None:
        """Take the step that is due, unless the plant is paused or ahead of the recorder."""
        if self._pending is None or self.paused or self.steps >= self._allowed:
            return
        effort, self._pending = self._pending, None
        self._node.plant.step(effort)
        self.steps += 1
        self._due = stamp_of(self.steps, self._graph.period)
        self._node.publish(self._due)


class RealtimePlant:
    """Applies each command in its period; ``tick`` is called by a steady timer.

    Before the first command the robot rests. A command that is late was computed for a state that
    is over: its effort is not applied, and the robot follows the plan from the last command on,
    see ``EffortFollower``. After ``timeout`` periods without a command it is stopped. With a
    ``stream`` the plant is the surrogate of a real robot: it begins where that one is, and brakes
    when that one does not follow.

    :param timeout: returns the present number of periods after which control counts as dead.
    :param clock: returns the time of a steady clock [ns].
    """

    waits_for_recorder = False

    def __init__(
        self,
        node: _PlantNode,
        graph: GraphConfig,
        timeout: Callable[[], int],
        stream: PositionStream | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
    ):
        self._node = node
        self._period = graph.period
        self._timeout = timeout
        self._stream = stream
        self._clock = clock
        self._effort: Array | None = None
        self._commanded = False
        self._due = 0  # step that the effort is for
        self._periods = 0  # since the last command
        self._late = self._missed = self._last_tick = 0
        self._interval = Durations()
        self.steps = 0
        self.paused = False
        self.started = stream is None

    def begin(self, stamp: int) -> None:
        """Start the steps now; the present state has this stamp [ns]."""
        self._origin = self._clock() - self._elapsed
        self._first_stamp = stamp - self._elapsed

    @property
    def stamp(self) -> int:
        """Return the stamp of the present state [ns]."""
        return self._first_stamp + self._elapsed

    @property
    def _elapsed(self) -> int:
        return stamp_of(self.steps, self._period)

    def command(self, message: DecodedJointState) -> None:
        """Take a command."""
        if message.frame_id == effort_command.STOPPED:
            return  # the robot knows better how to come to rest
        late = self.stamp - message.stamp
        if self._node.accepts(message.effort, late / NANO):
            age = round(late / NANO / self._period)
            self._effort = message.effort
            self._due = self.steps - age
            self._node.plant.follow(effort_command.desired_position(message), age)
            self._periods = 0
            self._commanded = True

    def desired(self, message: DecodedJointState) -> None:
        """Take a setpoint of the plan: the robot follows it where commands are late."""
        take_plan(self._node.plant, message, self.stamp, self._period)

    def tick(self) -> None:
        """Take the step that is due, and those that were missed: a robot would not have waited."""
        now = self._clock()
        if self._last_tick:
            self._interval.add(now - self._last_tick)
        self._last_tick = now
        if self.paused or not self._has_started():
            self._origin = now - self._elapsed
            return
        due = int((now - self._origin) / NANO / self._period + ROUNDING) - self.steps
        self._missed += max(0, due - 1)
        for _ in range(min(due, MAX_CATCH_UP)):
            self._step()
        if due > MAX_CATCH_UP:
            self._origin = now - self._elapsed
        if due > 0:
            self._node.publish(self.stamp)
            if self._stream:
                self._send_position(self._stream, due)

    def pause(self, paused: bool) -> None:
        """Hold the time of the simulated robot, or continue from the same moment."""
        if paused and self._stream:
            raise SimloopError('the real robot cannot be paused: call control_simulation/stop')
        self.paused = paused

    def step_once(self) -> None:
        """Take one step while the plant is paused."""
        self._node.plant.step(self._effort)
        self.steps += 1
        self._node.publish(self.stamp)

    def rest(self) -> str:
        """Put the robot to rest at its home, or where the real one is; return what was done."""
        plant, stream = self._node.plant, self._stream
        if stream is None:
            plant.rest_at_home()
        elif stream.begin() and stream.start is not None:
            plant.rest_at(stream.start)
        else:
            raise SimloopError('the position of the robot is unknown, or beyond its range')
        self._node.publish(self.stamp)  # control must not go on from the position before
        return f'the robot rests {"at its home" if stream is None else "where the real one is"}'

    def release(self) -> None:
        """Release the brakes, unless the real robot does not follow."""
        self._effort = None
        self._node.plant.release(self._stream.fault(0, self._timeout()) if self._stream else '')

    def report(self) -> dict[str, Any]:
        """Return details for the diagnostics."""
        return {
            'late commands': self._late,
            'missed periods': self._missed,
            **self._interval.summary('period'),
            **({'positions sent to the robot': self._stream.sent} if self._stream else {}),
        }

    def _has_started(self) -> bool:
        """Return whether the robot's position is known; a surrogate is put there first."""
        if not self.started and self._stream and self._stream.start is not None:
            self._node.plant.rest_at(self._stream.start)
            self.started = True
        return self.started

    def _step(self) -> None:
        """Take a step; before the first command the robot rests, and external wrenches wait."""
        if self._commanded:
            if self._effort is not None:
                self._periods += 1
                timeout = self._timeout()
                if self._periods >= timeout:
                    self._node.engage(f'effort_command: no message for {timeout} periods')
            fresh = self._due == self.steps
            self._late += not fresh
            self._node.plant.step(self._effort if fresh else None)
        else:
            self._node.plant.wait()
        self.steps += 1

    def _send_position(self, stream: PositionStream, periods: int) -> None:
        fault = stream.fault(periods, self._timeout())
        if fault:
            self._node.engage(fault)
        plant = self._node.plant
        if self._commanded:
            held = plant.held
            try:
                position = plant.plant.truth.position if held is None else held
                stream.send(self.stamp, position, periods)
            except UnsafeCommandError as error:
                self._node.engage(str(error))


def take_plan(robot: StoppingRobot, message: DecodedJointState, stamp: int, period: float) -> None:
    """Let a robot whose present state has a stamp [ns] expect a setpoint; the period is in s."""
    ahead = (message.stamp - stamp) / NANO
    if abs(ahead) <= LONGEST_LEAD:
        robot.expect(read_setpoint(message), ahead / period)
