"""An arm that stops by itself, whatever it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec
import numpy as np

from ..core.errors import ConfigError, UnknownNameError
from ..core.state import Stateful, StatefulParts
from ..core.values import UNDISTURBED, Array, Disturbance, Flags, JointState
from ..robot.chain import own_joints
from ..robot.model import RobotModel
from .config import ArmStop
from .plant import Plant
from .wrapper import PlantWrapper


class JointBrake(Stateful, Protocol):
    """A brake on some of the joints."""

    def release(self) -> None:
        """Let go, and forget the past."""

    def effort(self, state: JointState, external: Array | None = None) -> Array:
        """Return the effort of the next period [N m], shape ``(n,)``; zero for other joints.

        :param external: external torque that the brake compensates [N m], shape ``(n,)``.
        """


Brakes = Callable[[Flags], JointBrake]
"""Return the brake of the joints for which the flags are true, shape ``(n,)``."""


class _Stop(msgspec.Struct, frozen=True):
    """A brake on some joints, from the step ``first`` on."""

    first: int
    joints: Flags
    brake: JointBrake


class ArmStops(PlantWrapper):
    """From its time on, the joints of an arm get the effort of their brake.

    The arm of a tip is the joints that move it and no other tip; all other efforts pass as they
    are. It stops with the step nearest to its time. As a friction brake does, it compensates the
    external torque, that of the step before.

    :param period: time of one ``step`` [s].
    :raises UnknownNameError: a stop names a tip that the robot does not have.
    :raises ConfigError: an arm has no joints of its own, or stops twice.
    """

    _remembered = ('_plant', '_index', '_brakes')

    def __init__(
        self,
        plant: Plant,
        model: RobotModel,
        period: float,
        stops: Sequence[ArmStop],
        brakes: Brakes,
    ):
        super().__init__(plant)
        tips = [stop.tip for stop in stops]
        for tip in tips:
            if tips.count(tip) > 1:
                raise ConfigError(f'plant.stops: the arm of {tip} stops twice; once is enough')
        arms = [_arm(model, tip) for tip in tips]
        self._stops = tuple(
            _Stop(round(stop.start / period), arm, brakes(arm))
            for stop, arm in zip(stops, arms, strict=True)
        )
        self._brakes = StatefulParts(stop.brake for stop in self._stops)
        self._begin()

    def _begin(self) -> None:
        self._index = 0
        for stop in self._stops:
            stop.brake.release()

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts or those of the brakes [N m], and a disturbance, for one period."""
        report = self._plant.report()
        for stop in self._stops:
            if self._index >= stop.first:
                braking = stop.brake.effort(report.truth, report.external)
                effort = np.where(stop.joints, braking, effort)
        self._index += 1
        self._plant.step(effort, disturbance)


def _arm(model: RobotModel, tip: str) -> Flags:
    """Return which joints move a tip and no other, shape ``(n,)``."""
    if tip not in model.tips:
        raise UnknownNameError('tip in plant.stops', tip, model.tips)
    arm = own_joints(model, tip)
    if not arm:
        raise ConfigError(f'plant.stops: no joint moves {tip} and no other tip')
    return np.array([joint in arm for joint in range(model.n)])
