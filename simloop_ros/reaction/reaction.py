"""What every reaction to a collision can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import msgspec

from ..core.values import NO_INPUTS, Array, ExternalInputs, JointState, Setpoint


class Onset(msgspec.Struct, frozen=True):
    """The moment at which a contact is noticed.

    :ivar control: the control state.
    :ivar trail: positions that the robot was really at, until just before [rad], oldest first.
    """

    control: JointState
    trail: tuple[Array, ...]


class Rest(msgspec.Struct, frozen=True):
    """Where a motion is to go on from.

    :ivar held: position that the robot is held at [rad], shape ``(n,)``.
    :ivar start: position that a planner is told to set out from [rad], shape ``(n,)``.
    """

    held: Array
    start: Array


class Reaction(ABC):
    """What the robot does from a contact on, step by step."""

    @abstractmethod
    def snapshot(self) -> Any:
        """Return all that the next step depends on."""

    @abstractmethod
    def restore(self, snapshot: Any) -> None:
        """Go back to an earlier snapshot."""

    @abstractmethod
    def begin(self, onset: Onset) -> None:
        """Forget the past; a contact is noticed now."""

    @abstractmethod
    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the setpoint of the next step.

        :param control: the control state.
        :param inputs: what is known of the outside world now.
        """

    @property
    @abstractmethod
    def resting(self) -> bool:
        """Return whether the robot has come to rest."""

    def rest(self, control: JointState) -> Rest:
        """Return where the robot rests; it may turn out that it does not any more.

        :param control: the control state.
        """
        held = self.step(control, NO_INPUTS).position
        return Rest(held, held)

    def trail(self) -> tuple[Array, ...]:
        """Return the positions, oldest first, over which a later retreat may still lead.

        None by default: they may lead back into what was hit.
        """
        return ()
