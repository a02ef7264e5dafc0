"""The interface of every collision monitor."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
import pinocchio as pin

from ..robot.model import RobotModel
from .load import Load
from .observation import Observation, Reading

IntArray = npt.NDArray[np.int64]


class Monitor(ABC):
    """Estimates the external torque of each step, and judges whether there is a contact.

    :ivar kind: its name in configurations and calibrations.
    :ivar regime: index of each joint's regime in the last step, shape ``(n,)``: a joint may have
        another threshold, and other noise, while it reverses.
    :ivar rejected: number of samples that were not valid.
    :ivar recognised: load at a tip that a contact turned out to be.
    :ivar doubt: why its verdicts are no longer to be trusted; empty where they are.
    """

    kind: str = ''
    recognised: Load | None = None
    doubt: str = ''
    rejected: int = 0

    def __init__(self, model: RobotModel, period: float):
        self.model = model
        self.period = period
        self.regime: IntArray = np.zeros(model.n, np.int64)

    @property
    def pin_models(self) -> tuple[pin.Model, ...]:
        """Return the Pinocchio models that the torques are computed with."""
        return (self.model.pin_model,)

    @abstractmethod
    def step(self, observation: Observation) -> Reading:
        """Return the reading of one step."""

    def reset(self) -> None:  # noqa: B027 - one without memory has nothing to forget
        """Forget the past; the next sample is the first one."""

    def snapshot(self) -> Any:
        """Return all that the next step depends on; nothing for a monitor without memory."""
        return None

    def restore(self, snapshot: Any) -> None:  # noqa: B027
        """Go back to an earlier snapshot."""
