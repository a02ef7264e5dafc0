"""A robot that stops by itself when its commands stop, or are not what it may get."""

from __future__ import annotations

from ..core.values import Array, JointState, Setpoint
from ..robot.model import RobotModel
from .brake import Brake
from .config import SafetyConfig
from .follower import EffortFollower
from .gate import CommandGate


class StoppingRobot:
    """What is between the commands and a robot: gate, follower and brakes.

    Where the motion of the last commands is known and the robot is on it, it follows that to
    rest, see ``EffortFollower``; else its brakes stop it. In the end the brakes hold it. A robot
    that is stopped does as ``safety.stop`` says.

    :param period: length of a step [s].
    :ivar engaged: why it takes no efforts, from ``engage`` until ``release``; else empty.
    :ivar stops: number of times that it was engaged.
    """

    def __init__(self, model: RobotModel, period: float, safety: SafetyConfig):
        self.engaged = ''
        self.stops = 0
        self._model = model
        self._period = period
        self._brake = Brake(model, period, safety)
        self._follower = EffortFollower(model, period, safety)
        self._steps = 0
        self._followed = -2  # last step in which it followed by itself
        self.configure(safety)

    def configure(self, safety: SafetyConfig) -> None:
        """Take over which commands may pass, and how to stop.

        The next effort is not compared with the last.
        """
        model = self._model
        self._gate = CommandGate(model.joint_names, model.effort_limit, self._period, safety)
        self._stop = safety.stop
        self._brake.latches = safety.stop != 'damp'

    @property
    def held(self) -> Array | None:
        """Return where the brakes hold the robot [rad], shape ``(n,)``; none while it moves."""
        return self._brake.held if self.engaged else None

    def check(self, effort: Array, age: float) -> None:
        """Raise UnsafeCommandError unless an effort, from a state of some age [s], may pass."""
        self._gate.check(effort, age)

    @property
    def destination(self) -> Array | None:
        """Return where a robot that is left alone shall be after a period [rad], ``(n,)``.

        None where that is not known: the brakes stop it somewhere.
        """
        return self._follower.destination(self._steps) if self._brake.held is None else self.held

    def wait(self, periods: int = 1) -> None:
        """Let periods pass."""
        self._steps += periods

    def nearest(self, effort: Array) -> Array:
        """Return what may pass and is nearest to an effort [N m], both ``(n,)``."""
        return self._gate.nearest(effort)

    def engage(self, reason: str) -> bool:
        """Take no efforts from now on; return whether it took them before."""
        if self.engaged:
            return False
        self.engaged = reason
        self.stops += 1
        self._brake.release()
        self._follower.stop(self._steps)
        return True

    def follow(self, desired: Array | None, age: int) -> None:
        """Note where a command shall bring the robot [rad], shape ``(n,)``; none if it floats.

        A robot that is stopped goes on to rest, whatever it is told.

        :param age: steps since the state that it was computed from.
        """
        if not self.engaged:
            self._follower.take(self._steps - age, desired)

    def expect(self, setpoint: Setpoint, ahead: float) -> None:
        """Note what is planned for the step that begins some steps from now."""
        if not self.engaged:
            self._follower.plan(self._steps + ahead, setpoint)

    def release(self, fault: str = '') -> None:
        """Take efforts again, unless there is a fault."""
        self.engaged = fault
        self._follower.reset()
        self._gate.reset()

    def learn(self, state: JointState, effort: Array) -> None:
        """Note the effort of the last command, which takes the robot from a state."""
        self._brake.release()  # it is on its way again: what held it is over
        self._follower.learn(state, effort)

    def own_effort(self, state: JointState, external: Array | None = None) -> Array:
        """Return the effort of a robot that is left alone [N m], shape ``(n,)``.

        :param external: torque that the brakes compensate, where it is known [N m], ``(n,)``.
        """
        step, follower = self._steps, self._follower
        follows = self._followed == step - 1
        along = self._brake.held is None and not (self.engaged and self._stop != 'path')
        if along and follower.is_close(state, step, follows=follows):
            if not follower.rests(step):
                self._followed = step
                return follower.effort(state, step)
            rest = follower.destination(step)
            if rest is not None and (external is None or follower.bears):
                # What bears a hand or an object goes on: else the robot would give way.
                self._brake.latch(rest, follower.load(step))
        return self._brake.effort(state, external)
