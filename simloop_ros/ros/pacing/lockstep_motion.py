"""A planner in lockstep: the control state that is due gets its setpoint."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...core.values import NO_INPUTS, JointState, Setpoint
from ...robot.model import RobotModel
from ..messages.joint_state import DecodedJointState
from ..messages.stamps import stamp_of, step_of
from .config import GraphConfig
from .motion_port import MotionPort

MAX_REQUEST_AHEAD = 1000
"""Steps beyond the last one sent that may be requested."""


class LockstepMotion:
    """Answers each control state once its external inputs have come.

    A motion that was planned beforehand and has no external inputs does not depend on the robot:
    until the first stop it is sent ahead as far as the control simulation requests, and control
    states are not needed.

    :ivar answers: number of steps answered.
    :ivar sends_ahead: whether the motion is sent ahead; the node clears it at the first stop.
    """

    def __init__(self, port: MotionPort, graph: GraphConfig, model: RobotModel):
        self._port = port
        self._graph = graph
        self._rest = JointState(model.home, np.zeros(model.n))
        self._pending: DecodedJointState | None = None
        self.answers = 0
        port.guide.plan(model.home)
        self.sends_ahead = not port.inputs.topics and port.guide.planner.open_loop

    def begin(self) -> None:
        """Send the beginning of a motion that is sent ahead."""
        if self.sends_ahead and not self.answers:
            self._send_from(0)

    def state(self, message: DecodedJointState) -> None:
        """Take a control state; answer it if it is due and its inputs have come."""
        hold, guide, inputs = self._port.hold, self._port.guide, self._port.inputs
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
        self._port.send(message.stamp, setpoint)
        inputs.forget_until(message.stamp)

    def add_input(self, topic: str, stamp: int, value: Any) -> None:
        """Take an external input of a step; a control state may wait for it.

        :param stamp: end of the step [ns].
        """
        if self._step(stamp) >= self.answers:
            self._port.inputs.add(topic, stamp, value)
        pending = self._pending
        if pending is not None and pending.stamp == stamp:
            self._pending = None
            self.state(pending)

    def resend(self, stamp: int) -> None:
        """Send a setpoint again; while the robot is held, a request gives the step that is due."""
        if self.sends_ahead:
            self._send_from(stamp)
        elif not self._port.send_again(stamp) and self._port.hold.active:
            self.answers = self._step(stamp)

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return the control state that the next answer needs, or its inputs."""
        if self.sends_ahead:
            return ()
        stamp, pending = stamp_of(self.answers, self._graph.period), self._pending
        if pending is None or pending.stamp != stamp:
            return (('control_state', stamp),)
        return [(topic, stamp) for topic in self._port.inputs.missing(stamp)]

    def _send_from(self, stamp: int) -> None:
        """Send some steps of the motion from a stamp [ns] on; those that were sent, again."""
        first = self._step(stamp)
        if first >= self.answers + MAX_REQUEST_AHEAD:
            return
        end, period = first + self._graph.ahead, self._graph.period
        for step in range(first, min(end, self.answers)):
            self._port.send_again(stamp_of(step, period))
        while self.answers < end:
            self.answers += 1
            setpoint = self._port.guide.setpoint(self._rest, NO_INPUTS)
            self._port.send(stamp_of(self.answers - 1, period), setpoint)

    def _step(self, stamp: int) -> int:
        return step_of(stamp, self._graph.period)
