"""How the control simulation steps: in lockstep, or in real time, when the robot does not wait."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
import time
from typing import Any, Protocol

import numpy as np

from ...collision.gaps import filled
from ...control.bumpless import BumplessReference
from ...core.errors import MessageError, SimloopError
from ...core.values import Array, Setpoint
from ...loop.guarded_control import GuardedControl
from ...maths.plan import Plan, PlanPoint
from ...safety.config import SafetyConfig
from ..messages.effort_command import AppliedEffort, applied_effort
from ..messages.joint_state import DecodedJointState
from ..messages.setpoint import LONGEST_LEAD, read_setpoint
from ..messages.stamps import NANO, stamp_of
from .config import GraphConfig
from .delay_meter import Backlog
from .durations import Durations
from .step_clock import StepClock

MAX_AHEAD = 4096
"""Steps from now on whose setpoints are kept."""
MAX_PLAN_AGE = 1.5
"""Age of a plan's last point up to which it holds [periods]: a planner that answers each state
sends its setpoint one period later."""
WATCH_SHARE = 0.5
"""Time between two checks of the deadlines, as a share of the period."""
STOP_MARGIN = 0.75
"""Periods of a node's timeout that are left for the stop to reach all nodes."""
MAX_FIRST_LEAD = 1.5
"""Periods beyond the joint states within which a plan has to begin: the later points of a plan
whose beginning was lost would be a jump."""
WAITING = 4.0
"""Time without any joint state after which that is told, and again after twice the time [s]."""


class _ControlNode(Protocol):
    """The control simulation's node: what is behind its gate, and its outputs."""

    control: GuardedControl

    def command(self, stamp: int, setpoint: Setpoint, age: float = 0.0) -> None: ...
    def publish_state(self, stamp: int, effort: Array) -> None: ...
    def stop_robot(self, reason: str) -> None: ...
    def request(self, topic: str, stamp: int) -> None: ...


