"""A planner around a planner: from a contact on, a reaction takes over."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Literal, get_args

import numpy as np

from ..core.config_types import ReactionKind
from ..core.errors import GoalError, UnknownNameError
from ..core.values import Array, ExternalInputs, JointState, PlannerReport, Setpoint
from ..guiding.config import AdmittanceConfig
from ..planning.planner import Planner
from .reaction import Rest

Activity = Literal['moving', 'reacting', 'resting']
Replan = Callable[[Array], Planner]
"""Return a planner to the same goal from a position [rad] at rest; may raise ``GoalError``."""


class ReactivePlanner(Planner):
    """A planner's motion until there is a contact, then a reaction, then rest.

    While ``moving`` the setpoints are those of the planner. A contact begins the reaction to its
    nature, and the robot is ``reacting`` until it is held somewhere, ``resting``. There it stays
    until ``resume``. A further contact during a reaction begins no other one.

    :param planner: at the beginning of the motion.
    :param replan: for a planner that cannot restart.
    :param resume_after: steps of rest without contact after which the motion is resumed, once;
        ``None`` if ``resume`` has to be called.
    """

    def __init__(
        self,
        planner: Planner,
        impact: ReactionKind,
        push: ReactionKind,
        *,
        replan: Replan | None = None,
        resume_after: int | None = None,
    ):
        self.planner = planner
        self.choose(impact, push)
        self._replan = replan
        self._resume_after = resume_after
        self._active: ReactionKind = 'none'
        self._quiet = 0  # steps of rest without contact
        self._no_way = False  # whether an attempt to resume has failed

    def choose(self, impact: ReactionKind, push: ReactionKind) -> None:
        """Set the reactions to the next contact; a present reaction continues."""
        for kind in (impact, push):
            if kind not in get_args(ReactionKind):
                raise UnknownNameError('reaction', kind, get_args(ReactionKind))
        self.impact, self.push = impact, push

    def reaction_to(self, inputs: ExternalInputs) -> ReactionKind:
        """Return the reaction that the inputs would begin while the robot moves."""
        if not inputs.contact:
            return 'none'
        return self.push if inputs.kind == 'push' else self.impact

    @property
    def active(self) -> ReactionKind:
        """Return the present reaction; ``none`` while the robot moves as planned."""
        return self._active

    @property
    def activity(self) -> Activity:
        """Return the phase of the motion."""
        if self._active == 'none':
            return 'moving'
        return 'resting' if self._resting() else 'reacting'

    @property
    def expected(self) -> JointState:
        """Return the expected state of the planner."""
        return self.planner.expected

    @property
    def report(self) -> PlannerReport | None:
        """Return the planner's report."""
        return self.planner.report

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the setpoint of the next step."""
        if self._active != 'none':
            self._resume_when_quiet(control, inputs)
        if self._active == 'none':
            self._active = self.reaction_to(inputs)
            if self._active != 'none':
                self._begin(self._active, control)
        return self._step(control, inputs)

    def resume(self, control: JointState) -> bool:
        """Continue to the same goal from where the robot rests; return whether it does.

        A robot that is not resting is stopped first, as by ``stop``: call again later.

        :raises GoalError: there is no motion from here; the robot stays at rest.
        """
        if self._active == 'none':
            return True
        if not self._resting():
            self.stop()
            return False
        rest = self._rest(control)
        if not self._resting():
            return False
        if not self.planner.restart(JointState(rest.start, np.zeros_like(rest.start))):
            if self._replan is None:
                raise GoalError('this motion cannot be resumed: there is no planner to replan it')
            self.planner.restore(self._replan(rest.held).snapshot())
        self._end()
        self._active = 'none'
        return True

    def _resume_when_quiet(self, control: JointState, inputs: ExternalInputs) -> None:
        quiet = inputs.kind == 'none' and self._resting()
        self._quiet = self._quiet + 1 if quiet else 0
        if self._resume_after is None or self._no_way or self._quiet <= self._resume_after:
            return
        self._quiet = 0
        try:
            self.resume(control)
        except GoalError:
            self._no_way = True

    def configure(self, admittance: AdmittanceConfig) -> None:
        """Apply another admittance, where a reaction complies with external torques."""

    @abstractmethod
    def stop(self) -> None:
        """End a reaction that moves, or may move: stop the robot and hold it."""

    @abstractmethod
    def _begin(self, kind: ReactionKind, control: JointState) -> None:
        """Begin a reaction with the next step."""

    @abstractmethod
    def _step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the setpoint, of the planner or of the present reaction."""

    @abstractmethod
    def _resting(self) -> bool:
        """Return whether the present reaction has come to rest."""

    @abstractmethod
    def _rest(self, control: JointState) -> Rest:
        """Return where the robot rests; afterwards it may not be resting any more."""

    def _end(self) -> None:
        """Keep data of the present reaction for later ones."""
