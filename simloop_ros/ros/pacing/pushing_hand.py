"""The hand that pushes: wrenches from a topic on the links of the simulated robot."""

from __future__ import annotations

from geometry_msgs.msg import WrenchStamped
import numpy as np
import pinocchio as pin

from ...core.errors import MessageError, UnknownNameError
from ...core.values import Array
from ...robot.model import RobotModel, wrench_torque

HOLD_TIME = 0.1
"""Simulated time that a wrench acts after its message [s]: a hand that is gone lets go."""
LARGEST = 1e4
"""Force or torque beyond which a hand is none [N, N m]."""


class Hand:
    """The last wrench and how long it still acts.

    :param period: time of one step [s].
    :ivar link: name of the link that is pushed; empty if none is.
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

    def take(self, message: WrenchStamped) -> None:
        """Push as a message says: its ``frame_id`` is the link, and the axes.

        :raises MessageError: there is no such link, or the wrench is not a usable number.
        """
        try:
            frame = self._model.frame(message.header.frame_id)
        except UnknownNameError as error:
            raise MessageError(f'external_wrench: {error}') from error
        force, torque = message.wrench.force, message.wrench.torque
        wrench = np.array([force.x, force.y, force.z, torque.x, torque.y, torque.z])
        if not (np.abs(wrench) <= LARGEST).all():
            raise MessageError(
                f'external_wrench: {wrench.tolist()} is not within {LARGEST:g} N and N m'
            )
        self._frame, self.wrench, self.link = frame, wrench, message.header.frame_id
        self._left = self._hold_steps

    def torque(self, q: Array) -> Array | None:
        """Return its torque on the joints in this step [N m], shape ``(n,)``; none if none acts.

        :param q: true joint positions [rad], shape ``(n,)``.
        """
        if not self._left:
            self.link = ''
            return None
        self._left -= 1
        local = pin.ReferenceFrame.LOCAL
        model = self._model.pin_model
        return wrench_torque(model, self._data, q, self._frame, self.wrench, local)