class LockstepControl:
    """Takes the setpoint and the joint state whose stamps are due, and no others.

    Setpoints of later steps are kept; when half of what the planner sends at once is left, more
    are requested.

    :ivar due: stamp of the control state [ns].
    """

    def __init__(self, node: _ControlNode, graph: GraphConfig):
        self._node = node
        self._graph = graph
        self._step = 0
        self._commanded = False
        self._ahead: dict[int, Setpoint] = {}
        self.due = 0

    def begin(self) -> None:
        """Publish the initial control state, so that the planner can begin."""
        if self._step == 0:
            self._node.publish_state(0, np.zeros_like(self._node.control.state.position))

    def desired(self, message: DecodedJointState) -> None:
        """Take a setpoint; step if it is due."""
        if message.stamp == self.due and not self._commanded:
            self._command(read_setpoint(message))
        elif self.due <= message.stamp < self._stamp(self._step + MAX_AHEAD):
            self._ahead[message.stamp] = read_setpoint(message)

    def measured(self, message: DecodedJointState) -> None:
        """Take the joint state that ends the step, roll back, and go on if that is possible."""
        if not self._commanded or message.stamp != self._stamp(self._step + 1):
            return
        rollback = self._node.control.rollback(message.position)
        self._step += 1
        self.due = message.stamp
        self._commanded = False
        setpoint = self._ahead.pop(self.due, None)
        if setpoint is not None:
            self._command(setpoint)  # first: the plant waits for it
            left = len(self._ahead)
            if left == self._graph.ahead // 2:
                self._node.request('desired_joint_states', self._stamp(self._step + left + 1))
        self._node.publish_state(self.due, rollback.effort)

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return what the present step waits for."""
        if self._commanded:
            return (('joint_states', self._stamp(self._step + 1)),)
        return (('desired_joint_states', self.due),)

    def gaps(self) -> Iterable[tuple[str, int]]:
        """Return the setpoint that is due, if later ones are there."""
        return () if self._commanded or not self._ahead else self.missing()

    def release(self) -> None:
        """Forget the setpoints from before a stop."""
        self._ahead.clear()

    def report(self) -> dict[str, Any]:
        """Return details for the diagnostics."""
        return {'steps': self._step}

    def _command(self, setpoint: Setpoint) -> None:
        self._commanded = True
        self._node.command(self.due, setpoint)

    def _stamp(self, step: int) -> int:
        return stamp_of(step, self._graph.period)


class RealtimeControl:
    """Each joint state is a step, which is answered at once.

    Control waits for no message: the planner sends its setpoints ahead, and where they end the
    motion goes on as the robot does that gets no command, see ``Plan``. After a gap the reference
    goes on from where it was, see ``BumplessReference``. Control starts with the first joint state
    that the plan has a setpoint for: before, the robot gets no effort, and after a release it is
    held at the position of a new joint state, for as long as the planner needs. ``watch``, called
    by a steady timer, stops the robot when a node has sent nothing for ``safety.timeout`` periods.

    :param safety: returns the present configuration.
    :param clock: returns the time of a steady clock [ns].
    :ivar due: stamp of the control state [ns].
    """

    def __init__(
        self,
        node: _ControlNode,
        graph: GraphConfig,
        safety: Callable[[], SafetyConfig],
        clock: Callable[[], int] = time.monotonic_ns,
    ):
        self._node = node
        self._h = graph.period
        self._period = graph.period * NANO
        self._safety = safety
        self._clock = clock
        self._steps = StepClock(graph.period)
        self._plan = Plan()
        self._reference = BumplessReference(graph.period)
        self._beyond = 0
        self._breaks = 0
        self._missed_states = 0
        self._stale_states = 0
        self._reaction_time = Durations()
        self._interval = Durations()
        self.begin()

    def begin(self) -> None:
        """Start: wait for a joint state and the planner's answer to it."""
        self.due = -1
        self._begin, self._told = self._clock(), WAITING
        self._arrival = 0
        self._backlog = Backlog(self._h)
        self._planner_arrival = 0
        self._hold_from: int | None = None
        self._planned_at = -1  # stamp of the setpoint that the last one followed from [ns]
        self._plan.clear()
        self._reference.reset()
        self._steps.restart()

    def _timeout(self) -> int:
        return self._safety().timeout_periods(self._h)

    @property
    def fresh(self) -> bool:
        """Return whether the last joint state is recent enough to go on from."""
        return self._clock() - self._arrival <= self._timeout() * self._period

    def measured(self, message: DecodedJointState) -> None:
        """Take a joint state: roll back, send the next effort, publish the control state.

        When too many have waited the twin takes them all, but only the last one is answered.

        While the robot is stopped every stamp is accepted: one from far ahead must not block.

        :raises MessageError: its stamp is not after that of the last one.
        """
        now = self._clock()
        control = self._node.control
        if message.stamp <= self.due and not control.stopped:
            self._stale_states += 1
            raise MessageError(
                f'joint_states: stamp {message.stamp} ns is not after {self.due} ns'
            )
        if self.due >= 0:
            self._interval.add(now - self._arrival)
        applied = applied_effort(message)
        periods = self._steps.advance(message.stamp)
        effort = self._follow(message.position, applied, periods)
        self.due, self._arrival = message.stamp, now
        if self._hold_from is not None and now >= self._hold_from:
            self._hold_from = None
            if not self._plan:
                self._plan.hold(self._steps.time, message.position)
        if control.stopped:
            self._backlog = Backlog(self._h)
        setpoint = self._resting() if control.stopped else self._setpoint_at(self._steps.time)
        if self._backlog.grows(message.stamp, now):
            if setpoint is not None and setpoint.effort is None:
                control.pass_over(setpoint.position)
            return
        if setpoint is not None:
            self._send(setpoint)
        self._node.publish_state(message.stamp, effort)

    def desired(self, message: DecodedJointState) -> None:
        """Take a setpoint for a present or later step, or raise MessageError."""
        if self._node.control.stopped:
            return
        ahead = (message.stamp - self.due) / self._period
        most = LONGEST_LEAD / self._h
        if not -self._timeout() <= ahead <= most:
            raise MessageError(
                f'desired_joint_states: stamp {message.stamp} ns is {ahead:.3g} periods from that '
                f'of the last joint state; {-self._timeout()} to {most:g} are allowed'
            )
        if not self._planner_arrival and ahead > MAX_FIRST_LEAD:
            return
        self._plan.add(PlanPoint(message.stamp, read_setpoint(message)))
        self._planner_arrival = self._clock()

    def watch(self) -> None:
        """Stop the robot if a node has sent nothing for too long."""
        if not self._plan:
            return
        now, timeout = self._clock(), self._timeout()
        longest = (timeout - STOP_MARGIN) * self._period
        if now - self._arrival > longest:
            self._node.stop_robot(f'joint_states: no message for {timeout} periods')
        elif self._planner_arrival and now - self._planner_arrival > longest:
            self._node.stop_robot(f'desired_joint_states: no message for {timeout} periods')
        if self._node.control.stopped and now - self._arrival > self._period:
            self._node.command(self.due, self._resting())

    def waited(self) -> float:
        """Return for how long no joint state has come [s], if it is time to tell; else 0."""
        waited = (self._clock() - self._begin) / NANO
        if self.due >= 0 or waited < self._told:
            return 0.0
        self._told = 2.0 * waited
        return waited

    def release(self) -> None:
        """Hold the robot where it is, until the planner answers.

        Efforts that were sent before may still be on their way. So the position is that of a
        joint state which comes a period later, and the rest of an earlier plan is ignored.

        :raises SimloopError: the last joint state is too old.
        """
        if not self.fresh:
            raise SimloopError('joint_states: no recent one; the robot has to publish them first')
        self._planner_arrival = 0
        self._hold_from = self._clock() + round(self._period)
        self._plan.clear()
        self._reference.reset()

    def report(self) -> dict[str, Any]:
        """Return details for the diagnostics."""
        return {
            'missed states': self._missed_states,
            'stale states': self._stale_states,
            'steps beyond the plan': self._beyond,
            'breaks of the reference': self._breaks,
            **self._reaction_time.summary('reaction'),
            **self._interval.summary('interval of states'),
        }

    def _follow(self, position: Array, applied: AppliedEffort, periods: int) -> Array:
        """Roll back to a measured position, and return the effort that explains it [N m].

        In periods without a state the robot went on by itself, as ``EffortFollower`` does: the
        twin, too. Their positions are interpolated. Without a command, because there is no plan
        yet or the robot is stopped, the simulation rests where the robot is.

        :param applied: by the robot.
        :param periods: since the last state.
        """
        control = self._node.control
        self._missed_states += periods - 1
        parts = min(periods, self._timeout())
        if parts > 1:
            last = control.state.position
            before = last - self._h * control.state.velocity
            passed = filled(before, last, position, parts)
            steps = zip(passed, self._passed_over(parts), strict=True)
            for i, (measured, desired) in enumerate(steps, 1):
                control.rollback(measured, applied.in_step(parts - i))
                if desired is not None:
                    control.pass_over(desired)
        return control.rollback(position, applied.in_step(0)).effort

    def _passed_over(self, parts: int) -> Iterator[Array | None]:
        """Yield the desired position of each period without a state [rad], shape ``(n,)``.

        :param parts: periods since the last state.
        """
        for part in range(1, parts):
            late = round((parts - part) * self._period)
            setpoint = self._setpoint_at(self._steps.time - late)
            known = setpoint is not None and setpoint.effort is None
            yield setpoint.position if setpoint is not None and known else None

    def _setpoint_at(self, stamp: int) -> Setpoint | None:
        """Return the setpoint of the step that begins at a stamp [ns]; none before the plan."""
        plan, stop_time = self._plan, self._safety().stop_time
        plan.forget(stamp)
        setpoint = plan.at(stamp, stop_time)
        if setpoint is None:
            return None
        if setpoint.follows:
            return Setpoint(self._node.control.state.position, setpoint.velocity, restart=True)
        again, self._planned_at = plan.last == self._planned_at, plan.last
        if setpoint.effort is None and plan.age(stamp) > MAX_PLAN_AGE * self._period:
            if stamp <= plan.end:
                return self._reference.predict(setpoint, again=again)
            coasting = self._reference.coast(stop_time)
            return setpoint if coasting is None else coasting
        self._breaks += self._reference.coasts
        return self._reference.step(setpoint)

    def _resting(self) -> Setpoint:
        """Return the present position: a stopped robot gets the stop effort anyway."""
        position = self._node.control.state.position
        return Setpoint(position, np.zeros_like(position))

    def _send(self, setpoint: Setpoint) -> None:
        if (
            self._planner_arrival
            and self._plan.age(self._steps.time) > MAX_PLAN_AGE * self._period
        ):
            self._beyond += 1
        self._node.command(self.due, setpoint, (self._clock() - self._arrival) / NANO)
        self._reaction_time.add(self._clock() - self._arrival)
