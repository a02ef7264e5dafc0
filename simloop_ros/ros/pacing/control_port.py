"""What the two ways to step the control simulation need of its node."""

from __future__ import annotations

from typing import Protocol

from ...core.values import Array, Setpoint
from ...loop.guarded_control import GuardedControl


class ControlPort(Protocol):
    """The control simulation and its outputs.

    :ivar control: the control simulation behind its gate.
    """

    control: GuardedControl

    def command(self, stamp: int, setpoint: Setpoint, age: float = 0.0) -> None:
        """Take a step towards a setpoint and send its effort.

        :param stamp: of the state that it starts from [ns].
        :param age: of that state [s].
        """

    def publish_state(self, stamp: int, effort: Array) -> None:
        """Publish the control state and the effort that explains it [N m], shape ``(n,)``."""

    def stop_robot(self, reason: str) -> None:
        """Stop the robot and announce the reason."""

    def request(self, topic: str, stamp: int) -> None:
        """Request a message, in lockstep."""
