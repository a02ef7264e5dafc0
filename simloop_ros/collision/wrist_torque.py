"""Wrench readings of the wrist sensors as joint torques: no collision, but an object in hand."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..core.state import StateValue
from ..core.values import Array
from ..robot.model import RobotModel, wrench_torque
from .observation import Observation


class WristTorqueSnapshot(msgspec.Struct, frozen=True, gc=False):
    """Bias of the sensors: mean of ``count`` readings of free hands, shape ``(sensors, 6)``."""

    count: int
    bias: Array


class WristTorque(StateValue):
    """``tau = sum J_s(q)^T (w_s - b_s)`` over the sensors, in their own axes.

    Added to the efforts of an observation, it leaves as unexplained only what touches the robot
    elsewhere. The bias ``b`` is the mean reading of the first steps, in which the hands are free.
    A sensor that is lost counts as zero.

    :param tare_time: over which the bias is averaged [s].
    """

    _state: WristTorqueSnapshot

    def __init__(self, model: RobotModel, tare_time: float, period: float):
        self._model = model.pin_model
        self._data = model.pin_model.createData()
        self._frames = [model.frame(sensor) for sensor in model.sensors]
        self._tare_steps = max(1, round(tare_time / period))
        self._state = WristTorqueSnapshot(0, np.zeros((len(self._frames), 6)))

    def torque(self, q: Array, wrenches: Array) -> Array:
        """Return the torque of wrenches on the sensors [N m], shape ``(n,)``.

        :param q: measured joint positions [rad], shape ``(n,)``.
        :param wrenches: as in ``PlantReport``, without bias, shape ``(sensors, 6)``.
        """
        torque = np.zeros(q.size)
        for frame, wrench in zip(self._frames, np.nan_to_num(wrenches), strict=True):
            torque += wrench_torque(self._model, self._data, q, frame, wrench, pin.LOCAL)
        return torque

    def explain(self, seen: Observation, wrenches: Array) -> Observation:
        """Return an observation with the torque of the wrist sensors added to its effort."""
        tare = self._state
        if tare.count < self._tare_steps:
            count = tare.count + 1
            self._state = WristTorqueSnapshot(
                count, tare.bias + (np.nan_to_num(wrenches) - tare.bias) / count
            )
            return seen
        effort = seen.effort + self.torque(seen.measured, wrenches - tare.bias)
        return msgspec.structs.replace(seen, effort=effort)
