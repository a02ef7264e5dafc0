"""The reaction of two arms that hold an object: they stop together, along its path."""

from __future__ import annotations

from typing import Any

import msgspec

from ..core.config_types import ReactionKind
from ..core.values import ExternalInputs, JointState, Setpoint
from ..planning.planner import HaltablePlanner
from .reaction import Rest
from .reactive import ReactivePlanner, Replan

REASON = 'collision'


class HaltingSnapshot(msgspec.Struct, frozen=True):
    """All that the next step depends on, as in ``ReactingSnapshot``."""

    planner: Any
    active: ReactionKind
    quiet: int
    no_way: bool


class Halting(ReactivePlanner):
    """A planner that stops by itself, whatever reaction is chosen, and keeps controlling forces.

    Hands that hold an object stay together: the robot does not retreat, float or comply.
    """

    planner: HaltablePlanner

    def __init__(
        self,
        planner: HaltablePlanner,
        impact: ReactionKind,
        push: ReactionKind,
        *,
        replan: Replan | None = None,
        resume_after: int | None = None,
    ):
        super().__init__(planner, impact, push, replan=replan, resume_after=resume_after)

    def snapshot(self) -> HaltingSnapshot:
        """Return all that the next step depends on."""
        return HaltingSnapshot(self.planner.snapshot(), self._active, self._quiet, self._no_way)

    def restore(self, snapshot: HaltingSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self.planner.restore(snapshot.planner)
        self._active = snapshot.active
        self._quiet, self._no_way = snapshot.quiet, snapshot.no_way

    def stop(self) -> None:
        """Do nothing: the hands are on their way to rest already."""

    def _begin(self, kind: ReactionKind, control: JointState) -> None:  # noqa: ARG002
        self.planner.halt(REASON)

    def _step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        return self.planner.step(control, inputs)

    def _resting(self) -> bool:
        return self.planner.resting

    def _rest(self, control: JointState) -> Rest:
        """Return the last setpoint, and where the hands are; no step is taken here."""
        return Rest(self.planner.expected.position, control.position)
