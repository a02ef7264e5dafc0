"""The motion of a planner node, with its reaction to collisions."""

from __future__ import annotations

import msgspec
import numpy as np

from ...assembly.bearable_delay import BearableDelay, bearable_delay, damped, fitting_damping
from ...assembly.motion import Motion, MotionSettings, build_motion
from ...collision.config import MonitorConfig
from ...core.values import NO_INPUTS, Array, ExternalInputs, JointState, Setpoint
from ...goals.goal_planner import GoalPlanner
from ...guiding.config import AdmittanceConfig
from ...guiding.guidance import Guidance
from ...guiding.torque_validation import TorqueFaults
from ...maths.coasting import coasting_rate, coasting_time
from ...maths.plan import PlanPoint
from ...planning.planner import HaltablePlanner, Planner
from ...reaction.reactive import ReactivePlanner
from ...robot.model import RobotModel
from ...safety.config import SafetyConfig
from ...safety.lateness import LEVELS, LatenessLevel
from .prediction import Prediction, predicted_way
from .realtime_planner import RealtimePlanner


class MotionGuide:
    """Plans, and answers control states: one by one, or ahead of the robot.

    :param safety: how the robot comes to rest without commands, and what is done about lateness.
    :param realtime: where a robot that gives way too easily for the delay may be damped more.
    :ivar motion: the present one; ``None`` before the first.
    :ivar held: where the robot is held instead of going on [rad], shape ``(n,)``, if it is.
    """

    def __init__(
        self,
        model: RobotModel,
        settings: MotionSettings,
        safety: SafetyConfig,
        *,
        realtime: bool = False,
    ):
        self._model = model
        self._fits = realtime and safety.lateness == 'adapt'
        self._stop_time = stop_time = safety.stop_time
        self._settings = msgspec.structs.replace(settings, takes_goals=True)
        self._state: JointState | None = None
        self._last: Array | None = None
        self._inputs = NO_INPUTS
        self._level = LEVELS[0]
        self._prediction = Prediction(settings.period, stop_time)
        self.motion: Motion | None = None
        self.held: Array | None = None

    @property
    def bearable_delay(self) -> BearableDelay:
        """Return the delay that its motions bear."""
        return bearable_delay(self._settings, self._model, self._fitting)

    @property
    def _fitting(self) -> float:
        """Return the factor of the damping against a hand that real time needs."""
        return fitting_damping(self._settings, self._model) if self._fits else 1.0

    @property
    def planner(self) -> Planner:
        """Return that of the present motion, without reaction and guidance."""
        assert self.motion is not None
        return self.motion.base

    @property
    def goals(self) -> GoalPlanner | None:
        """Return what takes goals; none before the first motion, and for two hands."""
        return None if self.motion is None else self.motion.goal_planner

    @property
    def present_step(self) -> int:
        """Return the number of steps of the motion that are due; others may be taken already."""
        assert self.goals is not None
        ahead = self._runs_ahead and self.reaction is None
        return self._first_step + self._realtime.place if ahead else self.goals.count

    @property
    def start(self) -> Array | None:
        """Return where the present motion began [rad], shape ``(n,)``; none without a motion."""
        return None if self.motion is None else self.motion.start

    @property
    def faults(self) -> TorqueFaults:
        """Return how many torques were rejected."""
        return TorqueFaults() if self._guidance is None else self._guidance.faults

    @property
    def position(self) -> Array | None:
        """Return the last control position [rad], shape ``(n,)``, if there was one."""
        return None if self._state is None else self._state.position

    @property
    def reaction(self) -> ReactivePlanner | None:
        """Return what reacts to a collision now; none while the robot moves as planned."""
        reactive = None if self.motion is None else self.motion.reactive
        return None if reactive is None or reactive.activity == 'moving' else reactive

    @property
    def expects_torques(self) -> bool:
        """Return whether a robot that is led by hand has a torque with each control state.

        That of a driver holds: it may come less often.
        """
        guided = self.motion is not None and self.motion.guided is not None
        return guided and self._settings.admittance.source != 'driver'

    @property
    def _guidance(self) -> Guidance | None:
        guided = None if self.motion is None else self.motion.guided
        return None if guided is None else guided.guidance

    def configure(self, monitor: MonitorConfig, admittance: AdmittanceConfig) -> None:
        """Take over how the robot reacts to the next contact, and how it gives way."""
        self._settings = msgspec.structs.replace(
            self._settings, monitor=monitor, admittance=admittance
        )
        self.adapt(self._level)

    def adapt(self, level: LatenessLevel) -> None:
        """Go slower and give way less, as a level of lateness asks for."""
        self._level = level
        if self.motion is None:
            return
        admittance = damped(self._settings, level.damping * self._fitting).admittance
        self.motion.configure(self._settings.monitor, admittance)
        self._realtime.largest_rate = level.rate
        if isinstance(self.motion.base, HaltablePlanner):
            self.motion.base.limit_rate(level.rate)
        if not level.rate and self._guidance is not None and self.held is None:
            self.hold()

    def plan(self, position: Array) -> None:
        """Take the motion from where the robot rests [rad], shape ``(n,)``, to the goal."""
        self.take(self.motion_from(position))

    def motion_from(self, position: Array) -> Motion:
        """Return the motion from a position [rad], shape ``(n,)``, to the goal of the first one.

        A task that was taught goes on where it was.

        :raises GoalError: the motion is refused.
        """
        return build_motion(self._settings, self._model, position, self.motion)

    def take(self, motion: Motion) -> None:
        """Go on with another motion, that begins where the robot rests."""
        self.motion = motion
        self._prediction.restart()
        self._run_ahead()
        if self._level.share or self._fitting > 1.0:
            self.adapt(self._level)
        self.held = None if self.held is None else motion.start

    def hold(self) -> None:
        """Bring the robot to rest where it is, and hold it there, until ``go_on``."""
        settled = None if self._guidance is None else self._guidance.settle()
        last = self.start if self._last is None else self._last
        self.held = last if settled is None else settled

    def go_on(self, motion: Motion) -> None:
        """Go on along a motion that begins where the robot was held."""
        before, self.held = self._guidance, None
        self.take(motion)
        if before is not None and self._guidance is not None:
            self._guidance.restore(before.snapshot())  # it may not be quite at rest

    def setpoint(self, state: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the setpoint of the step that begins in a control state, with the last inputs."""
        assert self.motion is not None
        self._state, self._inputs = state, inputs
        held = self.held
        setpoint = self.motion.planner.step(state, inputs) if held is None else self._braked(held)
        self._last = setpoint.position
        return setpoint

    def step_without_torque(self, state: JointState, inputs: ExternalInputs) -> Setpoint | None:
        """Return the setpoint of a step whose torque is late; none where the last one holds."""
        guided = None if self.motion is None else self.motion.guided
        if guided is None or self.held is not None or not self.expects_torques:
            return None
        setpoint = guided.coast(state, inputs, 1, self._settings.period, 1.0)
        self._state, self._last = state, setpoint.position
        return setpoint

    def predicted(self, stamp: int) -> tuple[PlanPoint, ...]:
        """Return what is next of a prediction, after the setpoint with a stamp [ns]."""
        motion = self.motion if self.held is None else None
        planner = None if motion is None else motion.planner
        return self._prediction.next(stamp, planner, self._last)

    def pass_over(self, gap: float, state: JointState, inputs: ExternalInputs) -> None:
        """Go on by as much as the robot has, in a gap between two control states [s].

        A robot that is led by hand coasts: torques that were not seen are not integrated. The
        wrenches on two hands in between are interpolated: they are neither held for the whole gap
        nor taken as zero, which would be a jump.

        :param inputs: at its end.
        """
        period = self._settings.period
        missed = gap - period
        guided = None if self.motion is None else self.motion.guided
        if guided is not None and self.held is None:
            way = coasting_time(missed, self._stop_time)
            rate = coasting_rate(missed, self._stop_time)
            guided.coast(state, inputs, int(way / period + 0.5), way, rate)
            return
        steps = int(predicted_way(missed, self._stop_time) / period + 0.5)
        first_state, first_inputs = self._state or state, self._inputs
        for i in range(1, steps + 1):
            share = i / (steps + 1)
            between = JointState(
                first_state.position + share * (state.position - first_state.position),
                first_state.velocity + share * (state.velocity - first_state.velocity),
            )
            self.setpoint(between, _between(first_inputs, inputs, share))

    def _braked(self, position: Array) -> Setpoint:
        """Return the setpoint that brings the robot to rest, without drawing it back."""
        if self._guidance is None:
            return Setpoint(position, np.zeros_like(position))
        guided = self._guidance.step(position, None)
        self.held = self._guidance.settle()
        return Setpoint(guided.position, guided.velocity)

    def points(self, stamp: int, state: JointState, inputs: ExternalInputs) -> list[PlanPoint]:
        """Return what is new of the plan at a stamp [ns]; while the robot reacts, step by step."""
        assert self.motion is not None
        reactive = self.motion.reactive
        self._state, self._runs_ahead = state, True
        if reactive is None:
            return self._realtime.answer(stamp, state)
        if self.reaction is None:
            if reactive.reaction_to(inputs) == 'none':
                return self._realtime.answer(stamp, state)
            self._realtime.take_back(stamp)
        point = PlanPoint(stamp, self.setpoint(state, inputs))
        if self.reaction is None:
            self._run_ahead()
        return [point]

    def rewind(self, stamp: int) -> None:
        """Take back the steps that were sent ahead from a stamp [ns] on, for another motion."""
        if self.motion is not None and self.reaction is None:
            self._realtime.take_back(stamp)

    def resume(self) -> bool:
        """Go on to the goal after a reaction; return whether the robot does, or stops first."""
        if self.motion is None or self._state is None or not self.motion.resume(self._state):
            return False
        self._run_ahead()
        return True

    def _run_ahead(self) -> None:
        assert self.motion is not None
        self._realtime = RealtimePlanner(
            self.motion.planner, self._settings.period, self._level.rate
        )
        self._runs_ahead, self._first_step = False, 0 if self.goals is None else self.goals.count


def _between(first: ExternalInputs, last: ExternalInputs, share: float) -> ExternalInputs:
    """Return the inputs some share of the way from one step to another."""

    def mean(a: Array | None, b: Array | None) -> Array | None:
        return b if a is None or b is None else a + share * (b - a)

    return msgspec.structs.replace(
        first,
        torque=mean(first.torque, last.torque),
        wrenches=mean(first.wrenches, last.wrenches),
        held=True,
    )
