"""Halt: two arms that hold an object stop together, along its path."""

from __future__ import annotations

from ..bimanual.planner import BimanualPlanner
from ..core.values import ExternalInputs, JointState, Setpoint
from .reaction import Onset, Reaction, Rest

REASON = 'collision'


class Halt(Reaction):
    """Let the planner of two hands stop by itself: it goes on to control the internal force.

    Whatever else is asked for, hands that hold an object never leave each other: the robot does
    not retreat, float or comply.

    :ivar memory: the planner; none before the first contact.
    """

    def __init__(self) -> None:
        self._state = None

    def snapshot(self) -> BimanualPlanner | None:
        """Return all that the next step depends on."""
        return self._state

    def restore(self, snapshot: BimanualPlanner | None) -> None:
        """Go back to an earlier snapshot."""
        self._state = snapshot

    def begin(self, onset: Onset) -> None:
        """Stop from the next step on."""
        assert isinstance(onset.planner, BimanualPlanner)
        self._state = onset.planner
        self._state.halt(REASON)

    def step(self, control: JointState, felt: ExternalInputs) -> Setpoint:  # noqa: ARG002 - it feels for itself
        """Return the position to be at after the next step."""
        assert self._state is not None
        return Setpoint(self._state.step(control), self._state.expected.velocity)

    def rest(self, control: JointState) -> Rest:
        """Return where the hands were wanted last, and where they are.

        Force control goes on in the next step, once: no step is taken here.
        """
        assert self._state is not None
        return Rest(self._state.expected.position, control.position)

    @property
    def resting(self) -> bool:
        """Return whether the hands have come to rest on their path."""
        return self._state is not None and self._state.resting
