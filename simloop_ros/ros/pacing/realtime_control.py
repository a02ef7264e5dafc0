"""The control simulation in real time: the robot does not wait."""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any

import numpy as np

from ...core.errors import MessageError, SimloopError
from ...core.values import Array, Setpoint
from ..messages.joint_state import DecodedJointState
from ..messages.setpoint import read_setpoint
from ..messages.stamps import NANO
from ..node.config import GraphConfig
from .control_port import ControlPort
from .durations import Durations
from .plan import Plan, PlanPoint
from .step_clock import StepClock

WATCH = 0.5
"""Time between two looks at the deadlines, as part of the period."""
MARGIN = 0.75
"""Periods that are left of a node's timeout for the stop to reach everybody."""
BEGINNING = 1.5
"""Periods beyond the joint states within which a plan begins: later points of one that nobody
heard the beginning of would be a leap."""
FARTHEST = 100
"""Periods beyond the joint states for which a desired position may be planned."""


class RealtimeControl:
    """Each joint state is a step, which is answered at once.

    Nobody is waited for: the planner sends its desired positions ahead, and where they end the
    motion goes on at the same speed. Control takes over with the first joint state that the plan
    has a position for: before, the robot gets no effort, and after a release it is held where a
    new joint state finds it, for as long as the planner needs. ``watch``, called by a steady
    timer, stops the robot when a node has been silent for ``timeout`` periods.

    :param timeout: tells the present number of periods after which a node counts as dead.
    :param clock: tells the time of a steady clock [ns].
    :ivar due: stamp of the control state [ns].
    """

    def __init__(
        self,
        port: ControlPort,
        graph: GraphConfig,
        timeout: Callable[[], int],
        clock: Callable[[], int] = time.monotonic_ns,
    ):
        self._port = port
        self._period = graph.period * NANO
        self._timeout = timeout
        self._clock = clock
        self._steps = StepClock(graph.period)
        self._plan = Plan()
        self._beyond = 0
        self._missed_states = 0
        self._stale_states = 0
        self._reaction = Durations()
        self._interval = Durations()
        self.begin()

    def begin(self) -> None:
        """Start anew: wait for a joint state and the planner's answer to it."""
        self.due = -1
        self._arrival = 0
        self._heard = 0
        self._grip_from: int | None = None
        self._plan.clear()
        self._steps.restart()

    @property
    def fresh(self) -> bool:
        """Return whether the last joint state is recent enough to go on from."""
        return self._clock() - self._arrival <= self._timeout() * self._period

    def measured(self, message: DecodedJointState) -> None:
        """Take a joint state: roll back, send the next effort and tell the planner.

        While the robot is stopped every stamp is taken: one from far ahead must not stay the last.

        :raises MessageError: its stamp is not after that of the last one.
        """
        now = self._clock()
        control = self._port.control
        if message.stamp <= self.due and not control.stopped:
            self._stale_states += 1
            raise MessageError(
                f'joint_states: stamp {message.stamp} ns is not after {self.due} ns'
            )
        if self.due >= 0:
            self._interval.add(now - self._arrival)
        effort = self._follow(message.position, self._steps.advance(message.stamp))
        self.due, self._arrival = message.stamp, now
        if self._grip_from is not None and now >= self._grip_from:
            self._grip_from = None
            if not self._plan:
                self._plan.hold(self._steps.time, message.position)
        wanted = self._resting() if control.stopped else self._plan.at(self._steps.time)
        if wanted is not None:
            self._send(wanted)
        self._port.tell_state(message.stamp, effort)

    def desired(self, message: DecodedJointState) -> None:
        """Take a desired position of the planner, for a step that may be still to come.

        :raises MessageError: it is for a step that is long over, or far ahead.
        """
        if self._port.control.stopped:
            return
        ahead = (message.stamp - self.due) / self._period
        if not -self._timeout() <= ahead <= FARTHEST:
            raise MessageError(
                f'desired_joint_states: stamp {message.stamp} ns is {ahead:.3g} periods from that '
                f'of the last joint state; {-self._timeout()} to {FARTHEST} are allowed'
            )
        if not self._heard and ahead > BEGINNING:
            return
        self._heard = self._clock()
        self._plan.add(PlanPoint(message.stamp, read_setpoint(message)))

    def watch(self) -> None:
        """Stop the robot if somebody has been silent for too long."""
        if not self._plan:
            return
        now, timeout = self._clock(), self._timeout()
        longest = (timeout - MARGIN) * self._period
        if now - self._arrival > longest:
            self._port.stop_robot(f'joint_states: nothing for {timeout} periods')
        elif self._heard and now - self._heard > longest:
            self._port.stop_robot(f'desired_joint_states: nothing for {timeout} periods')
        if self._port.control.stopped and now - self._arrival > self._period:
            self._port.command(self.due, self._resting())

    def release(self) -> None:
        """Hold the robot where it is, until the planner answers.

        What was sent before may still be on its way. So the position is that of a joint state
        which comes a period later, and the rest of an earlier plan is not heard.

        :raises SimloopError: the robot does not tell where it is.
        """
        if not self.fresh:
            raise SimloopError('joint_states: none that is fresh; the robot has to be there first')
        self._heard = 0
        self._grip_from = self._clock() + round(self._period)
        self._plan.clear()

    def report(self) -> dict[str, Any]:
        """Return details for the diagnostics."""
        return {
            'missed states': self._missed_states,
            'stale states': self._stale_states,
            'steps beyond the plan': self._beyond,
            **self._reaction.summary('reaction'),
            **self._interval.summary('interval of states'),
        }

    def _follow(self, position: Array, periods: int) -> Array:
        """Roll back to a measured position, and return the effort that explains it [N m].

        In periods without a state the robot kept its last effort; their positions are even parts
        of the way. Without a command, because nobody plans yet or the robot is stopped, the
        simulation rests where the robot is.

        :param periods: since the last state.
        """
        control = self._port.control
        self._missed_states += periods - 1
        parts = min(periods, self._timeout())
        before = control.state.position
        for part in range(1, parts):
            control.rollback(before + part / parts * (position - before))
            wanted = self._plan.at(self._steps.time - round((parts - part) * self._period))
            if wanted is not None and wanted.effort is None:
                control.pass_over(wanted.position)
        return control.rollback(position).effort

    def _resting(self) -> Setpoint:
        """Return the wish to stay: a stopped robot gets the stop effort anyway."""
        position = self._port.control.state.position
        return Setpoint(position, np.zeros_like(position))

    def _send(self, wanted: Setpoint) -> None:
        if self._heard and self._steps.time - self._plan.end > 1.5 * self._period:
            self._beyond += 1
        self._port.command(self.due, wanted, (self._clock() - self._arrival) / NANO)
        self._reaction.add(self._clock() - self._arrival)
