"""Halt: two arms that hold an object stop together, along its path."""

from __future__ import annotations

from ..bimanual.planner import BimanualPlanner
from ..values import JointState
from .felt import Felt
from .reaction import Onset, Reaction, Rest
from .wanted import Wanted

REASON = 'collision'


class Halt(Reaction):
    """Let the planner of two hands stop by itself: it goes on to control the internal force.

    Whatever else is asked for, hands that hold an object never leave each other: the robot does
    not retreat, float or comply.

    :ivar memory: the planner; none before the first contact.
    """

    memory: BimanualPlanner | None

    def __init__(self) -> None:
        self.memory = None

    def begin(self, onset: Onset) -> None:
        """Stop from the next step on."""
        assert isinstance(onset.planner, BimanualPlanner)
        self.memory = onset.planner
        self.memory.halt(REASON)

    def step(self, control: JointState, felt: Felt) -> Wanted:  # noqa: ARG002 - it feels for itself
        """Return the position to be at after the next step."""
        assert self.memory is not None
        return Wanted(self.memory.step(control), self.memory.expected.velocity)

    def rest(self, control: JointState) -> Rest:
        """Return where the hands were wanted last, and where they are.

        Force control goes on in the next step, once: no step is taken here.
        """
        assert self.memory is not None
        return Rest(self.memory.expected.position, control.position)

    @property
    def resting(self) -> bool:
        """Return whether the hands have come to rest on their path."""
        return self.memory is not None and self.memory.resting
