"""Comply: give way to what presses, with the admittance of a guided robot."""

from __future__ import annotations

import msgspec

from ..guiding.guidance import Guidance, GuidanceMemory
from ..values import Array, JointState
from .reaction import Onset, Reaction
from .felt import Felt
from .wanted import Wanted


class ComplyMemory(msgspec.Struct, frozen=True):
    """What complying remembers: where the contact was noticed, and how far the robot gave way."""

    place: Array | None
    guidance: GuidanceMemory


class Comply(Reaction):
    """001, section 5.2: joint admittance as a safety mode, which absorbs the energy of an impact.

    The motion ends where the contact is noticed. From there the robot goes on as the admittance
    has it: with the speed that it had, which damping takes away, and led by the torque from
    outside. With a stiffness it comes back to that place when nothing presses any more.
    """

    def __init__(self, guidance: Guidance):
        self._guidance = guidance
        self._place: Array | None = None

    @property
    def memory(self) -> ComplyMemory:
        """Return all that the next step depends on."""
        return ComplyMemory(self._place, self._guidance.memory)

    @memory.setter
    def memory(self, memory: ComplyMemory) -> None:
        self._place, self._guidance.memory = memory.place, memory.guidance

    def begin(self, onset: Onset) -> None:
        """Give way from here on, with the present speed."""
        self._place = onset.control.position
        self._guidance.reset(onset.control.velocity)

    def step(self, control: JointState, felt: Felt) -> Wanted:
        """Return the position to be at after the next step."""
        place = control.position if self._place is None else self._place
        led = self._guidance.step(place, felt.torque)
        return Wanted(led.position, led.velocity)

    @property
    def resting(self) -> bool:
        """Return no: in a hand, the robot may move at any time."""
        return False
