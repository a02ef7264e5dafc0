"""External wrenches on the robot, or on the object that its hands hold."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ..core.values import UNDISTURBED, Array, Disturbance
from ..robot.model import RobotModel, wrench_torque
from .config import OBJECT, Push
from .plant import Plant, total_torque
from .wrapper import PlantWrapper


class _TimedWrench(msgspec.Struct, frozen=True):
    """A wrench (force, torque) [N, N m] on a frame during steps ``first <= k < end``.

    :ivar frame: ``None`` for the object.
    """

    frame: int | None
    first: int
    end: int
    wrench: Array


class Pushes(PlantWrapper):
    """Add wrenches ``w`` to the external torque: ``tau_ext + J(q)^T w``.

    A wrench acts at the origin of its link, in world axes, with the Jacobian at the step's start;
    or at the centre of the object. It begins with the step nearest to its start and lasts the
    nearest whole number of steps, at least one.

    :param period: time of one ``step`` [s].
    :param held: whether the plant has an object for two hands.
    :raises UnknownNameError: a push names a link that the robot does not have.
    """

    _remembered = ('_plant', '_index')

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
        self._begin()

    def _begin(self) -> None:
        self._index = 0

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts [N m], a disturbance and the wrenches of this step for one period."""
        for push in self._pushes:
            if push.first <= self._index < push.end:
                disturbance = self._added(push, disturbance)
        self._index += 1
        self._plant.step(effort, disturbance)

    def _added(self, push: _TimedWrench, disturbance: Disturbance) -> Disturbance:
        external, wrench = disturbance.torque, disturbance.object_wrench
        if push.frame is None:
            wrench = push.wrench if wrench is None else wrench + push.wrench
        else:
            q = self._plant.truth.position
            torque = wrench_torque(self._model, self._data, q, push.frame, push.wrench)
            external = total_torque(torque, external)
        return Disturbance(external, wrench)


def _timed(push: Push, model: RobotModel, period: float, held: bool) -> _TimedWrench:
    first = round(push.start / period)
    end = first + max(1, round(push.duration / period))
    frame = None if held and push.link == OBJECT else model.frame(push.link)
    return _TimedWrench(frame, first, end, np.array(push.force + push.torque))
