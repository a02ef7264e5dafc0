"""Two arms along their plan, with corrections by the measured wrist wrenches."""

from __future__ import annotations

from math import ceil, isfinite

import msgspec
import numpy as np

from ..core.values import (
    Array,
    ExternalInputs,
    JointState,
    PathCorrection,
    PlannerReport,
    Setpoint,
)
from ..planning.planner import HaltablePlanner
from ..robot.model import RobotModel
from .config import BimanualConfig
from .contact import ContactStep, ContactTarget
from .contact_control import ContactControl
from .corrected_joints import CorrectedJoints
from .displacement import NO_DISPLACEMENT
from .grasps import grasps_of
from .hands import HandFinder
from .insertion import InsertionControl
from .pace import Pace
from .plan import HOME_TOLERANCE, BimanualPlan
from .snapshot import BimanualSnapshot
from .supervision import ObjectMonitor, StallDetector

LOOSE = ContactTarget(0.0)
"""After the object is lost: hands yield to every force, and press nothing."""
STOPPED = 'stopped'
"""Activity of the hands after a halt."""
RESUME_TIME = 0.5
"""Time in which both arms accelerate after a halt [s]: so gently that no monitor takes it for a
collision."""


class BimanualPlanner(HaltablePlanner):
    """The nominal joints of a plan, corrected by measured forces, and the halt of both arms.

    Each step, with the rate ``r`` of the time along the plan, 1 as planned::

        s+ = s + r
        q = joints of the tips' poses at s+, corrected: see ``CorrectedJoints``

    A halt takes ``r`` to 0 within ``stop_time`` (longer where the efforts would not allow it), so
    that both arms stop together on their path, and force control stays on. The planner halts by
    itself:

    * when force control has a fault, of a sensor for instance, or the object is lost: see
      ``ObjectMonitor``;
    * when an arm does not follow: see ``StallDetector``. The other arm keeps its place relative
      to it;
    * when there are no joints for a corrected pose within their ranges.

    Once the object no longer yields, its deflection becomes a displacement, as does the rest of
    the path of an insertion that ended early: all that follows goes on from there.

    :param leash: largest distance of a tip from its last setpoint [m].
    """

    def __init__(
        self,
        plan: BimanualPlan,
        config: BimanualConfig,
        model: RobotModel,
        period: float,
        leash: float,
    ):
        self._period = period
        self._largest_rate = 1.0
        weight = config.object.mass * model.gravity
        grasps, sensors = grasps_of(config.object, model.tips), model.sensors_in_tips()
        self._control = ContactControl(config, model.tips, grasps, sensors, weight, period)
        self._find = HandFinder(model)
        self._stall_detector = StallDetector(model, period, leash)
        self._object_monitor = ObjectMonitor(config, period)
        self._insertion = InsertionControl(weight)
        self._joints = CorrectedJoints(model)
        none = np.zeros((len(model.tips), 3))
        self._straight = PathCorrection(none, none)
        rest, forces = np.zeros(model.n), self._control.snapshot()
        self._state = BimanualSnapshot(
            plan, 0.0, Pace(), plan.joints[0], rest, forces, NO_DISPLACEMENT, rest
        )

    def snapshot(self) -> BimanualSnapshot:
        """Return all that the next step depends on."""
        return self._state

    def restore(self, snapshot: BimanualSnapshot) -> None:
        """Go back to an earlier snapshot, or go on from that of another planner of these tasks.

        The plan comes with it: from then on both planners do the same.
        """
        self._state = snapshot
        self._control.restore(snapshot.control)

    @property
    def expected(self) -> JointState:
        """Return the last setpoint, with its difference quotient."""
        return JointState(self._state.position, self._state.velocity)

    @property
    def halted(self) -> str:
        """Return why both arms stop or stand; empty while they move."""
        return self._state.halted

    @property
    def task(self) -> str:
        """Return the present task, for instance ``task 2 (grasp)``.

        An insertion that is resisted is called ``task 3 (insert, resisted)``.
        """
        plan = self._state.plan
        name = plan.legs[plan.leg_of[int(self._state.place)]].name
        return name if self._state.resisted is None else f'{name[:-1]}, resisted)'

    @property
    def doing(self) -> str:
        """Return the task, or why both arms stop or stand."""
        return f'{STOPPED}: {self.halted}' if self.halted else self.task

    @property
    def resting(self) -> bool:
        """Return whether a halt has come to its end."""
        return bool(self._state.halted) and self._state.pace.rate == 0.0

    @property
    def contact(self) -> ContactStep | None:
        """Return what was measured in the last step."""
        return self._state.contact

    @property
    def correction(self) -> PathCorrection:
        """Return the correction of the last step."""
        contact = self._state.contact
        return self._straight if contact is None else contact.correction

    @property
    def report(self) -> PlannerReport:
        """Return what the hands do, and the correction of the last step."""
        return PlannerReport(self.doing, self.correction)

    def halt(self, reason: str) -> None:
        """Stop both arms along their path from the next step on; the first reason stays."""
        self._state = self._state.halting(reason)

    def limit_rate(self, rate: float) -> None:
        """Go along the path no faster than at a rate: 1 as planned, 0 not at all."""
        self._largest_rate = rate

    def _next_pace(self, state: BimanualSnapshot) -> Pace:
        """Return the pace of the next step: on the way to full speed, to a limit, or to rest."""
        pace = state.pace
        if state.halted:
            return pace.slower
        if pace.rate > self._largest_rate:
            return pace.stretched(max(pace.steps, state.stop_steps)).slower
        return pace.faster if pace.faster.rate <= self._largest_rate else pace

    def restart(self, start: JointState) -> bool:
        """Go on after a halt, if the robot is where it was halted and can go on from there.

        It cannot after a fault of the forces, with a stalled arm, or without the object.
        """
        state = self._state
        distance = float(np.abs(start.position - state.position).max())
        unable = state.stalled is not None or state.lost or state.control.fault
        if unable or not distance <= HOME_TOLERANCE:
            return False
        steps = max(state.pace.steps, ceil(RESUME_TIME / self._period))
        self._state = msgspec.structs.replace(state, halted='', pace=state.pace.stretched(steps))
        return True

    @property
    def steady(self) -> bool:
        """Return whether both arms go along their path, or rest on it."""
        state = self._state
        moves = not state.halted or state.pace.rate == 0.0
        return moves and state.stalled is None and state.resisted is None

    def predict(self, ways: Array, rates: Array) -> tuple[Setpoint, ...]:
        """Return setpoints further along the path, if corrections and pace stay as they are."""
        state, plan = self._state, self._state.plan
        rate, last = state.pace.rate, float(plan.last)
        places = np.minimum(state.place + rate * ways, last)
        before, after = np.maximum(places - 0.5, 0.0), np.minimum(places + 0.5, last)
        way = plan.joints_at(places) - plan.joints_at(state.place)
        slope = (plan.joints_at(after) - plan.joints_at(before)) / (after - before)[:, None]
        positions = state.position + way
        velocities = (rate * rates / self._period)[:, None] * slope
        return tuple(
            Setpoint(position, velocity, predicted=True)
            for position, velocity in zip(positions, velocities, strict=True)
        )

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the next setpoint.

        :param inputs: its ``wrenches`` are those of the object on the hands, at the sensors'
            origins and in their axes, shape ``(tips, 6)``; None if they are lost.
        """
        state, last = self._state, float(self._state.plan.last)
        q = control.position
        if not isfinite(q.dot(q)):
            state = state.halting('the positions of the joints are not known')
            q = state.position
        measured = self._find(q)
        state = self._stall_detector.step(state, measured, q)
        row = int(min(state.place + state.pace.rate, last))
        target = LOOSE if state.lost else state.plan.targets[row]
        state = state.settled(target)
        self._control.restore(state.control)
        contact = self._control.step(measured, inputs.wrenches, target, held=inputs.held)
        state = self._object_monitor.step(state, contact, target, row)
        pace = self._next_pace(state)
        place = min(state.place + pace.rate, last)
        state = self._insertion.step(state, contact, place, pace.rate)
        forces = self._control.snapshot()
        state = msgspec.structs.replace(
            state, place=place, pace=pace, control=forces, contact=contact
        )
        position = self._joints.find(state, contact.correction)
        if position is None:
            reason = 'corrections lead the hands where the joints cannot follow'
            state = state.halting(reason).standing(self._state)
            position = state.position
        velocity = (position - state.position) / self._period
        self._state = msgspec.structs.replace(state, position=position, velocity=velocity)
        return Setpoint(position, velocity)
