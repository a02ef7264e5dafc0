"""What the wrist sensors feel, as torques on the joints: no collision, but an object in hand."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel, wrench_torque
from .observation import Observation


class WristTorqueSnapshot(msgspec.Struct, frozen=True, gc=False):
    """What free hands read: the mean of ``count`` readings, shape ``(sensors, 6)``."""

    count: int
    bias: Array


class WristTorque:
    """``tau = sum J_s(q)^T (w_s - b_s)`` over the sensors, in their own axes.

    Added to the efforts that a monitor is told, it leaves as unexplained only what touches the
    robot elsewhere. The bias ``b`` is the mean reading of the first steps, in which the hands are
    free and feel nothing. A sensor that is lost feels nothing.

    :param tare_time: in which the bias is learnt [s].
    """

    def __init__(self, model: RobotModel, tare_time: float, period: float):
        self._model = model.pin_model
        self._data = model.pin_model.createData()
        self._frames = [model.frame(sensor) for sensor in model.sensors]
        self._tare_steps = max(1, round(tare_time / period))
        self._state = WristTorqueSnapshot(0, np.zeros((len(self._frames), 6)))

    def snapshot(self) -> WristTorqueSnapshot:
        """Return all that the next step depends on."""
        return self._state

    def restore(self, snapshot: WristTorqueSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self._state = snapshot

    def torque(self, q: Array, wrenches: Array) -> Array:
        """Return the torque of wrenches on the sensors [N m], shape ``(n,)``.

        :param q: measured joint positions [rad], shape ``(n,)``.
        :param wrenches: as ``Plant.wrenches``, without bias, shape ``(sensors, 6)``.
        """
        torque = np.zeros(q.size)
        for frame, wrench in zip(self._frames, np.nan_to_num(wrenches), strict=True):
            torque += wrench_torque(self._model, self._data, q, frame, wrench, pin.LOCAL)
        return torque

    def explain(self, seen: Observation, wrenches: Array) -> Observation:
        """Return what a monitor is told of a step in which the wrists felt something."""
        tare = self._state
        if tare.count < self._tare_steps:
            count = tare.count + 1
            self._state = WristTorqueSnapshot(
                count, tare.bias + (np.nan_to_num(wrenches) - tare.bias) / count
            )
            return seen
        effort = seen.effort + self.torque(seen.measured, wrenches - tare.bias)
        return msgspec.structs.replace(seen, effort=effort)
