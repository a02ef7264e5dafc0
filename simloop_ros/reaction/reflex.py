"""Which reaction follows which contact, and when the motion goes on."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..config_types import ReactionKind
from ..errors import GoalError
from ..planning.motion_planner import MotionPlanner
from ..values import Array, JointState
from .reacting import Reacting, ReactingMemory
from .wanted import Wanted


class ReflexMemory(msgspec.Struct, frozen=True):
    """All that the next step depends on.

    :ivar quiet: steps of rest without contact.
    """

    reacting: ReactingMemory
    quiet: int


class Reflex:
    """A planner that reacts to impacts and pushes, each in its way.

    :param impact: reaction to an impact.
    :param push: reaction to a push.
    :param resume_after: steps of rest without contact after which the motion goes on; ``None`` if
        somebody has to ask for it.
    """

    def __init__(
        self,
        reacting: Reacting,
        impact: ReactionKind,
        push: ReactionKind,
        resume_after: int | None = None,
    ):
        self.reacting = reacting
        self.impact, self.push = impact, push
        self._resume_after = resume_after
        self._quiet = 0

    @property
    def memory(self) -> ReflexMemory:
        """Return all that the next step depends on; assigning an earlier one goes back to it."""
        return ReflexMemory(self.reacting.memory, self._quiet)

    @memory.setter
    def memory(self, memory: ReflexMemory) -> None:
        self.reacting.memory = memory.reacting
        self._quiet = memory.quiet

    def triggers(self, contact: bool, kind: Literal['none', 'push', 'impact']) -> bool:
        """Return whether a robot that moves would react."""
        return contact and (self.push if kind == 'push' else self.impact) != 'none'

    def step(
        self, control: JointState, contact: bool, kind: Literal['none', 'push', 'impact']
    ) -> Wanted:
        """Return what is wanted in the next step.

        :param control: the control state.
        :param contact: whether a monitor sees a contact now.
        :param kind: of the present contact.
        """
        reacting = self.reacting
        state = reacting.state
        if state == 'moving':
            reacting.kind = self.push if kind == 'push' else self.impact
        resting = state == 'resting' and kind == 'none'
        self._quiet = self._quiet + 1 if resting else 0
        if self._resume_after is not None and self._quiet > self._resume_after:
            self._quiet = 0
            self._go_on(control)
        return reacting.step(control, contact)

    def _go_on(self, control: JointState) -> None:
        try:
            self.reacting.resume(control)
        except GoalError:
            self._resume_after = None  # there is no way from here: it stays where it is


class Undisturbed(MotionPlanner):
    """What a reflex does as long as nothing happens, as a planner: its memory is the reflex's."""

    def __init__(self, reflex: Reflex):
        self._reflex = reflex

    @property
    def memory(self) -> ReflexMemory:
        """Return all that the next step depends on; assigning an earlier one goes back to it."""
        return self._reflex.memory

    @memory.setter
    def memory(self, memory: ReflexMemory) -> None:
        self._reflex.memory = memory

    @property
    def expected(self) -> JointState:
        """Return the control state of a robot that is where the planner wants it now."""
        return self._reflex.reacting.planner.expected

    def step(self, control: JointState) -> Array:
        """Return the next desired position [rad], shape ``(n,)``."""
        return self._reflex.step(control, False, 'none').position
