"""The motion of a planner node, with its reaction to collisions."""

from __future__ import annotations

from math import ceil

import msgspec
import numpy as np

from ...assembly.bearable_delay import BearableDelay, bearable_delay
from ...assembly.motion import Motion, MotionSettings, build_motion
from ...collision.config import MonitorConfig
from ...core.values import NO_INPUTS, Array, ExternalInputs, JointState, Setpoint
from ...guiding.config import AdmittanceConfig
from ...guiding.guidance import Guidance
from ...guiding.torque_validation import TorqueFaults
from ...maths.coasting import coasting_rate, coasting_time
from ...maths.plan import PlanPoint
from ...planning.ahead import Ahead
from ...planning.planner import HaltablePlanner, Planner
from ...reaction.reactive import ReactivePlanner
from ...robot.model import RobotModel
from ...safety.lateness import LEVELS, LatenessLevel
from ..messages.stamps import NANO, stamp_of, step_of

RATE_TIME = 0.5
"""Time in which the rate of the time along a motion goes from 1 to 0 [s]."""
LEAST_RATE = 0.02
"""Rate below which a motion rests."""
ROUNDING = 1e-6
"""Share of a step: sums of rates are not exact."""
PREDICTED_TIME = 0.08
"""Time from a setpoint on for which a motion is predicted to go on as it does [s]; then it brakes.
Two predictions later, ``FOLLOWED_TIME`` is left of it."""
PREDICTION_TIME = 0.015
"""Time in which a prediction is sent [s]."""
BRAKING_POINTS = 8
"""Points of a prediction while the motion brakes."""
STEPS_AHEAD = 10
"""Steps that are sent ahead: a planner that is late by less disturbs nothing."""


class RealtimePlanner:
    """Answers control states with setpoints at equal intervals [s], from the first state on.

    The time along the motion can go slower: with the rate ``r`` its step ``k`` begins ``h/r``
    after the one before, and its velocity is ``r`` times as large.

    :param rate: at the begin.
    :ivar largest_rate: to which the rate goes, within ``RATE_TIME``; 1 as planned, 0 at rest.
    """

    def __init__(self, planner: Planner, period: float, rate: float = 1.0):
        self._ahead = Ahead(planner, STEPS_AHEAD)
        self._period = period
        self._begin: int | None = None
        self._step = 0
        self._place = 0.0  # on the motion, at the begin of the step
        self._rate = self.largest_rate = rate

    def answer(self, stamp: int, control: JointState) -> list[PlanPoint]:
        """Return what is new of the plan from a stamp [ns] on, not before the last call's."""
        if self._begin is None:
            self._begin = stamp
        step = step_of(stamp - self._begin, self._period)
        changed = self._advance(step)
        # The robot's stamps jitter: extrapolate to the beginning of the step.
        wait = (self._begin + stamp_of(step, self._period) - stamp) / NANO
        place = int(self._place + ROUNDING)
        if self._rate < LEAST_RATE:
            return [self._rest(place, stamp)]
        wait += (place - self._place) * self._period / self._rate
        moved = JointState(
            control.position + wait * control.velocity, control.velocity / self._rate
        )
        found = self._ahead.answer(place, moved, again=changed)
        return [
            PlanPoint(self._stamp(point.step), self._slowed(point.setpoint)) for point in found
        ]

    def take_back(self, stamp: int) -> None:
        """Leave the planner at the step of a stamp [ns], whatever was sent for later ones."""
        if self._begin is not None:
            self._advance(step_of(stamp - self._begin, self._period))
            self._ahead.take_back(int(self._place + ROUNDING))

    def _advance(self, step: int) -> bool:
        """Go on to a step; return whether the rate has changed on the way."""
        changed = False
        for _ in range(step - self._step):
            self._place += self._rate
            change = self.largest_rate - self._rate
            if change:
                limit = self._period / RATE_TIME
                self._rate += min(max(change, -limit), limit)
                changed = True
        self._step = step
        return changed

    def _stamp(self, step: int) -> int:
        """Return the stamp at which a step of the motion begins [ns]."""
        assert self._begin is not None
        if self._rate == 1.0 and self._place == self._step:
            return self._begin + stamp_of(step, self._period)
        later = self._step + (step - self._place) / self._rate
        return self._begin + round(later * self._period * NANO)

    def _slowed(self, setpoint: Setpoint) -> Setpoint:
        if self._rate == 1.0:
            return setpoint
        return msgspec.structs.replace(setpoint, velocity=self._rate * setpoint.velocity)

    def _rest(self, place: int, stamp: int) -> PlanPoint:
        here, there = self._ahead.between(place)
        share = self._place - place
        position = here.position + share * (there.position - here.position)
        return PlanPoint(stamp, Setpoint(position, np.zeros_like(position)))


