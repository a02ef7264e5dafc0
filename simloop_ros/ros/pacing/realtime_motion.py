"""A planner in real time: each control state is answered at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...core.values import Array, JointState
from ..messages.joint_state import DecodedJointState
from ..messages.wrists import WRENCHES
from .config import GraphConfig
from .motion_port import BackgroundTask, MotionPort


class RealtimeMotion:
    """Sends setpoints ahead of the robot, or one per control state.

    The motion is planned in the background from where the robot rests, once the control
    simulation has published its safety status, with a recorder once that is ready, and with wrist
    sensors once they have been read. While the robot is held after a stop nothing is sent: the
    control simulation holds it by itself.

    :param runs_ahead: whether setpoints are sent ahead; not where they depend on external inputs.
    :ivar answers: 0: steps are counted in lockstep only.
    :ivar sends_ahead: whether control states are not needed: never.
    :ivar waits_for_wrenches: whether the motion does not begin because of the sensors.
    """

    answers = 0
    sends_ahead = False

    def __init__(self, port: MotionPort, graph: GraphConfig, *, runs_ahead: bool):
        self._port = port
        self._runs_ahead = runs_ahead
        self._needs_wrenches = WRENCHES in port.inputs.topics
        self._ready = not graph.window
        self._stamp = -1
        self._planning: BackgroundTask | None = None
        self._silent = ''
        self.waits_for_wrenches = False

    def begin(self) -> None:
        """Do nothing: the first control state begins the motion."""

    def state(self, message: DecodedJointState) -> None:
        """Take a control state and answer it."""
        hold, guide = self._port.hold, self._port.guide
        if hold.active:
            self._stamp, hold.position = message.stamp, message.position
            return
        if message.stamp <= self._stamp:
            return
        self._stamp = message.stamp
        if guide.start is not None:
            self._answer(message.stamp, JointState(message.position, message.velocity))
        elif hold.control_known and self._ready:
            self._plan(message.position)

    def add_input(self, topic: str, stamp: int, value: Any) -> None:
        """Take an external input; it holds until the next one, see ``InputBuffer``."""
        self._port.inputs.add(topic, stamp, value)

    def recorded(self) -> None:
        """Note that the recorder is ready."""
        self._ready = True

    def resend(self, stamp: int) -> None:
        """Send a setpoint again."""
        self._port.send_again(stamp)

    def missing(self) -> Iterable[tuple[str, int]]:
        """Return nothing: in real time no message is waited for."""
        return ()

    def _answer(self, stamp: int, state: JointState) -> None:
        """Send what is new of the plan.

        :param stamp: of the control state [ns].
        """
        port = self._port
        inputs = port.inputs.at(stamp)
        if self._runs_ahead:
            for point in port.guide.points(stamp, state, inputs):
                port.send(point.stamp, point.setpoint)
            return
        port.send(stamp, port.guide.setpoint(state, inputs))
        if port.inputs.silent != self._silent:
            self._silent = port.inputs.silent
            port.note_silence(self._silent)

    def _plan(self, position: Array) -> None:
        """Plan from where the robot rests [rad], shape ``(n,)``; a later state is answered."""
        guide = self._port.guide
        if self._needs_wrenches:
            self.waits_for_wrenches = self._port.inputs.at(self._stamp).wrenches is None
            if self.waits_for_wrenches:
                return
        if self._planning is None:
            self._planned_from = position
            self._planning = self._port.in_background(lambda: guide.motion_from(position))
        elif self._planning.done():
            guide.take(self._planning.result())
