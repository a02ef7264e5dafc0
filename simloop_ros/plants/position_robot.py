"""A robot that takes positions only, with its own servo, and its surrogate: 001, figure 4."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.state import Remembering
from ..core.values import UNDISTURBED, Array, Disturbance, JointState, PlantReport
from ..robot.model import RobotModel
from .config import Servo
from .plant import Plant
from .wrapper import PlantWrapper

MAX_SERVO_GAIN = 0.5
"""Product of bandwidth and physics step beyond which the sampled servo would oscillate."""


class PositionRobot(Remembering):
    """Joints that follow commanded positions, stiffly.

    A command arrives every period. The servo goes there in a straight line and, in each physics
    step, computes a torque from its own, exact model, motors of inertia ``B`` included. It knows
    neither friction nor external torques, under which it yields as a spring of ``(M + B) w^2``::

        a   = a_c + w^2 (q_c - q) + 2 w (v_c - v)
        tau = clip((M + B) a + nle(q, v), effort limits)

    :ivar plant: the robot inside, whose ``step`` is a physics step.
    :param model: the robot as the plant has it, mass bias and motors included.
    :param period: time between two commands [s].
    :param bandwidth: ``w`` [rad/s].
    :raises ConfigError: the servo would not be stable with this physics step.
    """

    _remembered = ('plant', '_command', '_external')

    def __init__(
        self, plant: Plant, model: RobotModel, period: float, substeps: int, bandwidth: float
    ):
        if bandwidth * period / substeps > MAX_SERVO_GAIN:
            raise ConfigError(
                f'plant.servo.bandwidth: {bandwidth:g} rad/s is too fast for physics steps of '
                f'{period / substeps:g} s; choose at most {MAX_SERVO_GAIN * substeps / period:g}, '
                'or a shorter plant.step'
            )
        self.plant = plant
        self._model = model.pin_model
        self._data = self._model.createData()
        self._limit = model.effort_limit
        self._period = period
        self._substeps = substeps
        self._bandwidth = bandwidth
        self._command = plant.truth
        self._external = plant.report().external  # mean of the last period [N m]

    def start(self, state: JointState) -> None:
        """Begin at a joint state, which is also the first command."""
        self.plant.start(state)
        self._command, self._external = state, self.plant.report().external

    def report(self) -> PlantReport:
        """Return the plant's report, with the mean external torque of the last period."""
        return msgspec.structs.replace(self.plant.report(), external=self._external)

    def track(self, position: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Go to a position within one period, under a disturbance.

        :param position: command for the end of the period [rad], shape ``(n,)``.
        """
        now = self._command
        way = (position - now.position) / self._substeps
        velocity = (position - now.position) / self._period
        total = np.zeros_like(way)
        for _ in range(self._substeps):
            self.plant.step(self._effort(now, velocity), disturbance)
            now = JointState(now.position + way, velocity)
            total += self.plant.report().external
        self._command = JointState(position, velocity)
        self._external = total / self._substeps

    def _effort(self, command: JointState, velocity: Array) -> Array:
        """Return the servo's torque in a physics step [N m], shape ``(n,)``.

        :param command: where and how fast the robot shall be now.
        :param velocity: that it shall have at the end of the step [rad/s], shape ``(n,)``.
        """
        w, truth = self._bandwidth, self.plant.truth
        q, v = truth.position, truth.velocity
        wanted = (velocity - command.velocity) * self._substeps / self._period
        wanted += w * w * (command.position - q) + 2.0 * w * (command.velocity - v)
        effort = pin.rnea(self._model, self._data, q, v, wanted)
        return np.clip(effort, -self._limit, self._limit)


def with_motors(model: RobotModel, servo: Servo) -> RobotModel:
    """Return the robot with motors of the inertia ``effort limit / (give w^2)``.

    The servo's stiffness is then at least the effort limit over the give, on light links too.

    :raises ConfigError: a joint has no effort limit.
    """
    for name, limit in zip(model.joint_names, model.effort_limit, strict=True):
        if not np.isfinite(limit):
            raise ConfigError(
                f'plant.takes: joint {name} has no effort limit, from which a robot that takes '
                'positions has its stiffness; give it one in the URDF'
            )
    pin_model = pin.Model(model.pin_model)
    pin_model.armature = model.effort_limit / (servo.give * servo.bandwidth**2)
    return replace(model, pin_model=pin_model)


class Surrogate(PlantWrapper):
    """Efforts move a simulated robot, whose positions are the commands of the real one.

    ``step`` applies the efforts to the surrogate, then sends its joint positions to the real
    robot, which has the period to get there. ``observe`` shows the surrogate, around which
    control is closed; ``truth`` and ``report`` are those of the real robot. A disturbance acts on
    the real robot only: how the surrogate yields to it is up to control.

    :param surrogate: the simulated robot, which is never disturbed.
    :param robot: the real robot, which starts where the surrogate does.
    """

    _remembered = ('_surrogate', '_robot')

    def __init__(self, surrogate: Plant, robot: PositionRobot):
        super().__init__(robot.plant)
        self._surrogate = surrogate
        self._robot = robot

    def start(self, state: JointState) -> None:
        """Begin with both robots at a joint state."""
        self._surrogate.start(state)
        self._robot.start(state)

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Move the surrogate by efforts [N m], and have the real robot follow."""
        self._surrogate.step(effort)
        self._robot.track(self._surrogate.observe(), disturbance)

    def observe(self) -> Array:
        """Return the joint positions of the surrogate [rad], shape ``(n,)``."""
        return self._surrogate.observe()

    def report(self) -> PlantReport:
        """Return the report of the real robot."""
        return self._robot.report()

    def close(self) -> None:
        """Close both robots."""
        self._surrogate.close()
        super().close()
