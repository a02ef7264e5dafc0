"""The control simulation as a node: desired positions and joint states in, efforts out."""

from __future__ import annotations

from collections.abc import Iterable
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from std_srvs.srv import SetBool

from ..control.config import ControlConfig
from ..control.control_simulation import ControlSimulation
from ..errors import SimloopError
from ..loop.guarded_control import GuardedControl
from ..loop.run import load_fit_robot
from ..model import RobotConfig
from ..ros.block_node import BlockNode, Report
from ..ros.durations import Durations
from ..ros.joint_state import DecodedJointState
from ..ros.process import main_of
from ..ros.qos import LATCHED, STREAM_DEPTH
from ..ros.safety_status import TOPIC, SafetyStatus, from_message, to_message
from ..ros.stamps import NANO
from ..safety.config import SafetyConfig
from ..values import Array

NAME = 'control_simulation'
DEADLINE = 0.9
"""Real time: part of the period after which the planner's answer is not waited for."""
MOST_AHEAD = 4096
"""Desired positions of later steps that are kept."""


class ControlSimulationNode(BlockNode):
    """000, algorithm 2, over topics.

    Lockstep: ``desired_joint_states`` and ``joint_states`` with the stamps that are due make a
    step, others wait or are ignored.

    Real time: each ``joint_states`` begins a step, which the answer of the planner completes; a
    steady timer sees to it that a late answer, a missing state or a dead node is not waited for.
    The first answer of the planner is when control takes over: before, the robot gets no effort.
    """

    SECTIONS = {'robot': RobotConfig, 'control': ControlConfig, 'safety': SafetyConfig}
    LIVE = frozenset({'safety.stop', 'safety.timeout'})

    def build(self) -> None:
        """Create the control simulation behind its gate."""
        model = load_fit_robot(self.config(RobotConfig, 'robot'))
        control = ControlSimulation(
            model, self.config(ControlConfig, 'control'), self.graph.period
        )
        self._control = GuardedControl(
            control, self.graph.period, self.config(SafetyConfig, 'safety')
        )
        realtime = self.graph.realtime
        names = model.joint_names
        self._effort = self.publish_joints(
            'effort_command', names, ('position', 'velocity', 'effort')
        )
        self._state = self.publish_joints(
            'control_state', names, ('position', 'velocity', 'effort')
        )
        self._safety = self.publisher(DiagnosticStatus, TOPIC, LATCHED)
        self.subscription(DiagnosticStatus, TOPIC, self._on_safety, LATCHED)
        self.subscribe_joints(
            'joint_states',
            names,
            ('position',),
            self._measured_now if realtime else self._measured,
            1 if realtime else STREAM_DEPTH,
        )
        self.subscribe_joints(
            'desired_joint_states',
            names,
            ('position',),
            self._desired_now if realtime else self._desired,
        )
        self.service(SetBool, 'stop', self._serve_stop)
        self._step = 0
        self._due = self.stamp(0)
        self._commanded = False
        self._ahead: dict[int, Array] = {}
        self._plant_stopped = ''
        self._clear_realtime(model.home)

    def begin(self) -> None:
        """Say where the simulation is, so that the planner can begin."""
        self._announce()
        if self.graph.realtime:
            self.every(0.25 * self.graph.period, self._watch)
        elif self._step == 0:
            state = self._control.state
            self._state.send(0, state.position, state.velocity, 0.0 * state.position)

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return what the present step waits for."""
        if self._commanded:
            return (('joint_states', self.stamp(self._step + 1)),)
        return (('desired_joint_states', self._due),)

    def gaps(self) -> Iterable[tuple[str, int]]:
        """Return the desired position that is due, if later ones are there."""
        return () if self._commanded or not self._ahead else self.missing()

    # Lockstep

    def _desired(self, message: DecodedJointState) -> None:
        if message.stamp == self._due and not self._commanded:
            self._command(message.position)
        elif message.stamp >= self._due and len(self._ahead) < MOST_AHEAD:
            self._ahead[message.stamp] = message.position

    def _command(self, desired: Array) -> None:
        self._commanded = True
        stops = self._control.stops
        command = self._control.step(desired)
        self._effort.send(self._due, desired, command.velocity, command.effort)
        if self._control.stops != stops:
            self._announce()

    def _measured(self, message: DecodedJointState) -> None:
        if not self._commanded or message.stamp != self.stamp(self._step + 1):
            return
        rollback = self._control.rollback(message.position)
        self._step += 1
        self._due = due = message.stamp
        self._commanded = False
        desired = self._ahead.pop(due, None)
        if desired is not None:
            self._command(desired)  # first: the plant waits for it
            left = len(self._ahead)
            if left == self.graph.ahead // 2:
                self.resend.ask('desired_joint_states', self.stamp(self._step + left + 1))
        self._state.send(due, rollback.state.position, rollback.state.velocity, rollback.effort)

    # Real time

    def _clear_realtime(self, hold: Array) -> None:
        self._stamp = -1
        self._arrival = 0
        self._answered = True
        self._plan_stamp = -1
        self._plan = hold
        self._plan_velocity = 0.0 * hold
        self._desired_arrival = 0
        self._late_desired = 0
        self._missed_states = 0
        self._old_states = 0
        self._reaction = Durations()
        self._interval = Durations()

    def _measured_now(self, message: DecodedJointState) -> None:
        now = time.monotonic_ns()
        if message.stamp <= self._stamp:
            self._old_states += 1
            self.refuse(f'joint_states: stamp {message.stamp} ns is not after {self._stamp} ns')
            return
        if self._stamp >= 0:
            self._interval.add(now - self._arrival)
        effort = self._follow(message)
        state = self._control.state
        self._stamp, self._arrival, self._answered = message.stamp, now, False
        self._state.send(message.stamp, state.position, state.velocity, effort)
        if self._control.stopped:
            self._send_now(state.position)

    def _follow(self, message: DecodedJointState) -> Array:
        """Roll back to a measured position, and return the effort that explains it [N m].

        Periods without a state are taken as even parts of the way; without a command, because
        nobody plans yet, the simulation rests where the robot is.
        """
        if not self._desired_arrival or self._control.stopped:
            self._control.start(message.position)
            return self._control.stop_effort()
        if not self._answered:
            self._go_on()
        periods = max(1, round((message.stamp - self._stamp) / NANO / self.graph.period))
        self._missed_states += periods - 1
        parts = min(periods, self._timeout)
        before = self._control.state.position
        for part in range(1, parts + 1):
            way = message.position - before
            rollback = self._control.rollback(before + part / parts * way)
        return rollback.effort

    def _desired_now(self, message: DecodedJointState) -> None:
        if message.stamp <= self._plan_stamp:
            return
        between = (message.stamp - self._plan_stamp) / NANO
        if self._desired_arrival and between < self._timeout * self.graph.period:
            self._plan_velocity = (message.position - self._plan) / between
        self._plan, self._plan_stamp = message.position, message.stamp
        on_time = message.stamp == self._stamp and not self._answered
        if on_time or self._desired_arrival:  # control takes over with an answer in time
            self._desired_arrival = time.monotonic_ns()
        if on_time:
            self._send_now(message.position)
        elif self._desired_arrival:
            self._late_desired += 1

    def _go_on(self) -> None:
        """Take a step without the planner's answer: on from its last one, at the same speed."""
        since = (self._stamp - self._plan_stamp) / NANO
        self._send_now(self._plan + since * self._plan_velocity)

    def _send_now(self, desired: Array) -> None:
        now = time.monotonic_ns()
        self._answered = True
        stops = self._control.stops
        command = self._control.step(desired, (now - self._arrival) / NANO)
        self._effort.send(self._stamp, desired, command.velocity, command.effort)
        self._reaction.add(time.monotonic_ns() - self._arrival)
        if self._control.stops != stops:
            self._announce()

    @property
    def _timeout(self) -> int:
        return self.config(SafetyConfig, 'safety').timeout

    def _watch(self) -> None:
        """Do what a message should have done that did not come in time."""
        if not self._desired_arrival:
            return
        now, period = time.monotonic_ns(), self.graph.period * NANO
        if not self._answered and now - self._arrival > DEADLINE * period:
            self._go_on()
        if now - self._arrival > self._timeout * period:
            self._stop(f'joint_states: nothing for {self._timeout} periods')
        elif now - self._desired_arrival > self._timeout * period:
            self._stop(f'desired_joint_states: nothing for {self._timeout} periods')
        if self._control.stopped and now - self._arrival > period:
            position = self._control.state.position
            self._effort.send(self._stamp, position, 0.0 * position, self._control.stop_effort())

    # Stop and release

    def _stop(self, reason: str) -> None:
        if not self._control.stopped:
            self._control.stop(reason)
            self._announce()

    def _announce(self) -> None:
        control = self._control
        if control.stopped:
            self.get_logger().error(f'stopped: {control.stopped}', throttle_duration_sec=0.1)
        self._safety.publish(
            to_message(
                SafetyStatus(
                    self.get_name(),
                    control.stopped,
                    control.stops,
                    control.diverged,
                    self._stamp if self.graph.realtime else self._due,
                )
            )
        )

    def _on_safety(self, message: DiagnosticStatus) -> None:
        status = from_message(message)
        if self.active and status and status.source != self.get_name():
            self._plant_stopped = status.stopped
            if status.stopped:
                self._stop(f'{status.source}: {status.stopped}')

    def _serve_stop(self, request: Any) -> str:
        if request.data:
            self._stop('asked for by service')
            return f'stopped: {self._control.stopped}'
        if not self._control.stopped:
            raise SimloopError('not stopped')
        if self.graph.realtime and time.monotonic_ns() - self._arrival > (
            self._timeout * self.graph.period * NANO
        ):
            raise SimloopError('joint_states: none that is fresh; the robot has to be there first')
        self._control.release()
        self._ahead.clear()
        self._effort.forget()
        self._plan_velocity = 0.0 * self._plan_velocity
        self._desired_arrival = 0
        self._announce()
        return 'released: the robot stays where it is until motion_planner/start'

    def report(self) -> Report:
        """Return whether the robot is stopped, and how timely everything is."""
        control = self._control
        values: dict[str, Any] = {
            'effort limit applied [steps]': control.control.saturations,
            'steps': control.control.steps,
            'stops': control.stops,
        }
        if self.graph.realtime:
            values |= {
                'missed states': self._missed_states,
                'stale states': self._old_states,
                'late desired positions': self._late_desired,
                **self._reaction.summary('reaction'),
                **self._interval.summary('interval of states'),
            }
        if control.stopped:
            return Report(DiagnosticStatus.ERROR, f'stopped: {control.stopped}', values)
        return Report(DiagnosticStatus.OK, 'running', values)


main = main_of(ControlSimulationNode, NAME)

if __name__ == '__main__':
    raise SystemExit(main())
