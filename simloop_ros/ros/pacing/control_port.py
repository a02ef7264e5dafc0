"""What the two ways to step the control simulation need of its node."""

from __future__ import annotations

from typing import Protocol

from ...core.values import Array, Setpoint
from ...loop.guarded_control import GuardedControl


class ControlPort(Protocol):
    """The control simulation and its ways out.

    :ivar control: the control simulation behind its gate.
    """

    control: GuardedControl

    def command(self, stamp: int, wanted: Setpoint, age: float = 0.0) -> None:
        """Take a step as it is wanted and send its effort.

        :param stamp: of the state that it starts from [ns].
        :param age: of that state [s].
        """

    def tell_state(self, stamp: int, effort: Array) -> None:
        """Send the control state and the effort that explains it [N m], shape ``(n,)``."""

    def stop_robot(self, reason: str) -> None:
        """Stop, and say why."""

    def ask(self, topic: str, stamp: int) -> None:
        """Ask for a message, in lockstep."""
