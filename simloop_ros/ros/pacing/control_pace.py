"""How the control simulation steps in real time, when the robot does not wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import time
from typing import Any

import numpy as np

from ...collision.gaps import filled
from ...control.bumpless import BumplessReference
from ...control.soft_start import SoftStart
from ...core.errors import MessageError, SimloopError, UnsafeCommandError
from ...core.values import Array, Setpoint
from ...maths.plan import Plan, PlanPoint
from ...safety.config import SafetyConfig
from ...safety.setpoint_gate import SetpointGate
from ...safety.state_rate import StateRate
from ..messages.effort_command import AppliedEffort, applied_effort
from ..messages.joint_state import DecodedJointState
from ..messages.safety_status import PLANT, SafetyStatus
from ..messages.setpoint import LONGEST_LEAD, read_setpoint
from ..messages.stamps import NANO
from .config import GraphConfig
from .delay_meter import Backlog
from .durations import Durations
from .lockstep_control import ControlNode
from .start_report import StartReport
from .step_clock import StepClock

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


class RealtimeControl:
    """Each joint state is a step, which is answered at once.

    Control waits for no message: the planner sends its setpoints ahead, and where they end the
    motion goes on as the robot does that gets no command, see ``Plan``. After a gap the reference
    goes on from where it was, see ``BumplessReference``. Control starts with the first joint state
    that the plan has a setpoint for: before, the robot gets no effort, and after a release it is
    held at the position of a new joint state, for as long as the planner needs. ``watch``, called
    by a steady timer, stops the robot when a node has sent nothing for ``safety.timeout`` periods.
    Nothing begins before the rate of the joint states is measured and right, and the robot is
    stopped when it is wrong later. While a simulated plant is paused nothing is awaited.

    :param safety: returns the present configuration.
    :param clock: returns the time of a steady clock [ns].
    :ivar due: stamp of the control state [ns].
    """

    def __init__(
        self,
        node: ControlNode,
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
        self._soft_start = SoftStart(graph.period)
        self._gate = SetpointGate(node.control.model, graph.period, safety())
        self._rate = StateRate(graph.period, safety().rate_tolerance)
        self._beyond = 0
        self._breaks = 0
        self._missed_states = 0
        self._stale_states = 0
        self._reaction_time = Durations()
        self._interval = Durations()
        self._paused = False
        self.begin()

    def begin(self) -> None:
        """Start: wait for a joint state and the planner's answer to it."""
        self.due = -1
        self._start = StartReport(self._clock)
        self._ready = False  # whether the rate of the states was right before the first command
        self._rate.reset()
        self._took_over = False
        self._soft_start.reset()
        self._gate.reset()
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
        self._rate.add(message.stamp, applied.steps)
        periods = self._steps.advance(message.stamp)
        if not periods:
            self._arrival = now
            return  # too early to be a step
        effort = self._follow(message.position, applied, periods)
        self.due, self._arrival = message.stamp, now
        if self._hold_from is not None and now >= self._hold_from:
            self._hold_from = None
            if not self._plan:
                self._plan.hold(self._steps.time, message.position)
        self._ready = self._ready or self._rate.right
        if not self._ready:
            return
        if not control.stopped:
            self._check(message.position)
        if control.stopped or self._paused:
            self._backlog = Backlog(self._h)
        if not control.stopped:
            self._take_over(self._steps.time)
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
        setpoint = read_setpoint(message)
        self._plan.add(PlanPoint(message.stamp, setpoint))
        self._node.control.expect(setpoint, ahead)
        self._planner_arrival = self._clock()

    def watch(self) -> None:
        """Stop the robot if a node has sent nothing for too long."""
        if not self._plan or self._paused:
            return
        now, timeout = self._clock(), self._timeout()
        longest = (timeout - STOP_MARGIN) * self._period
        if now - self._arrival > longest:
            self._node.stop_robot(f'joint_states: no message for {timeout} periods')
        elif self._planner_arrival and now - self._planner_arrival > longest:
            self._node.stop_robot(f'desired_joint_states: no message for {timeout} periods')
        if self._node.control.stopped and now - self._arrival > self._period:
            self._node.command(self.due, self._resting(), (now - self._arrival) / NANO)

    def noticed(self, stamp: int) -> None:
        """Do nothing: nobody waits for the monitor."""

    def take_safety(self, status: SafetyStatus) -> None:
        """Take the status of another node: whether the plant is paused."""
        if status.source == PLANT and status.paused != self._paused:
            self._paused = status.paused
            self._arrival = self._clock()
            self._planner_arrival = self._arrival if self._planner_arrival else 0
            self._backlog = Backlog(self._h)

    def tell(self, topic: str, info: Callable[[str], Any], error: Callable[[str], Any]) -> None:
        """Tell why nothing begins; the topic is that of the joint states."""
        if refusal := self._start.new_refusal(self.refusal):
            error(f'not started: {refusal}')
        if self.due < 0 and (waited := self._start.waited()):
            info(f'waiting for {topic} from the driver of the robot, {waited:.0f} s already')

    @property
    def refusal(self) -> str:
        """Return why the robot is not controlled at all; empty if it is, or nothing is wrong."""
        return '' if self._ready else self._rate.fault

    def release(self) -> None:
        """Hold the robot where it is, until the planner answers.

        Efforts that were sent before may still be on their way. So the position is that of a
        joint state which comes a period later, and the rest of an earlier plan is ignored.

        :raises SimloopError: the last joint state is too old, or their rate is wrong.
        """
        if not self.fresh:
            raise SimloopError('joint_states: no recent one; the robot has to publish them first')
        if self._rate.fault:
            raise SimloopError(self._rate.fault)
        self._planner_arrival = 0
        self._hold_from = self._clock() + round(self._period)
        self._plan.clear()
        self._reference.reset()
        self._soft_start.reset()
        self._gate.reset()

    def report(self) -> dict[str, Any]:
        """Return details for the diagnostics."""
        return {
            'paused': self._paused,
            'missed states': self._missed_states,
            'stale states': self._stale_states,
            'steps beyond the plan': self._beyond,
            'breaks of the reference': self._breaks,
            'limited setpoints': self._gate.limited,
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

    def _check(self, position: Array) -> None:
        """Stop a robot whose states have a wrong rate, or that does not follow.

        :param position: of the robot [rad], shape ``(n,)``.
        """
        try:
            self._gate.check_tracking(position)
        except UnsafeCommandError as error:
            self._node.stop_robot(str(error))
        if self._rate.fault:
            self._node.stop_robot(self._rate.fault)

    def _take_over(self, stamp: int) -> None:
        """Begin softly at a stamp [ns], if the plan asks for too much at once."""
        first = None if self._took_over else self._plan.at(stamp, self._safety().stop_time)
        if first is None:
            return
        self._took_over = True
        control, h = self._node.control, round(self._period)
        if first.is_path and control.first_effort(first) > self._safety().first_effort:
            later = (self._plan.at(stamp + k * h, self._safety().stop_time) for k in range(3))
            planned = [each.position for each in later if each is not None]
            self._soft_start.begin(stamp, control.state.position, planned)

    def _setpoint_at(self, stamp: int) -> Setpoint | None:
        """Return the setpoint of the step that begins at a stamp [ns]; none before the plan."""
        setpoint = self._reference_at(stamp)
        if setpoint is None:
            return None
        position = self._node.control.state.position
        return self._gate.let_pass(self._soft_start.add(stamp, setpoint), position)

    def _reference_at(self, stamp: int) -> Setpoint | None:
        """Return the setpoint of the plan at a stamp [ns], without its jumps."""
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
        """Return where a stopped robot comes to rest: it gets the effort for that anyway."""
        position = self._node.control.rest
        return Setpoint(position, np.zeros_like(position))

    def _send(self, setpoint: Setpoint) -> None:
        if (
            self._planner_arrival
            and self._plan.age(self._steps.time) > MAX_PLAN_AGE * self._period
        ):
            self._beyond += 1
        self._node.command(self.due, setpoint, (self._clock() - self._arrival) / NANO)
        self._reaction_time.add(self._clock() - self._arrival)
        self._node.control.lead(setpoint)
