"""The simulated plant behind its gate and its brakes, and the wrench that a user applies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from ...core.errors import MessageError, UnknownNameError
from ...core.values import Array, Disturbance, JointState
from ...plants.plant import Plant
from ...robot.model import RobotModel, wrench_torque
from ...safety.config import SafetyConfig
from ...safety.stopping_robot import StoppingRobot
from ..messages.effort_command import AppliedEffort

HOLD_TIME = 0.1
"""Simulated time that a wrench acts after its message [s]."""
WRENCH_LIMIT = 1e4
"""Largest force or torque that is accepted [N, N m]."""


class ExternalWrench:
    """The last wrench on each link while it acts; the period is that of a step [s]."""

    def __init__(self, model: RobotModel, period: float):
        self._model = model
        self._data = model.pin_model.createData()
        self._hold_steps = max(1, round(HOLD_TIME / period))
        self._acting: dict[str, _Push] = {}

    @property
    def acting(self) -> dict[str, Array]:
        """Return what acts at the origin of each link, in its axes [N, N m], shape ``(6,)``."""
        return {link: push.wrench for link, push in self._acting.items()}

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
        self._acting[link] = _Push(frame, wrench, self._hold_steps)

    def torque(self, q: Array) -> Array | None:
        """Return their torque [N m] at a position [rad], both ``(n,)``; none if no wrench acts."""
        if not self._acting:
            return None
        self._acting = {
            link: push._replace(left=push.left - 1)
            for link, push in self._acting.items()
            if push.left
        }
        local = pin.ReferenceFrame.LOCAL
        model = self._model.pin_model
        torques = [
            wrench_torque(model, self._data, q, push.frame, push.wrench, local)
            for push in self._acting.values()
        ]
        return sum(torques[1:], torques[0]) if torques else None


class _Push(NamedTuple):
    frame: int
    wrench: Array
    left: int  # steps


class BrakedPlant(StoppingRobot):
    """A plant that comes to rest instead of applying efforts, from ``engage`` until ``release``.

    :param plant: at rest.
    :param period: length of a step [s].
    :ivar applied: effort of motors or brakes in the last step [N m], shape ``(n,)``.
    """

    def __init__(self, plant: Plant, model: RobotModel, period: float, safety: SafetyConfig):
        super().__init__(model, period, safety)
        self.plant = plant
        self.wrench = ExternalWrench(model, period)
        self._largest: Array = np.zeros(model.n)
        self.applied: Array = np.zeros(model.n)
        self._untold, self._untold_steps = np.zeros(model.n), 0

    @property
    def effort_share(self) -> float:
        """Return the largest effort so far as a share of its limit, external ones not counted."""
        return float((self._largest / self._model.effort_limit).max())

    def take_applied(self) -> AppliedEffort:
        """Return the mean effort of the steps since the last call."""
        steps = self._untold_steps
        mean = self.applied if steps <= 1 else self._untold / steps
        self._untold, self._untold_steps = np.zeros_like(self._untold), 0
        return AppliedEffort(mean, max(1, steps))

    def wait(self, periods: int = 1) -> None:
        """Let periods pass: before the first command the robot rests, and its motors are idle."""
        super().wait(periods)
        self._untold_steps += periods

    def rest_at(self, position: Array) -> None:
        """Put the robot to rest at a position [rad], shape ``(n,)``."""
        self.plant.start(JointState(position, np.zeros(self._model.n)))
        self._brake.release()
        self._follower.reset()

    def rest_at_home(self) -> None:
        """Put the robot to rest at its home."""
        self.rest_at(self._model.home)

    def step(self, effort: Array | None) -> None:
        """Apply an effort [N m], shape ``(n,)``, for one period.

        Without one the robot follows the motion of the last commands to rest.
        """
        truth = self.plant.truth
        if self.engaged or effort is None:
            # Friction of the brakes bears the forces of an object between the hands, too.
            report = self.plant.report()
            effort = self.own_effort(truth, None if report.object is None else report.external)
        else:
            self.learn(truth, effort)
        self.wait()
        self.applied = effort
        self._untold += effort
        np.maximum(self._largest, np.abs(effort), out=self._largest)  # keeps a NaN
        self.plant.step(effort, Disturbance(self.wrench.torque(truth.position)))
