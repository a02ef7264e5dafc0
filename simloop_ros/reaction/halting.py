"""The reaction of two arms that hold an object: they stop together, along its path."""

from __future__ import annotations

from ..core.config_types import ReactionKind
from ..core.state import Remembering
from ..core.values import Array, ExternalInputs, JointState, Setpoint
from ..planning.planner import HaltablePlanner
from .reaction import Rest
from .reactive import ReactivePlanner, Replan

REASON = 'collision'


class Halting(Remembering, ReactivePlanner):
    """A planner that stops by itself, whatever reaction is chosen, and keeps controlling forces.

    Hands that hold an object stay together: the robot does not retreat, float or comply.
    """

    _remembered = ('planner', '_active', '_quiet', '_no_way')

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

    @property
    def steady(self) -> bool:
        """Return whether the planner can say how its motion goes on."""
        return self.planner.steady

    def predict(self, ways: Array, rates: Array) -> tuple[Setpoint, ...]:
        """Return what the planner predicts."""
        return self.planner.predict(ways, rates)

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
