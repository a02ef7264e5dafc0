"""How a planner answers control states: in lockstep, or at once in real time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import time
from typing import Any, Protocol

import numpy as np
import scipy.interpolate  # noqa: F401 - now, and not in the thread that plans while a robot moves

from ...assembly.motion import Motion
from ...core.errors import SimloopError
from ...core.values import NO_INPUTS, Array, JointState, Setpoint
from ...robot.model import RobotModel
from ...safety.config import SafetyConfig
from ..messages.joint_state import DecodedJointState
from ..messages.stamps import NANO, stamp_of, step_of
from ..messages.wrists import WRENCHES
from .config import GraphConfig
from .input_buffer import InputBuffer
from .lateness_watch import LatenessWatch
from .motion_guide import MotionGuide
from .motion_hold import MotionHold

MAX_STEP = 1.5
"""Time between two control states, or torques, that is one step [periods]; more is a gap."""
MAX_REQUEST_AHEAD = 1000
"""Steps beyond the last one sent that may be requested."""


class _MotionNode(Protocol):
    """A planner's node: its motion, its inputs and its outputs."""

    guide: MotionGuide
    inputs: InputBuffer
    hold: MotionHold

    def send(self, stamp: int, setpoint: Setpoint) -> None: ...
    def send_again(self, stamp: int) -> bool: ...
    def in_background(self, call: Callable[[], Any]) -> Any: ...
    def note_silence(self, topic: str) -> None: ...
    def note_lateness(self, lateness: LatenessWatch) -> None: ...
    def stop_robot(self, reason: str) -> None: ...


class _MotionPace:
    def __init__(self, node: _MotionNode):
        self._node = node

    async def plan(self, start: Array) -> Motion:
        """Return the motion from a position [rad], shape ``(n,)``, or raise GoalError."""
        return self._node.guide.motion_from(start)

    async def start(self) -> str:
        """Go on to the goal, after a stop or a reaction to a collision; return what was done."""
        guide, hold = self._node.guide, self._node.hold
        if guide.reaction and not hold.active:
            if not guide.resume():
                raise SimloopError('the robot is not at rest yet: it is stopped, try again')
            return 'going on to the goal'
        motion = await self.plan(hold.start_position())
        if hold.stopped or hold.position is None:
            raise SimloopError('the robot was stopped in the meantime')
        guide.take(motion)
        hold.release()
        return 'planned the way to the goal'