class MotionGuide:
    """Plans, and answers control states: one by one, or ahead of the robot.

    :param stop_time: in which the robot comes to rest without commands [s].
    :ivar motion: the present one; ``None`` before the first.
    :ivar held: where the robot is held instead of going on [rad], shape ``(n,)``, if it is.
    """

    def __init__(self, model: RobotModel, settings: MotionSettings, stop_time: float):
        self._model = model
        self._stop_time = stop_time
        self._settings = settings
        self._state: JointState | None = None
        self._last: Array | None = None
        self._inputs = NO_INPUTS
        self._level = LEVELS[0]
        braking = np.linspace(0.0, stop_time, BRAKING_POINTS + 1)
        self._times = np.array([0.0, 0.5 * PREDICTED_TIME, *(PREDICTED_TIME + braking)])
        self._ways = np.array([_predicted_way(time, stop_time) for time in self._times])
        self._rates = np.array(
            [coasting_rate(time - PREDICTED_TIME, stop_time) for time in self._times]
        )
        self._prediction: tuple[PlanPoint, ...] = ()
        self._predicts = False
        self._predicted_at = 0
        self.motion: Motion | None = None
        self.held: Array | None = None

    @property
    def bearable_delay(self) -> BearableDelay:
        """Return the delay that its motions bear."""
        return bearable_delay(self._settings, self._model)

    @property
    def planner(self) -> Planner:
        """Return that of the present motion, without reaction and guidance."""
        assert self.motion is not None
        return self.motion.base

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
        admittance = self._settings.admittance
        damped = msgspec.structs.replace(admittance, damping=level.damping * admittance.damping)
        self.motion.configure(self._settings.monitor, damped)
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

        :raises GoalError: the motion is refused.
        """
        goals = None if self.motion is None else self.motion.goals
        return build_motion(self._settings, self._model, position, goals)

    def take(self, motion: Motion) -> None:
        """Go on with another motion, that begins where the robot rests."""
        self.motion = motion
        self._prediction = ()
        self._run_ahead()
        if self._level.share:
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
        """Return the setpoint of a step whose torque is late; none where the last one holds.

        The torque of a driver holds: it may come less often than control states.
        """
        guided = None if self.motion is None else self.motion.guided
        if guided is None or self.held is not None or self._settings.admittance.source == 'driver':
            return None
        setpoint = guided.coast(state, inputs, 1, self._settings.period, 1.0)
        self._state, self._last = state, setpoint.position
        return setpoint

    def predicted(self, stamp: int) -> tuple[PlanPoint, ...]:
        """Return what is next of a prediction, after the setpoint with a stamp [ns].

        It says how the motion comes to rest along its path if no more setpoints come, see
        ``Plan``. It is sent from its end to its begin, some points with each setpoint. One with a
        single point withdraws those before.
        """
        motion, period, planned = self.motion, self._settings.period, self._predicts
        self._predicts = motion is not None and self.held is None and motion.planner.steady
        self._predicted_at = self._predicted_at or stamp
        if motion is None or self._last is None or not self._predicts:
            self._prediction = ()
            if not planned or self._last is None:
                return ()
            last = Setpoint(self._last, np.zeros_like(self._last), predicted=True)
            return (PlanPoint(stamp, last),)
        if not self._prediction:
            self._prediction = tuple(
                PlanPoint(stamp + round(time * NANO), setpoint)
                for time, setpoint in zip(
                    self._times.tolist(),
                    motion.planner.predict(self._ways / period, self._rates),
                    strict=True,
                )
            )
        each = ceil(len(self._times) * (stamp - self._predicted_at) / NANO / PREDICTION_TIME)
        self._predicted_at = stamp
        points = self._prediction[-each:]
        self._prediction = self._prediction[:-each]
        return points[::-1]

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
        steps = int(_predicted_way(missed, self._stop_time) / period + 0.5)
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
        self._state = state
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


def _predicted_way(time: float, stop_time: float) -> float:
    """Return how far a motion goes on as predicted, as time at its present rate [s]."""
    return min(time, PREDICTED_TIME) + coasting_time(time - PREDICTED_TIME, stop_time)


def _between(first: ExternalInputs, last: ExternalInputs, share: float) -> ExternalInputs:
    """Return the inputs some share of the way from one step to another."""

    def mean(a: Array | None, b: Array | None) -> Array | None:
        return b if a is None or b is None else a + share * (b - a)

    return msgspec.structs.replace(
        first, torque=mean(first.torque, last.torque), wrenches=mean(first.wrenches, last.wrenches)
    )
