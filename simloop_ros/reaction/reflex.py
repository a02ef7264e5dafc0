"""Which reaction follows which contact, and when the motion goes on."""

from __future__ import annotations

import msgspec

from ..core.config_types import ReactionKind
from ..core.errors import GoalError
from ..core.values import NO_INPUTS, Array, ExternalInputs, JointState, Setpoint
from ..guiding.config import AdmittanceConfig
from ..guiding.guidance import Guidance, GuidanceSnapshot
from ..planning.planner import Planner
from .reacting import Reacting, ReactingSnapshot


class ReflexSnapshot(msgspec.Struct, frozen=True):
    """All that the next step depends on.

    :ivar quiet: steps of rest without contact.
    :ivar guidance: how far and how fast the robot gives way; none where it does not.
    """

    reacting: ReactingSnapshot
    quiet: int
    guidance: GuidanceSnapshot | None


class Reflex:
    """A planner that reacts to impacts and pushes, each in its way, and may give way to torques.

    With a guidance the robot is led away from where the planner wants it by ``e`` of 001 (2). The
    planner knows nothing of that: it is told the control state without ``e``.

    :param impact: reaction to an impact.
    :param push: reaction to a push.
    :param resume_after: steps of rest without contact after which the motion goes on; ``None`` if
        somebody has to ask for it.
    :param guidance: none for a robot that gives way only if a reaction does.
    """

    def __init__(
        self,
        reacting: Reacting,
        impact: ReactionKind,
        push: ReactionKind,
        resume_after: int | None = None,
        guidance: Guidance | None = None,
    ):
        self.reacting = reacting
        self.impact, self.push = impact, push
        self._resume_after = resume_after
        self._quiet = 0
        self.guidance = guidance

    def snapshot(self) -> ReflexSnapshot:
        """Return all that the next step depends on."""
        guidance = None if self.guidance is None else self.guidance.snapshot()
        return ReflexSnapshot(self.reacting.snapshot(), self._quiet, guidance)

    def restore(self, snapshot: ReflexSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self.reacting.restore(snapshot.reacting)
        self._quiet = snapshot.quiet
        if self.guidance is not None and snapshot.guidance is not None:
            self.guidance.restore(snapshot.guidance)

    def triggers(self, felt: ExternalInputs) -> bool:
        """Return whether a robot that moves would react."""
        return felt.contact and (self.push if felt.kind == 'push' else self.impact) != 'none'

    def step(self, control: JointState, felt: ExternalInputs) -> Setpoint:
        """Return what is wanted in the next step.

        :param control: the control state.
        :param felt: what is felt now.
        """
        wanted = self._wanted(self._without_deflection(control), felt)
        if self.guidance is None or wanted.effort is not None:
            return wanted
        led = self.guidance.step(wanted.position, felt.torque)
        return Setpoint(led.position, wanted.velocity + led.velocity, restart=wanted.restart)

    def give_way(self, admittance: AdmittanceConfig) -> None:
        """Take over how the robot gives way, from the next step on; nothing jumps."""
        self.reacting.give_way(admittance)
        if self.guidance is not None:
            self.guidance.configure(admittance)

    def resume(self, control: JointState) -> bool:
        """Go on to the goal after a reaction, see ``Reacting.resume``.

        :param control: the control state.
        """
        return self.reacting.resume(self._without_deflection(control))

    def _without_deflection(self, control: JointState) -> JointState:
        """Return where the robot would be if it had not given way."""
        if self.guidance is None:
            return control
        away = self.guidance.deflection
        return JointState(control.position - away.position, control.velocity - away.velocity)

    def _wanted(self, control: JointState, felt: ExternalInputs) -> Setpoint:
        reacting, kind = self.reacting, felt.kind
        state = reacting.state
        if state == 'moving':
            reacting.kind = self.push if kind == 'push' else self.impact
        resting = state == 'resting' and kind == 'none'
        self._quiet = self._quiet + 1 if resting else 0
        if self._resume_after is not None and self._quiet > self._resume_after:
            self._quiet = 0
            self._go_on(control)
        return reacting.step(control, felt)

    def _go_on(self, control: JointState) -> None:
        try:
            self.reacting.resume(control)
        except GoalError:
            self._resume_after = None  # there is no way from here: it stays where it is


class Undisturbed(Planner):
    """What a reflex does as long as nothing happens, as a planner: its memory is the reflex's."""

    def __init__(self, reflex: Reflex):
        self._reflex = reflex

    def snapshot(self) -> ReflexSnapshot:
        """Return all that the next step depends on."""
        return self._reflex.snapshot()

    def restore(self, snapshot: ReflexSnapshot) -> None:
        """Go back to an earlier snapshot."""
        self._reflex.restore(snapshot)

    @property
    def expected(self) -> JointState:
        """Return the control state of a robot that is where the planner wants it now."""
        return self._reflex.reacting.planner.expected

    def step(self, control: JointState) -> Array:
        """Return the next desired position [rad], shape ``(n,)``."""
        return self._reflex.step(control, NO_INPUTS).position