class LockstepMotion(_MotionPace):
    """Answers each control state once its external inputs have come.

    A motion that was planned beforehand and has no external inputs does not depend on the robot:
    until the first stop it is sent ahead as far as the control simulation requests, and control
    states are not needed.

    :ivar answers: number of steps answered.
    :ivar sends_ahead: whether the motion is sent ahead; the node clears it at the first stop.
    """

    def __init__(self, node: _MotionNode, graph: GraphConfig, model: RobotModel):
        super().__init__(node)
        self._graph = graph
        self._rest = JointState(model.home, np.zeros(model.n))
        self._pending: DecodedJointState | None = None
        self.answers = 0
        node.guide.plan(model.home)
        self.sends_ahead = not node.inputs.topics and node.guide.planner.open_loop

    def begin(self) -> None:
        """Send the beginning of a motion that is sent ahead."""
        if self.sends_ahead and not self.answers:
            self._send_from(0)

    def state(self, message: DecodedJointState) -> None:
        """Take a control state; answer it if it is due and its inputs have come."""
        hold, guide, inputs = self._node.hold, self._node.guide, self._node.inputs
        step = self._step(message.stamp)
        if hold.active:
            self.answers = step if hold.position is None else self.answers
        elif step == self.answers == 0 and (message.position != guide.start).any():
            guide.plan(message.position)
        if step != self.answers:
            return
        if inputs.missing(message.stamp):
            self._pending = message
            return
        self.answers = step + 1
        if hold.active and (hold.stopped or hold.position is None):
            hold.position = message.position
        if hold.position is not None:
            setpoint = Setpoint(hold.position, np.zeros_like(hold.position))
        else:
            state = JointState(message.position, message.velocity)
            setpoint = guide.setpoint(state, inputs.at(message.stamp))
        self._node.send(message.stamp, setpoint)
        inputs.forget_until(message.stamp)

    def add_input(self, topic: str, stamp: int, value: Any) -> None:
        """Take an input of the step that ends at a stamp [ns]; a control state may wait for it."""
        if self._step(stamp) >= self.answers:
            self._node.inputs.add(topic, stamp, value)
        pending = self._pending
        if pending is not None and pending.stamp == stamp:
            self._pending = None
            self.state(pending)

    def resend(self, stamp: int) -> None:
        """Send a setpoint again; while the robot is held, a request gives the step that is due."""
        if self.sends_ahead:
            self._send_from(stamp)
        elif not self._node.send_again(stamp) and self._node.hold.active:
            self.answers = self._step(stamp)

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return the control state that the next answer needs, or its inputs."""
        if self.sends_ahead:
            return ()
        stamp, pending = stamp_of(self.answers, self._graph.period), self._pending
        if pending is None or pending.stamp != stamp:
            return (('control_state', stamp),)
        return [(topic, stamp) for topic in self._node.inputs.missing(stamp)]

    def report(self) -> dict[str, Any]:
        """Return details for the diagnostics."""
        return {'answers': self.answers}

    def _send_from(self, stamp: int) -> None:
        """Send some steps of the motion from a stamp [ns] on; those that were sent, again."""
        first = self._step(stamp)
        if first >= self.answers + MAX_REQUEST_AHEAD:
            return
        end, period = first + self._graph.ahead, self._graph.period
        for step in range(first, min(end, self.answers)):
            self._node.send_again(stamp_of(step, period))
        while self.answers < end:
            self.answers += 1
            setpoint = self._node.guide.setpoint(self._rest, NO_INPUTS)
            self._node.send(stamp_of(self.answers - 1, period), setpoint)

    def _step(self, stamp: int) -> int:
        return step_of(stamp, self._graph.period)


class RealtimeMotion(_MotionPace):
    """Sends setpoints ahead of the robot, or one per control state.

    The motion is planned in the background from where the robot rests, once the control
    simulation has published its safety status, with a recorder once that is ready, and with wrist
    sensors once they have been read. While the robot is held after a stop nothing is sent: the
    control simulation holds it by itself.

    The lateness of the control states is watched: beyond what the motion bears it goes slower,
    gives way less to a hand, and comes to rest, see ``LatenessWatch``.

    :param runs_ahead: whether setpoints are sent ahead; not where they depend on external inputs.
    :param safety: what is done about lateness, and how fast.
    :param clock: returns the time of a steady clock [ns].
    :ivar waits_for_wrenches: whether the motion does not begin because of the sensors.
    """

    answers = 0
    sends_ahead = False

    def __init__(
        self,
        node: _MotionNode,
        graph: GraphConfig,
        *,
        runs_ahead: bool,
        safety: SafetyConfig,
        clock: Callable[[], int] = time.monotonic_ns,
    ):
        super().__init__(node)
        self._period = graph.period
        self.lateness = LatenessWatch(node.guide.bearable_delay, graph.period, safety, clock)
        self._runs_ahead = runs_ahead
        self._needs_wrenches = WRENCHES in node.inputs.topics
        self._ready = not graph.window
        self._stamp = -1
        self._planning: Any = None
        self._silent = ''
        self.waits_for_wrenches = False

    def begin(self) -> None:
        """Do nothing: the first control state begins the motion."""

    def state(self, message: DecodedJointState) -> None:
        """Take a control state and answer it."""
        hold, guide, inputs = self._node.hold, self._node.guide, self._node.inputs
        expected = guide.expects_torques and not inputs.silent
        held = inputs.held(message.stamp) if expected else 0
        if hold.pauses():
            self.lateness.skip()
        if hold.active:
            self.lateness.restart()
        elif self.lateness.take(message.stamp, held):
            guide.adapt(self.lateness.level)
            self._node.note_lateness(self.lateness)
        if self.lateness.rested(at_once=guide.expects_torques):
            self._node.stop_robot(str(self.lateness))
        if hold.active:
            self._stamp, hold.position = message.stamp, message.position
            return
        if message.stamp <= self._stamp:
            return
        gap = (message.stamp - self._stamp) / NANO
        self._stamp = message.stamp
        if guide.start is not None:
            self._answer(message.stamp, JointState(message.position, message.velocity), gap)
        elif hold.control_known and self._ready:
            self._plan_first(message.position)

    def add_input(self, topic: str, stamp: int, value: Any) -> None:
        """Take an external input; it holds until the next one, see ``InputBuffer``."""
        self._node.inputs.add(topic, stamp, value)

    async def plan(self, start: Array) -> Motion:
        """Return the motion from a position to the goal, planned in the background."""
        motion: Motion = await self._node.in_background(
            lambda: self._node.guide.motion_from(start)
        )
        return motion

    async def start(self) -> str:
        """Go on to the goal, as planned: how late it was before does not count."""
        self._node.guide.adapt(self.lateness.level)
        return await super().start()

    def recorded(self) -> None:
        """Note that the recorder is ready."""
        self._ready = True

    def resend(self, stamp: int) -> None:
        """Send a setpoint again."""
        self._node.send_again(stamp)

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return nothing: in real time no message is waited for."""
        return ()

    def report(self) -> dict[str, Any]:
        """Return details for the diagnostics."""
        return {'lateness': f'{self.lateness}: {self.lateness.level.name}'}

    def _answer(self, stamp: int, state: JointState, gap: float) -> None:
        """Answer the control state with a stamp [ns], some time [s] after the one before."""
        node = self._node
        inputs = node.inputs.at(stamp)
        if self._runs_ahead:
            for point in node.guide.points(stamp, state, inputs):
                node.send(point.stamp, point.setpoint)
            return
        if gap > MAX_STEP * self._period:
            node.guide.pass_over(gap, state, inputs)
        held = node.inputs.held(stamp)
        late = not node.inputs.silent and held > MAX_STEP * self._period * NANO
        setpoint = node.guide.step_without_torque(state, inputs) if late else None
        node.send(stamp, setpoint or node.guide.setpoint(state, inputs))
        for point in node.guide.predicted(stamp):
            node.send(point.stamp, point.setpoint)
        if node.inputs.silent != self._silent:
            self._silent = node.inputs.silent
            node.note_silence(self._silent)

    def _plan_first(self, position: Array) -> None:
        """Plan from where the robot rests [rad], shape ``(n,)``; a later state is answered."""
        guide = self._node.guide
        if self.lateness.refusal:
            self._node.stop_robot(self.lateness.refusal)
            return
        if self._needs_wrenches:
            self.waits_for_wrenches = self._node.inputs.at(self._stamp).wrenches is None
            if self.waits_for_wrenches:
                return
        if self._planning is None:
            if guide.bearable_delay.damping > 1.0:
                self._node.note_lateness(self.lateness)
            self._planning = self._node.in_background(lambda: guide.motion_from(position))
        elif self._planning.done():
            guide.take(self._planning.result())
