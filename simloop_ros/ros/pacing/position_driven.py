"""A real robot that takes positions, behind its driver."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core.values import Array
from ...robot.model import RobotModel
from ...safety.brake import STOPPED_SPEED
from ...safety.config import TRACKING_ERROR, SafetyConfig
from ...safety.position_gate import PositionGate
from .driven_robot import DrivenRobot


class PositionDriven(DrivenRobot):
    """A robot that takes positions: the desired ones, within its ranges and speed limits."""

    stands = 0  # a position that stands is a stop

    def __init__(
        self,
        model: RobotModel,
        period: float,
        safety: SafetyConfig,
        publish: Callable[[Array], None],
    ):
        super().__init__(model, period, safety, publish)
        self._positions = PositionGate(model, period)
        self._moved = safety.tracking_error or TRACKING_ERROR
        self._sent_at = 0
        self._released = False

    def release(self, fault: str = '') -> None:
        """Go on from the last position that was sent; from where the robot is if that is far.

        A robot lags behind what it is sent, or sags: to begin where it is would be a jump.
        """
        super().release(fault)
        self._released = True

    def command(self, effort: Array, desired: Array | None) -> None:  # noqa: ARG002
        """Send the desired position."""
        if desired is not None:
            self._send(desired)

    def go_on(self) -> None:
        """Send the way of the last commands to rest, and then its end."""
        self.command(np.zeros(0), self._follower.destination(self._steps))

    def hold(self) -> None:
        """Send where the robot was first."""
        last = self._positions.last
        self._send(self._position if last is None else last)

    def stand(self) -> None:
        """Send the last position again."""
        self.command(np.zeros(0), self._positions.last)

    def let_go(self) -> bool:
        """Return whether the motion of the last commands has come to rest."""
        return bool(self.engaged) and self._follower.rests(self._steps)

    @property
    def stands_still(self) -> bool:
        """Return whether the motion of the last commands would not go on."""
        last, there = self._positions.last, self._follower.destination(self._steps)
        if last is None or there is None:
            return last is None
        return bool((np.abs(there - last) < STOPPED_SPEED * self._period).all())

    def _send(self, position: Array) -> None:
        last, released, self._released = self._positions.last, self._released, False
        if released and last is not None:
            near = (np.abs(last - self._position) <= self._moved).all()
            self._positions.last = last if near else None
        if self._positions.last is None:
            self._positions.start(self._position)
        if released or last is None:
            self._sent_at = self._steps - 1
        periods = max(1, self._steps - self._sent_at)
        self._sent_at = self._steps
        self._publish(self._positions.let_pass(position, periods))
