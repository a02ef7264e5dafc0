"""The simulated plant behind its gate and its brakes, and the wrench that a user applies."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ...core.errors import MessageError, UnknownNameError
from ...core.values import Array, Disturbance, JointState, Setpoint
from ...plants.plant import Plant
from ...robot.model import RobotModel, wrench_torque
from ...safety.brake import Brake
from ...safety.config import SafetyConfig
from ...safety.follower import EffortFollower
from ...safety.gate import CommandGate
from ..messages.effort_command import AppliedEffort

HOLD_TIME = 0.1
"""Simulated time that a wrench acts after its message [s]."""
WRENCH_LIMIT = 1e4
"""Largest force or torque that is accepted [N, N m]."""


class ExternalWrench:
    """The last wrench and how long it still acts; the period is that of a step [s].

    :ivar link: that is pushed; empty if none is.
    :ivar wrench: force and torque at the link's origin, in its axes [N, N m], shape ``(6,)``.
    """

    def __init__(self, model: RobotModel, period: float):
        self._model = model
        self._data = model.pin_model.createData()
        self._hold_steps = max(1, round(HOLD_TIME / period))
        self._left = 0
        self._frame = 0
        self.link = ''
        self.wrench: Array = np.zeros(6)

    def apply(self, link: str, wrench: Array) -> None:
        """Push a link from now on, for ``HOLD_TIME``.

        :param wrench: at the link's origin, in its axes [N, N m], shape ``(6,)``.
        :raises MessageError: there is no such link, or the wrench is not within the limit.
        """
        try:
            frame = self._model.frame(link)
        except UnknownNameError as error:
            raise MessageError(f'external_wrench: {error}') from error
        if not (np.abs(wrench) <= WRENCH_LIMIT).all():
            raise MessageError(
                f'external_wrench: {wrench.tolist()} is not within {WRENCH_LIMIT:g} N and N m'
            )
        self._frame, self.wrench, self.link = frame, wrench, link
        self._left = self._hold_steps

    def torque(self, q: Array) -> Array | None:
        """Return its torque [N m] at a position [rad], both ``(n,)``; none if no wrench acts."""
        if not self._left:
            self.link = ''
            return None
        self._left -= 1
        local = pin.ReferenceFrame.LOCAL
        model = self._model.pin_model
        return wrench_torque(model, self._data, q, self._frame, self.wrench, local)


class BrakedPlant:
    """A plant that comes to rest instead of applying efforts, from ``engage`` until ``release``.

    Where the motion of the last commands is known and the robot is on it, it follows that to
    rest, see ``EffortFollower``; else its brakes stop it. In the end the brakes hold it.

    :param plant: at rest.
    :param period: length of a step [s].
    :ivar engaged: why the brakes are engaged; empty while they are not.
    :ivar stops: number of times that they were engaged.
    :ivar applied: effort of motors or brakes in the last step [N m], shape ``(n,)``.
    """

    def __init__(self, plant: Plant, model: RobotModel, period: float, safety: SafetyConfig):
        self.plant = plant
        self.wrench = ExternalWrench(model, period)
        self.engaged = ''
        self.stops = 0
        self._model = model
        self._period = period
        self._brake = Brake(model, period, safety)
        self._follower = EffortFollower(model, period, safety)
        self._steps = 0
        self._largest: Array = np.zeros(model.n)
        self.applied: Array = np.zeros(model.n)
        self._untold: list[Array] = []
        self.configure(safety)

    def configure(self, safety: SafetyConfig) -> None:
        """Take over how old a command may be; the next effort is not compared with the last."""
        model = self._model
        self._gate = CommandGate(model.joint_names, model.effort_limit, self._period, safety)

    @property
    def held(self) -> Array | None:
        """Return where the brakes hold the robot [rad], shape ``(n,)``; none while it moves."""
        return self._brake.held if self.engaged else None

    @property
    def effort_share(self) -> float:
        """Return the largest effort so far as a share of its limit, external ones not counted."""
        return float((self._largest / self._model.effort_limit).max())

    def check(self, effort: Array, age: float) -> None:
        """Raise UnsafeCommandError unless an effort, from a state of some age [s], may pass."""
        self._gate.check(effort, age)

    def engage(self, reason: str) -> bool:
        """Engage the brakes; return whether they were not engaged before."""
        if self.engaged:
            return False
        self.engaged = reason
        self.stops += 1
        self._brake.release()
        self._follower.stop(self._steps)
        return True

    def take_applied(self) -> AppliedEffort:
        """Return the mean effort of the steps since the last call."""
        efforts, self._untold = self._untold or [self.applied], []
        mean = efforts[0] if len(efforts) == 1 else np.mean(efforts, axis=0)
        return AppliedEffort(mean, len(efforts))

    def follow(self, desired: Array | None, age: int) -> None:
        """Note where a command shall bring the robot [rad], shape ``(n,)``; none if it floats.

        :param age: steps since the state that it was computed from.
        """
        self._follower.take(self._steps - age, desired)

    def expect(self, setpoint: Setpoint, ahead: float) -> None:
        """Note what is planned for the step that begins some steps from now."""
        if not self.engaged:
            self._follower.plan(self._steps + ahead, setpoint)

    def release(self, fault: str = '') -> None:
        """Release the brakes, unless there is a fault that keeps them engaged."""
        self.engaged = fault
        self._follower.reset()
        self._gate.reset()

    def rest_at(self, position: Array) -> None:
        """Put the robot to rest at a position [rad], shape ``(n,)``."""
        self.plant.start(JointState(position, np.zeros(self._model.n)))
        self._brake.release()
        self._follower.reset()

    def rest_at_home(self) -> None:
        """Put the robot to rest at its home."""
        self.rest_at(self._model.home)

    def step(self, effort: Array | None) -> None:
        """Apply an effort [N m], shape ``(n,)``, for one period.

        Without one the robot follows the motion of the last commands to rest.
        """
        truth = self.plant.truth
        if self.engaged or effort is None:
            effort = self._own_effort(truth)
        else:
            self._follower.learn(truth, effort)
        self._steps += 1
        self.applied = effort
        self._untold.append(effort)
        np.maximum(self._largest, np.abs(effort), out=self._largest)  # keeps a NaN
        self.plant.step(effort, Disturbance(self.wrench.torque(truth.position)))

    def _own_effort(self, state: JointState) -> Array:
        """Return the effort of a robot that is left alone [N m], shape ``(n,)``."""
        step, follower = self._steps, self._follower
        if (
            self._brake.held is None
            and not follower.rests(step)
            and follower.is_close(state, step)
        ):
            return follower.effort(state, step)
        # Friction of the brakes bears the forces of an object between the hands, too.
        report = self.plant.report()
        return self._brake.effort(state, None if report.object is None else report.external)
