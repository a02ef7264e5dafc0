"""Somebody who pushes the robot, or what its hands hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from ..core.values import Array, JointState
from ..robot.model import RobotModel, wrench_torque
from .config import OBJECT, Push
from .plant import Plant, with_external
from .wrapper import PlantWrapper


class PushesState(msgspec.Struct, frozen=True):
    """The plant's state and the number of steps taken so far."""

    plant: Any
    index: int


class _TimedWrench(msgspec.Struct, frozen=True):
    """A wrench (force, torque) [N, N m] on a frame during steps ``first <= k < end``.

    :ivar frame: none for the object.
    """

    frame: int | None
    first: int
    end: int
    wrench: Array


class Pushes(PlantWrapper):
    """Add wrenches ``w`` to the torque from outside: ``tau_ext + J(q)^T w``.

    A wrench acts at the origin of its link, in world axes, with the Jacobian at the step's start;
    or at the centre of the object.
    It begins with the step nearest to its start and lasts the nearest whole number of steps, at
    least one.

    :param plant: the plant that is pushed.
    :param model: the robot's kinematics.
    :param period: time of one ``step`` [s].
    :param pushes: the wrenches and when they act.
    :param held: whether the plant has an object for two hands.
    :raises UnknownNameError: a push names a link that the robot has not.
    """

    def __init__(
        self,
        plant: Plant,
        model: RobotModel,
        period: float,
        pushes: Sequence[Push],
        held: bool = False,
    ):
        super().__init__(plant)
        self._model = model.pin_model
        self._data = self._model.createData()
        self._pushes = tuple(_timed(push, model, period, held) for push in pushes)
        self._index = 0

    @property
    def state(self) -> PushesState:
        """Return the plant's state and the step index."""
        return PushesState(self._plant.state, self._index)

    def reset(self, state: JointState | PushesState) -> None:
        """Go to a state; a ``JointState`` is at time zero."""
        if isinstance(state, PushesState):
            self._plant.reset(state.plant)
            self._index = state.index
        else:
            self._plant.reset(state)
            self._index = 0

    def step(self, effort: Array, external: Array | None = None) -> None:
        """Apply efforts, torques [N m] and the wrenches of this step for one period."""
        for push in self._pushes:
            if push.first <= self._index < push.end:
                if push.frame is None:
                    self._plant.push_object(push.wrench)
                else:
                    torque = self._torque_of(push.frame, push.wrench)
                    external = with_external(torque, external)
        self._index += 1
        self._plant.step(effort, external)

    def _torque_of(self, frame: int, wrench: Array) -> Array:
        q = self._plant.truth.position
        return wrench_torque(self._model, self._data, q, frame, wrench)


def _timed(push: Push, model: RobotModel, period: float, held: bool) -> _TimedWrench:
    first = round(push.start / period)
    end = first + max(1, round(push.duration / period))
    frame = None if held and push.link == OBJECT else model.frame(push.link)
    return _TimedWrench(frame, first, end, np.array(push.force + push.torque))
