"""A wrench that the user applies to a link of the simulated robot: topic ``external_wrench``."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ...core.errors import MessageError, UnknownNameError
from ...core.values import Array
from ...robot.model import RobotModel, wrench_torque

HOLD_TIME = 0.1
"""Simulated time that a wrench acts after its message [s]."""
WRENCH_LIMIT = 1e4
"""Largest force or torque that is accepted [N, N m]."""


class ExternalWrench:
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
        """Return its joint torque in this step [N m], shape ``(n,)``; none if no wrench acts.

        :param q: true joint positions [rad], shape ``(n,)``.
        """
        if not self._left:
            self.link = ''
            return None
        self._left -= 1
        local = pin.ReferenceFrame.LOCAL
        model = self._model.pin_model
        return wrench_torque(model, self._data, q, self._frame, self.wrench, local)
