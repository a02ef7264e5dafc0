"""Comply: stop, then follow the hand."""

from __future__ import annotations

import msgspec
import numpy as np

from ..planning.hand_guiding import Grip, HandGuiding
from ..values import Array, JointState
from .hold import Hold
from .motors import Motors
from .reaction import Onset, Reaction
from .wanted import Wanted


class ComplyMemory(msgspec.Struct, frozen=True):
    """What complying remembers: the held position while it brakes, then the grip."""

    held: Array | None
    grip: Grip | None


class Comply(Reaction):
    """Brake as ``Hold`` does, then ``HandGuiding``: 000, section 6.1.4.

    Guiding wants no velocity, so a push gives the robot the speed ``h M^-1 f`` and no more: it
    creeps away from what presses on it. There is no time to learn the model error, as somebody
    may be pushing from the start; the threshold has to cover it. A robot that is pushed faster
    than the motors can stop in one step is braked again.

    :param threshold: largest difference that is not followed, per joint [rad].
    """

    def __init__(self, motors: Motors, period: float, threshold: float):
        self._motors = motors
        self._hold = Hold(motors, period)
        self._threshold = threshold
        self._guiding: HandGuiding | None = None

    @property
    def memory(self) -> ComplyMemory:
        """Return all that the next step depends on."""
        return ComplyMemory(
            self._hold.memory, None if self._guiding is None else self._guiding.memory
        )

    @memory.setter
    def memory(self, memory: ComplyMemory) -> None:
        self._hold.memory = memory.held
        self._guiding = None
        if memory.grip is not None:
            self._grip(memory.grip.reference).memory = memory.grip

    def begin(self, onset: Onset) -> None:
        """Brake from the next step on."""
        self._hold.begin(onset)
        self._guiding = None

    def step(self, control: JointState, contact: bool) -> Wanted:
        """Return the position to be at after the next step."""
        guiding = self._guiding
        if guiding is not None and self._motors.stopping_share(control) == 1.0:
            before = guiding.memory.reference
            position = guiding.step(control)
            return Wanted(position, np.zeros_like(position), anew=position is not before)
        self._guiding = None
        if guiding is not None:
            self._hold.memory = None
        wanted = self._hold.step(control, contact)
        if self._hold.resting:
            self._grip(wanted.position)
        return wanted

    @property
    def resting(self) -> bool:
        """Return no: in a hand, the robot may move at any time."""
        return False

    def _grip(self, position: Array) -> HandGuiding:
        start = JointState(position, np.zeros_like(position))
        self._guiding = HandGuiding(start, self._threshold, 0)
        return self._guiding
