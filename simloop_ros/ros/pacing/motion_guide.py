"""The motion of a planner node, with its reaction to collisions."""

from __future__ import annotations

import numpy as np

from ...assembly.motion import Motion, build_motion
from ...assembly.reflex import build_reflex
from ...bimanual.config import BimanualConfig
from ...collision.config import MonitorConfig
from ...core.values import Array, ExternalInputs, JointState, Setpoint
from ...guiding.config import AdmittanceConfig
from ...guiding.guidance import Guidance
from ...guiding.torque_intake import TorqueFaults
from ...planning.config import PlannerConfig
from ...planning.planner import Planner
from ...reaction.config import ReactionConfig
from ...reaction.reacting import Reacting
from ...reaction.reflex import Reflex, Undisturbed
from ...robot.model import RobotModel
from .plan import PlanPoint
from .realtime_planner import RealtimePlanner


class MotionGuide:
    """Plans, and answers control states: one by one, or ahead of the robot.

    :param noise: standard deviation of a measured position [rad].
    :param compliance: of the control law [s^2]; that of deadbeat control where none is given.
    :param bimanual: of two hands on one object.
    :ivar start: where the present motion began [rad], shape ``(n,)``; none without a motion.
    :ivar held: where the robot is held instead of going on [rad], shape ``(n,)``, if it is.
    """

    _planner: Planner

    def __init__(
        self,
        model: RobotModel,
        period: float,
        planner: PlannerConfig,
        monitor: MonitorConfig,
        reaction: ReactionConfig,
        admittance: AdmittanceConfig,
        bimanual: BimanualConfig,
        noise: float,
        compliance: float | None,
    ):
        self._model = model
        self._period = period
        self._config = planner
        self._monitor, self._reaction, self._admittance = monitor, reaction, admittance
        self._bimanual = bimanual
        self._noise, self._compliance = noise, compliance
        self._goals: Array | None = None
        self._reflex: Reflex | None = None
        self._state: JointState | None = None
        self._last: Array | None = None
        self.start: Array | None = None
        self.held: Array | None = None

    @property
    def planner(self) -> Planner:
        """Return that of the present motion; after ``resume`` it may be another one."""
        return self._planner if self._reflex is None else self._reflex.reacting.planner

    @property
    def faults(self) -> TorqueFaults:
        """Return how many torques were rejected."""
        return TorqueFaults() if self._guidance is None else self._guidance.faults

    @property
    def position(self) -> Array | None:
        """Return the last position of the robot [rad], shape ``(n,)``, if it is known."""
        return None if self._state is None else self._state.position

    @property
    def _guidance(self) -> Guidance | None:
        return None if self._reflex is None else self._reflex.guidance

    @property
    def reaction(self) -> Reacting | None:
        """Return what reacts to a collision now; none while the robot moves as planned."""
        reacting = None if self._reflex is None else self._reflex.reacting
        return None if reacting is None or reacting.state == 'moving' else reacting

    def configure(self, monitor: MonitorConfig, admittance: AdmittanceConfig) -> None:
        """Take over how the robot reacts to the next contact, and its admittance."""
        self._monitor, self._admittance = monitor, admittance
        if self._reflex:
            self._reflex.impact = monitor.reaction
            self._reflex.push = monitor.reaction if monitor.push is None else monitor.push
            self._reflex.give_way(admittance)

    def plan(self, position: Array) -> None:
        """Plan from where the robot rests [rad], shape ``(n,)``, to the goal, and take it.

        :raises GoalError: the motion is refused.
        """
        self.take(self.motion_from(position), position)

    def motion_from(self, position: Array) -> Motion:
        """Return the motion from a position [rad], shape ``(n,)``, to the goal; changes nothing.

        The goal is that of the first motion.

        :raises GoalError: the motion is refused.
        """
        start = JointState(position, np.zeros_like(position))
        return build_motion(
            self._config,
            self._model,
            self._period,
            start,
            self._noise,
            self._compliance,
            self._goals,
            self._bimanual,
        )

    def take(self, motion: Motion, start: Array) -> None:
        """Go on with another motion, that begins where the robot rests [rad], shape ``(n,)``."""
        self._planner = motion.planner
        if self._monitor.watches or self._admittance.guides or motion.plan is not None:
            self._reflex = build_reflex(
                motion.planner,
                self._model,
                self._period,
                self._monitor,
                self._reaction,
                self._admittance,
                compliance=self._compliance,
                replan=lambda position: self.motion_from(position).planner,
            )
        self._run_ahead()
        self._goals = motion.goals
        self.start = start
        self.held = None if self.held is None else start

    def hold(self) -> None:
        """Bring the robot to rest where it is, and hold it there, until ``go_on``."""
        settled = None if self._guidance is None else self._guidance.settle()
        last = self.start if self._last is None else self._last
        self.held = last if settled is None else settled

    def go_on(self, motion: Motion, start: Array) -> None:
        """Go on along a motion that begins where the robot was held [rad], shape ``(n,)``."""
        before, self.held = self._guidance, None
        self.take(motion, start)
        if before is not None and self._guidance is not None:
            self._guidance.restore(before.snapshot())  # it may not be quite at rest

    def setpoint(self, state: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the setpoint of the step that begins in a control state.

        :param inputs: external inputs of the step before.
        """
        self._state = state
        held = self.held
        setpoint = self._moving(state, inputs) if held is None else self._braked(held)
        self._last = setpoint.position
        return setpoint

    def _moving(self, state: JointState, inputs: ExternalInputs) -> Setpoint:
        if self._reflex is not None:
            return self._reflex.step(state, inputs)
        return Setpoint(self.planner.step(state), self.planner.expected.velocity)

    def _braked(self, position: Array) -> Setpoint:
        """Return the setpoint that brings the robot to rest, without drawing it back."""
        if self._guidance is None:
            return Setpoint(position, np.zeros_like(position))
        guided = self._guidance.step(position, None)
        self.held = self._guidance.settle()
        return Setpoint(guided.position, guided.velocity)

    def points(self, stamp: int, state: JointState, inputs: ExternalInputs) -> list[PlanPoint]:
        """Return what is new of the plan, in real time; while the robot reacts, step by step.

        :param stamp: of the control state [ns].
        """
        reflex = self._reflex
        self._state = state
        if reflex is None:
            return self._realtime.answer(stamp, state)
        if self.reaction is None:
            if not reflex.triggers(inputs):
                return self._realtime.answer(stamp, state)
            self._realtime.take_back(stamp)
        point = PlanPoint(stamp, self.setpoint(state, inputs))
        if self.reaction is None:
            self._run_ahead()
        return [point]

    def resume(self) -> bool:
        """Go on to the goal after a reaction; return whether the robot does, or is stopped first.

        :raises GoalError: there is no way from here.
        """
        if self._reflex is None or self._state is None:
            return False
        if not self._reflex.resume(self._state):
            return False
        self._run_ahead()
        return True

    def _run_ahead(self) -> None:
        planner = self.planner if self._reflex is None else Undisturbed(self._reflex)
        self._realtime = RealtimePlanner(planner, self._period)
