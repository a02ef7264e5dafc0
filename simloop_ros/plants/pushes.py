"""Somebody who pushes the robot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pinocchio as pin

from ..model import RobotModel
from ..values import Array, JointState
from .config import Push
from .plant import Plant, with_external
from .wrapper import PlantWrapper


class PushesState(msgspec.Struct, frozen=True):
    """The plant's state and the number of steps taken so far."""

    plant: Any
    index: int


class _TimedWrench(msgspec.Struct, frozen=True):
    """A wrench (force, torque) [N, N m] on a frame during steps ``first <= k < end``."""

    frame: int
    first: int
    end: int
    wrench: Array


class Pushes(PlantWrapper):
    """Add wrenches ``w`` to the torque from outside: ``tau_ext + J(q)^T w``.

    A wrench acts at the origin of its link, in world axes, with the Jacobian at the step's start.
    It begins with the step nearest to its start and lasts the nearest whole number of steps, at
    least one.

    :param plant: the plant that is pushed.
    :param model: the robot's kinematics.
    :param period: time of one ``step`` [s].
    :param pushes: the wrenches and when they act.
    :raises UnknownNameError: a push names a link that the robot has not.
    """

    def __init__(self, plant: Plant, model: RobotModel, period: float, pushes: Sequence[Push]):
        super().__init__(plant)
        self._model = model.pin_model
        self._data = self._model.createData()
        self._pushes = tuple(_timed(push, model, period) for push in pushes)
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
                external = with_external(self._torque_of(push), external)
        self._index += 1
        self._plant.step(effort, external)

    def _torque_of(self, push: _TimedWrench) -> Array:
        q = self._plant.truth.position
        return wrench_torque(self._model, self._data, q, push.frame, push.wrench)


def wrench_torque(
    model: pin.Model,
    data: pin.Data,
    q: Array,
    frame: int,
    wrench: Array,
    axes: pin.ReferenceFrame = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
) -> Array:
    """Return ``J(q)^T w`` [N m], shape ``(n,)``, of a wrench at a frame's origin.

    :param q: joint positions [rad], shape ``(n,)``.
    :param wrench: force and torque [N, N m], shape ``(6,)``.
    :param axes: in which the wrench is given: those of the world, or ``LOCAL`` for the frame's.
    """
    jacobian: Array = pin.computeFrameJacobian(model, data, q, frame, axes)
    return jacobian.T @ wrench


def _timed(push: Push, model: RobotModel, period: float) -> _TimedWrench:
    first = round(push.start / period)
    end = first + max(1, round(push.duration / period))
    return _TimedWrench(model.frame(push.link), first, end, np.array(push.force + push.torque))
