"""A real robot whose driver holds the last command for ever: what it is sent, and when."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from ...core.values import Array
from ...robot.model import RobotModel
from ...safety.config import SafetyConfig
from ...safety.stopping_robot import StoppingRobot


class DrivenRobot(StoppingRobot, ABC):
    """Sends a driver its commands, in the order of the model's joints.

    That is what ros2_control's ``forward_command_controller`` takes; its ``joints`` have to be in
    the same order.

    :param publish: gets the numbers of each command, shape ``(n,)``.
    :cvar stands: joint states after its own for which a command stands.
    """

    stands: ClassVar[int]

    def __init__(
        self,
        model: RobotModel,
        period: float,
        safety: SafetyConfig,
        publish: Callable[[Array], None],
    ):
        super().__init__(model, period, safety)
        self._publish = publish
        self._position: Array = model.home
        self._unseen = 0  # periods since the last joint state that were gone through without one

    def measured(self, position: Array, periods: int) -> None:
        """Take where the robot is [rad], shape ``(n,)``, some periods after the last state."""
        self._position = position
        self.wait(periods - self._unseen)
        self._unseen = 0

    def go_on_unseen(self, periods: int) -> None:
        """Send what the robot does by itself, some periods later without a joint state."""
        self._unseen += periods
        self.wait(periods)
        self.go_on()

    @abstractmethod
    def command(self, effort: Array, desired: Array | None) -> None:
        """Send what a command asks for in this period.

        :param effort: that was checked [N m], shape ``(n,)``.
        :param desired: position at the period's end [rad], shape ``(n,)``, if there is one.
        """

    @abstractmethod
    def go_on(self) -> None:
        """Send what the robot does by itself: it comes to rest along its way, and is held."""

    @abstractmethod
    def hold(self) -> None:
        """Send what holds a robot that was not commanded yet where it is."""

    @abstractmethod
    def stand(self) -> None:
        """Send what asks for no motion, and is held for ever: nobody looks after the robot."""

    def feel(self, contact: bool) -> None:
        """Note whether the monitor reports a contact."""

    @abstractmethod
    def let_go(self) -> bool:
        """Prepare to leave a robot alone that comes to rest by itself; return whether it may be.

        It is called in each period, until then.
        """

    @property
    @abstractmethod
    def stands_still(self) -> bool:
        """Return whether the robot does not move, whoever commands it."""
