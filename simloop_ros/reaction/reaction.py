"""The base of all reactions to a contact."""

from __future__ import annotations

from abc import ABC, abstractmethod

import msgspec

from ..core.state import Remembering
from ..core.values import NO_INPUTS, Array, ExternalInputs, JointState, Setpoint


class Onset(msgspec.Struct, frozen=True):
    """The moment at which a contact is detected.

    :ivar trail: past positions of the robot [rad], oldest first.
    """

    control: JointState
    trail: tuple[Array, ...]


class Rest(msgspec.Struct, frozen=True):
    """Where a motion continues.

    :ivar held: position that the robot is held at [rad], shape ``(n,)``.
    :ivar start: first position of the planner [rad], shape ``(n,)``.
    """

    held: Array
    start: Array


class Reaction(Remembering, ABC):
    """The motion of the robot after a contact, step by step."""

    @abstractmethod
    def begin(self, onset: Onset) -> None:
        """Forget the past; a contact is detected now."""

    @abstractmethod
    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the setpoint of the next step."""

    @property
    @abstractmethod
    def resting(self) -> bool:
        """Return whether the robot has come to rest."""

    def rest(self, control: JointState) -> Rest:
        """Return where the robot rests; afterwards it may not be ``resting`` any more."""
        held = self.step(control, NO_INPUTS).position
        return Rest(held, held)

    def trail(self) -> tuple[Array, ...]:
        """Return the positions, oldest first, that a later retreat may use.

        None by default: the obstacle may be there.
        """
        return ()
