"""The control simulation with its command gate."""

from __future__ import annotations

import numpy as np

from ..control.control_simulation import ControlSimulation
from ..core.errors import DivergenceError, UnsafeCommandError
from ..core.values import Array, Command, JointState, Rollback, Setpoint
from ..safety.config import SafetyConfig
from ..safety.gate import CommandGate, safe_effort


class GuardedControl:
    """Control that stops instead of sending what the gate refuses.

    While it is stopped, ``step`` gives the stop effort of the configuration, whatever is desired,
    and the control state follows the measured position at rest, so that ``release`` goes on from
    there without a jump.

    :ivar stopped: why it is stopped; empty while it is not.
    :ivar stops: number of stops so far.
    :ivar diverged: whether the last stop was a divergence.
    """

    def __init__(self, control: ControlSimulation, period: float, config: SafetyConfig):
        model = control.model
        self.control = control
        self.stopped = ''
        self.stops = 0
        self.diverged = False
        self._model = model
        self._period = period
        self._command: Command | None = None
        self.configure(config)

    def configure(self, config: SafetyConfig) -> None:
        """Apply another configuration; the next effort is not compared with the last one."""
        model = self._model
        self._stop_kind = config.stop
        self._gate = CommandGate(model.joint_names, model.effort_limit, self._period, config)

    @property
    def state(self) -> JointState:
        """Return the control state."""
        return self.control.state

    def start(self, measured: Array) -> None:
        """Begin at a measured position [rad], shape ``(n,)``, at rest."""
        self.control.start(JointState(measured, np.zeros_like(measured)))
        self._gate.reset()
        self._command = None

    def step(self, setpoint: Setpoint, age: float = 0.0) -> Command:
        """Return the command for the next period, with an effort that is finite, within limits.

        :param age: of the state that it is computed from [s].
        """
        if not self.stopped:
            try:
                command = self.control.step(setpoint)
                self._gate.check(command.effort, age)
                self._command = command
                return command
            except (DivergenceError, UnsafeCommandError) as error:
                self.stop(str(error))
                self.diverged = isinstance(error, DivergenceError)
        still = np.zeros(self._model.n)
        return Command(still, still, self.stop_effort(), False)

    def pass_over(self, desired: Array) -> None:
        """Take a step whose command is not sent: the robot goes on by itself.

        :param desired: position at its end [rad], shape ``(n,)``.
        """
        if not self.stopped and self._command is not None:
            try:
                self._command = self.control.step(Setpoint(desired, np.zeros_like(desired)))
            except DivergenceError as error:
                self.stop(str(error))
                self.diverged = True

    def stop_effort(self) -> Array:
        """Return the effort for a stopped robot [N m], shape ``(n,)``."""
        return safe_effort(self._model, self._stop_kind, self.control.state.position)

    def rollback(self, measured: Array, applied: Array | None = None) -> Rollback:
        """Follow the robot to its measured position [rad], shape ``(n,)``.

        :param applied: effort of this step [N m], shape ``(n,)``, where the robot tells it: the
            command may have come too late.
        """
        if self.stopped or self._command is None:
            self.start(measured)
            return Rollback(self.control.state, self.stop_effort())
        command = self._command
        if applied is not None and not np.array_equal(applied, command.effort):
            command = self.control.applied(command, applied)
        return self.control.rollback(command, measured)

    def stop(self, reason: str) -> None:
        """Stop; the first reason is kept."""
        if not self.stopped:
            self.stopped = reason
            self.stops += 1
            self.diverged = False

    def release(self) -> None:
        """Continue from the present position."""
        self.stopped = ''
        self.start(self.control.state.position)
