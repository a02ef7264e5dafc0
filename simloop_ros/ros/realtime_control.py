"""The control simulation in real time: the robot does not wait."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any

import numpy as np

from ..errors import MessageError, SimloopError
from ..values import Array
from .config import GraphConfig
from .control_port import ControlPort
from .durations import Durations
from .joint_state import DecodedJointState
from .stamps import NANO

DEADLINE = 0.9
"""Part of the period after which the planner's answer is not waited for."""
WATCH = 0.25
"""Time between two looks at the deadlines, as part of the period."""
MARGIN = 0.75
"""Periods that are left of a node's timeout for the stop to reach everybody."""


class RealtimeControl:
    """Each joint state begins a step, which the planner's answer to it completes.

    ``watch``, called by a steady timer, does what a message should have done that did not come in
    time: without an answer the step goes on from the last one, at the same speed; without any
    message of a node for ``timeout`` periods the robot is stopped. Control takes over with the
    first answer of the planner that comes in time: before, the robot gets no effort, and after a
    release it is held where it was, for as long as the planner needs.

    :param timeout: tells the present number of periods after which a node counts as dead.
    :ivar due: stamp of the control state [ns].
    """

    def __init__(self, port: ControlPort, graph: GraphConfig, timeout: Callable[[], int]):
        self._port = port
        self._period = graph.period
        self._timeout = timeout
        self._late_answers = 0
        self._missed_states = 0
        self._stale_states = 0
        self._reaction = Durations()
        self._interval = Durations()
        self.begin()

    def begin(self) -> None:
        """Start anew: wait for a joint state and the planner's answer to it."""
        self.due = -1
        self._arrival = 0
        self._answered = True
        self._plan: Array = np.zeros_like(self._port.control.state.position)
        self._plan_velocity = self._plan
        self._plan_stamp = -1
        self._heard = 0
        self._hold: Array | None = None

    @property
    def fresh(self) -> bool:
        """Return whether the last joint state is recent enough to go on from."""
        return time.monotonic_ns() - self._arrival <= self._timeout() * self._period * NANO

    def measured(self, message: DecodedJointState) -> None:
        """Take a joint state: roll back and tell the planner.

        While the robot is stopped every stamp is taken: one from far ahead must not stay the last.

        :raises MessageError: its stamp is not after that of the last one.
        """
        now = time.monotonic_ns()
        if message.stamp <= self.due and not self._port.control.stopped:
            self._stale_states += 1
            raise MessageError(
                f'joint_states: stamp {message.stamp} ns is not after {self.due} ns'
            )
        if self.due >= 0:
            self._interval.add(now - self._arrival)
        effort = self._follow(message)
        self.due, self._arrival, self._answered = message.stamp, now, False
        self._port.tell_state(message.stamp, effort)
        if self._port.control.stopped:
            self._send(message.position)
        elif self._hold is not None:
            self._send(self._hold)

    def desired(self, message: DecodedJointState) -> None:
        """Take an answer of the planner: step if it is in time, else keep it to go on from.

        :raises MessageError: it answers a state that is still to come.
        """
        if message.stamp > self.due:
            raise MessageError(
                f'desired_joint_states: stamp {message.stamp} ns is after {self.due} ns'
            )
        if message.stamp <= self._plan_stamp:
            return
        between = (message.stamp - self._plan_stamp) / NANO
        if self._heard and between < self._timeout() * self._period:
            self._plan_velocity = (message.position - self._plan) / between
        self._plan, self._plan_stamp = message.position, message.stamp
        fresh = message.stamp == self.due
        in_time = fresh and not self._answered
        if in_time or self._heard or (fresh and self._hold is not None):
            self._heard = time.monotonic_ns()
            self._hold = None
        if in_time:
            self._send(message.position)
        elif self._heard:
            self._late_answers += 1

    def watch(self) -> None:
        """See to it that nothing is waited for too long."""
        if not self._heard and self._hold is None:
            return
        now, period = time.monotonic_ns(), self._period * NANO
        if not self._answered and now - self._arrival > DEADLINE * period:
            self._go_on()
        timeout = self._timeout()
        longest = (timeout - MARGIN) * period
        if now - self._arrival > longest:
            self._port.stop_robot(f'joint_states: nothing for {timeout} periods')
        elif self._heard and now - self._heard > longest:
            self._port.stop_robot(f'desired_joint_states: nothing for {timeout} periods')
        if self._port.control.stopped and now - self._arrival > period:
            self._port.command(self.due, self._port.control.state.position)

    def release(self) -> None:
        """Hold the robot where it is until the planner answers.

        :raises SimloopError: the robot does not tell where it is.
        """
        if not self.fresh:
            raise SimloopError('joint_states: none that is fresh; the robot has to be there first')
        self._plan_velocity = np.zeros_like(self._plan_velocity)
        self._heard = 0
        self._hold = self._port.control.state.position

    def report(self) -> dict[str, Any]:
        """Return details for the diagnostics."""
        return {
            'missed states': self._missed_states,
            'stale states': self._stale_states,
            'late desired positions': self._late_answers,
            **self._reaction.summary('reaction'),
            **self._interval.summary('interval of states'),
        }

    def _follow(self, message: DecodedJointState) -> Array:
        """Roll back to a measured position, and return the effort that explains it [N m].

        Periods without a state are taken as even parts of the way. Without a command, because
        nobody plans yet or the robot is stopped, the simulation rests where the robot is.
        """
        control = self._port.control
        if control.stopped or not (self._heard or self._hold is not None):
            control.start(message.position)
            self._plan_stamp = -1
            return control.stop_effort()
        if not self._answered:
            self._go_on()
        periods = max(1, round((message.stamp - self.due) / NANO / self._period))
        self._missed_states += periods - 1
        parts = min(periods, self._timeout())
        before = control.state.position
        way = message.position - before
        for part in range(1, parts):
            control.rollback(before + part / parts * way)
        return control.rollback(message.position).effort

    def _go_on(self) -> None:
        """Take a step without the planner's answer: on from its last one, at the same speed."""
        since = (self.due - self._plan_stamp) / NANO
        self._send(self._plan + since * self._plan_velocity)

    def _send(self, desired: Array) -> None:
        self._answered = True
        self._port.command(self.due, desired, (time.monotonic_ns() - self._arrival) / NANO)
        self._reaction.add(time.monotonic_ns() - self._arrival)
