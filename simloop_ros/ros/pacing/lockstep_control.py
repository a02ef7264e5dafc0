"""How the control simulation steps in lockstep."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from ...core.values import Array, Setpoint
from ...loop.guarded_control import GuardedControl
from ..messages.joint_state import DecodedJointState
from ..messages.notice import COLLISION
from ..messages.safety_status import SafetyStatus
from ..messages.setpoint import read_setpoint
from ..messages.stamps import stamp_of
from .config import GraphConfig

MAX_AHEAD = 4096
"""Steps from now on whose setpoints are kept."""


class ControlNode(Protocol):
    """The control simulation's node: what is behind its gate, and its outputs."""

    control: GuardedControl

    def command(self, stamp: int, setpoint: Setpoint, age: float = 0.0) -> None:
        """Take a step towards a setpoint and send its effort."""

    def publish_state(self, stamp: int, effort: Array) -> None:
        """Publish the control state and the effort that explains it [N m], ``(n,)``."""

    def stop_robot(self, reason: str) -> None:
        """Stop the robot and announce the reason."""

    def request(self, topic: str, stamp: int) -> None:
        """Request a message, in lockstep."""


class LockstepControl:
    """Takes the setpoint and the joint state whose stamps are due, and no others.

    Setpoints of later steps are kept; when half of what the planner sends at once is left, more
    are requested. Where the monitor recognises loads, a step also waits for its report on the step
    before: control takes a load over from the same step on as in one process.

    :ivar due: stamp of the control state [ns].
    """

    def __init__(self, node: ControlNode, graph: GraphConfig):
        self._node = node
        self._graph = graph
        self._step = 0
        self._commanded = False
        self._ahead: dict[int, Setpoint] = {}
        self._noticed = 0
        self.due = 0

    def begin(self) -> None:
        """Publish the initial control state, so that the planner can begin."""
        if self._step == 0:
            self._node.publish_state(0, np.zeros_like(self._node.control.state.position))

    def desired(self, message: DecodedJointState) -> None:
        """Take a setpoint; step if it is due."""
        if message.stamp == self.due and not self._commanded and self._may_step:
            self._command(read_setpoint(message))
        elif self.due <= message.stamp < self._stamp(self._step + MAX_AHEAD):
            self._ahead[message.stamp] = read_setpoint(message)

    def noticed(self, stamp: int) -> None:
        """Note that the monitor has reported on the step up to a stamp [ns]; step if it is due."""
        if stamp != self.due:
            return
        self._noticed = stamp
        if not self._commanded and stamp in self._ahead:
            self._command(self._ahead.pop(stamp))

    @property
    def _may_step(self) -> bool:
        return not self._graph.loads or self._noticed == self.due

    def measured(self, message: DecodedJointState) -> None:
        """Take the joint state that ends the step, roll back, and go on if that is possible."""
        if not self._commanded or message.stamp != self._stamp(self._step + 1):
            return
        rollback = self._node.control.rollback(message.position)
        self._step += 1
        self.due = message.stamp
        self._commanded = False
        setpoint = self._ahead.pop(self.due, None) if self._may_step else None
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
        desired = () if self.due in self._ahead else (('desired_joint_states', self.due),)
        return desired if self._may_step else (*desired, (COLLISION, self.due))

    def gaps(self) -> Iterable[tuple[str, int]]:
        """Return the setpoint that is due, if later ones are there."""
        waits = not self._commanded and self.due not in self._ahead
        return self.missing() if waits and self._ahead else ()

    def release(self) -> None:
        """Forget the setpoints from before a stop."""
        self._ahead.clear()

    def take_safety(self, status: SafetyStatus) -> None:
        """Do nothing: while the plant is paused there is no step."""

    def report(self) -> dict[str, Any]:
        """Return details for the diagnostics."""
        return {'steps': self._step}

    def _command(self, setpoint: Setpoint) -> None:
        self._commanded = True
        self._node.command(self.due, setpoint)

    def _stamp(self, step: int) -> int:
        return stamp_of(step, self._graph.period)
