"""The control simulation with its command gate."""

from __future__ import annotations

import numpy as np

from ..control.control_simulation import ControlSimulation
from ..core.errors import DivergenceError, UnsafeCommandError
from ..core.values import Array, Command, JointState, Rollback, Setpoint
from ..safety.config import SafetyConfig
from ..safety.gate import gravity_effort
from ..safety.stopping_robot import StoppingRobot

PATIENCE = 3.0
"""Age of a state up to which a robot is braked from it [periods]: what braked it then would push
it now. Beyond, it gets the gravity of its last position, which asks for no motion."""


class GuardedControl:
    """Control that stops the robot instead of sending what the gate refuses.

    While it is stopped, ``step`` gives the effort that brings the robot to rest, whatever is
    desired, see ``StoppingRobot``; the control state follows the robot meanwhile. ``release`` goes
    on from where it is, at rest.

    :ivar model: of the robot.
    :ivar diverged: whether the last stop was a divergence.
    """

    def __init__(self, control: ControlSimulation, period: float, config: SafetyConfig):
        self.control = control
        self.diverged = False
        self.model = control.model
        self._period = period
        self._robot = StoppingRobot(control.model, period, config)
        self._command: Command | None = None

    def configure(self, config: SafetyConfig) -> None:
        """Apply another configuration; the next effort is not compared with the last one."""
        self._robot.configure(config)

    @property
    def stopped(self) -> str:
        """Return why it is stopped; empty while it is not."""
        return self._robot.engaged

    @property
    def stops(self) -> int:
        """Return the number of stops so far."""
        return self._robot.stops

    @property
    def state(self) -> JointState:
        """Return the control state."""
        return self.control.state

    @property
    def rest(self) -> Array:
        """Return where a stopped robot shall be after a period [rad], shape ``(n,)``."""
        rest = self._robot.destination
        return self.control.state.position if rest is None else rest

    def start(self, measured: Array) -> None:
        """Begin at a measured position [rad], shape ``(n,)``, at rest."""
        self.control.start(JointState(measured, np.zeros_like(measured)))
        self._command = None

    def step(self, setpoint: Setpoint, age: float = 0.0) -> Command:
        """Return the command for the next period, with an effort that is finite, within limits.

        :param age: of the state that it is computed from [s].
        """
        if not self.stopped:
            try:
                command = self.control.step(setpoint)
                self._robot.check(command.effort, age)
                self._command = command
                return command
            except (DivergenceError, UnsafeCommandError) as error:
                self.stop(str(error))
                self.diverged = isinstance(error, DivergenceError)
        self._command = self._stop_command(age)
        return self._command

    def first_effort(self, setpoint: Setpoint) -> float:
        """Return what a setpoint would ask for beyond gravity, as a share of the effort limits."""
        before = self.control.snapshot()
        try:
            effort = self.control.step(setpoint).effort
        except DivergenceError:
            return np.inf
        finally:
            self.control.restore(before)
        beyond = effort - gravity_effort(self.model, self.control.state.position)
        return float((np.abs(beyond) / self.model.effort_limit).max())

    def expect(self, setpoint: Setpoint, ahead: float) -> None:
        """Note what is planned for the step that begins some steps from now, for a stop."""
        self._robot.expect(setpoint, ahead)

    def lead(self, setpoint: Setpoint) -> None:
        """Note where the last command leads the robot, for a stop along its way."""
        if not self.stopped and self._command is not None:
            self._robot.follow(None if setpoint.effort is not None else setpoint.position, 0)
            self._robot.learn(self.control.state, self._command.effort)

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

    def rollback(self, measured: Array, applied: Array | None = None) -> Rollback:
        """Follow the robot to its measured position [rad], shape ``(n,)``.

        :param applied: effort of this step [N m], shape ``(n,)``, where the robot tells it: the
            command may have come too late.
        """
        if self._command is None:
            self.start(measured)
            return Rollback(self.control.state, gravity_effort(self.model, measured))
        self._robot.wait()
        command = self._command
        if applied is not None and not np.array_equal(applied, command.effort):
            command = self.control.applied(command, applied)
        if self.stopped:
            return self._follow_stopped(command, measured)
        return self.control.rollback(command, measured)

    def stop(self, reason: str) -> None:
        """Stop; the first reason is kept."""
        if self._robot.engage(reason):
            self.diverged = False

    def release(self) -> None:
        """Continue from the present position."""
        self._robot.release()
        self.start(self.control.state.position)

    @np.errstate(over='ignore', invalid='ignore')
    def _follow_stopped(self, command: Command, measured: Array) -> Rollback:
        """Follow the robot, whatever numbers its position has [rad], shape ``(n,)``."""
        rollback = self.control.rollback(command, measured)
        if np.isfinite(rollback.state.velocity).all():
            return rollback
        self.control.start(JointState(measured, np.zeros_like(measured)))
        return Rollback(self.control.state, gravity_effort(self.model, measured))

    @np.errstate(over='ignore', invalid='ignore')
    def _stop_command(self, age: float) -> Command:
        """Return the command that brings the robot to rest, from a state of some age [s]."""
        still, state = np.zeros(self.model.n), self.control.state
        if age > PATIENCE * self._period:
            effort = gravity_effort(self.model, state.position)
        else:
            effort = self._robot.own_effort(state)
        command = Command(still, still, self._robot.nearest(effort), False)
        return self.control.applied(command, command.effort)
