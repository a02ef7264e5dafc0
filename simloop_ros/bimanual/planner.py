"""Two arms along their plan, with corrections by what their wrists feel."""

from __future__ import annotations

from math import ceil, dist, isfinite, sqrt

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import (
    Array,
    ExternalInputs,
    JointState,
    PathCorrection,
    PlannerReport,
    Setpoint,
)
from ..kinematics.turns import SLACK
from ..planning.planner import Planner
from ..robot.chain import chain_to
from ..robot.model import RobotModel
from .config import BimanualConfig
from .contact import ContactStep, ContactTarget
from .contact_control import ContactControl
from .displacement import NO_DISPLACEMENT
from .grasps import grasps_of
from .hands import HandFinder, HandPoses
from .impedance import ARM
from .leg import Leg
from .pace import RAMP, STEEPEST, Pace
from .plan import HOME, BimanualPlan
from .snapshot import BimanualSnapshot, InsertEnd, Stuck
from .tip_follower import TipFollower

LOOSE = ContactTarget(0.0)
"""After the object is lost: hands give way to every force, and press nothing."""
STOPPED = 'stopped'
"""What the hands do after a halt."""
LEAST_SQUEEZE = 0.1
"""Share of the wanted squeeze below which the object is not held."""
BACK = 30.0
"""Acceleration with which a hand goes back to its place beside an arm that did not follow [m/s^2]:
about that of a stop from 0.3 m/s in 10 ms."""
BRAKING = 0.1
"""Time in which the brakes of an arm engage [s]: twice the time constant of the simulated ones."""
SQUARE = sqrt(2.0)
"""Norm of the difference of two rotations that are 1 rad apart, if that were little."""
RESUME = 0.5
"""Time in which both arms get going again after a halt [s]: so gently that no monitor takes it for
a collision."""
LOST_TIME = 0.05
"""Time after which an object that is not held is lost [s]."""


class BimanualPlanner(Planner):
    """The nominal joints of a plan, moved as the forces ask for, and the halt of both arms.

    Each step::

        s+ = s + r                                   place on the plan, r = 1 as planned
        x_i = x_i,nominal(s+) + R_o dx_i             pose of tip i, with the correction
        R_i = exp(R_o dr_i) R_i,nominal(s+)          (dx, dr) in axes of the object

    and the joints for that, nearest to the nominal ones. Where there is nothing to correct they
    are the nominal ones, bit for bit.

    A halt takes ``r`` to 0 within ``stop_time`` (longer where the efforts would not allow it), so
    that both arms stop together on their path, and force control stays on. It halts by itself:

    * when force control has a fault, of a sensor for instance;
    * when a tip is farther than ``leash`` from where the last step wanted it, or turned by as
      much at a distance of ``ARM``. The plan is then moved as one body, so that the arm that does
      not follow is where it should be: the other arm keeps its place relative to it;
    * when the object is not felt any more for 50 ms while it must be held, or never was;
    * when joints for a corrected pose are not to be found within their ranges.

    Once the object does not give way any more, what it has given way by is its displacement, as is
    what an insertion has left of its way: all that follows goes on from there.

    :param leash: how far a tip may be from where the last step wanted it [m].
    """

    def __init__(
        self,
        plan: BimanualPlan,
        config: BimanualConfig,
        model: RobotModel,
        period: float,
        leash: float,
    ):
        self._config = config
        self._leash = leash
        self._model = model
        self._h = period
        self._weight = config.object.mass * model.gravity
        self._control = ContactControl(
            config,
            model.tips,
            grasps_of(config.object, model.tips),
            model.sensors_in_tips(),
            self._weight,
            period,
        )
        self._find = HandFinder(model)
        self._follower = TipFollower(model)
        self._chains = [list(chain_to(model, tip).joints) for tip in model.tips]
        count = len(model.tips)
        self._straight = PathCorrection(np.zeros((count, 3)), np.zeros((count, 3)))
        rest = np.zeros(model.n)
        self._state = BimanualSnapshot(
            plan,
            0.0,
            Pace(),
            plan.joints[0],
            rest,
            self._control.snapshot(),
            NO_DISPLACEMENT,
            rest,
        )

    def snapshot(self) -> BimanualSnapshot:
        """Return all that the next step depends on."""
        return self._state

    def restore(self, snapshot: BimanualSnapshot) -> None:
        """Go back to an earlier snapshot, or go on from that of another planner of these tasks.

        With it comes the plan: from then on both planners do the same.
        """
        self._state = snapshot
        self._control.restore(snapshot.control)

    @property
    def _plan(self) -> BimanualPlan:
        return self._state.plan

    @property
    def expected(self) -> JointState:
        """Return the last desired position, with its difference quotient."""
        return JointState(self._state.position, self._state.velocity)

    @property
    def halted(self) -> str:
        """Return why both arms stop or stand; empty where they go."""
        return self._state.halted

    @property
    def task(self) -> str:
        """Return the task that is done now, for instance ``task 2 (grasp)``.

        Of an insertion that something resists it says so: ``task 3 (insert, resisted)``.
        """
        name = self._leg(self._state.place).name
        return name if self._state.insert_end is None else f'{name[:-1]}, resisted)'

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
        """Return what was felt in the last step."""
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
        if not self._state.halted:
            self._state = self._halting(self._state, reason)

    def restart(self, start: JointState) -> bool:
        """Go on after a halt, if the robot is where it was halted and can go on from there.

        It can not after a fault of the forces, with an arm that did not follow, or without the
        object.
        """
        memory = self._state
        away = float(np.abs(start.position - memory.position).max())
        if memory.stuck is not None or memory.lost or memory.control.fault or not away <= HOME:
            return False
        steps = max(memory.pace.steps, ceil(RESUME / self._h))
        self._state = msgspec.structs.replace(memory, halted='', pace=memory.pace.stretched(steps))
        return True

    def step(self, control: JointState, inputs: ExternalInputs) -> Setpoint:
        """Return the next desired joints.

        :param inputs: of its ``wrenches``: of the object on the hands, at the sensors' origins and
            in their axes, shape ``(tips, 6)``; None where they are lost.
        """
        memory = self._state
        q = control.position
        if not isfinite(q.dot(q)):
            memory = self._halting(memory, 'the positions of the joints are not known')
            q = memory.position
        measured = self._find(q)
        memory = self._watched(memory, measured, q)
        ahead = min(memory.place + memory.pace.rate, float(self._plan.last))
        row = int(ahead)
        wish = LOOSE if memory.lost else self._plan.wishes[row]
        memory = self._settled(memory, wish)
        self._control.restore(memory.control)
        contact = self._control.step(measured, inputs.wrenches, wish)
        memory = self._judged(memory, contact, wish, row)
        pace = memory.pace.slower if memory.halted else memory.pace.faster
        place = min(memory.place + pace.rate, float(self._plan.last))
        memory = self._inserted(memory, contact, place, pace.rate)
        memory = msgspec.structs.replace(
            memory,
            place=place,
            pace=pace,
            control=self._control.snapshot(),
            contact=contact,
        )
        desired = self._desired(memory, contact.correction)
        if desired is None:
            reason = 'corrections lead the hands where the joints cannot follow'
            memory, desired = self._standing(self._halting(memory, reason)), memory.position
        self._state = msgspec.structs.replace(
            memory, position=desired, velocity=(desired - memory.position) / self._h
        )
        return Setpoint(desired, self._state.velocity)

    def _leg(self, place: float) -> Leg:
        return self._plan.legs[self._plan.leg_of[int(place)]]

    def _halting(self, memory: BimanualSnapshot, reason: str) -> BimanualSnapshot:
        if memory.halted:
            return memory
        pace = memory.pace.stretched(self._plan.stop_steps[int(memory.place)])
        return msgspec.structs.replace(memory, halted=reason, pace=pace)

    def _standing(self, memory: BimanualSnapshot) -> BimanualSnapshot:
        """Return the memory of a step that leads nowhere: its place is that of the last one.

        Joints that can follow again, later, have nothing to catch up on.
        """
        before = self._state
        return msgspec.structs.replace(
            memory,
            place=before.place,
            pace=Pace(0, memory.pace.steps),
            displacement=before.displacement,
            posture=before.posture,
            insert_end=before.insert_end,
        )

    def _watched(
        self, memory: BimanualSnapshot, measured: HandPoses, q: Array
    ) -> BimanualSnapshot:
        """Return the memory once it is known whether both arms follow."""
        stuck = memory.stuck
        if stuck is not None:
            there = self._find(stuck.joints).position[stuck.tip]
            away = dist(measured.position[stuck.tip], there)
            return msgspec.structs.replace(memory, stuck=stuck.after(q, away))
        wanted = self._find(memory.position)
        gaps = [dist(a, b) for a, b in zip(measured.position, wanted.position, strict=True)]
        turns = np.linalg.norm(measured.rotation - wanted.rotation, axis=(1, 2)) / SQUARE
        errors = [max(gap, ARM * turn) for gap, turn in zip(gaps, turns.tolist(), strict=True)]
        away = max(errors)
        if away <= self._leash:
            return memory
        tip = errors.index(away)
        memory = self._halting(
            memory,
            f'the arm of {self._model.tips[tip]} does not follow: it is {1e3 * gaps[tip]:.2g} mm '
            f'and {1e3 * turns[tip]:.2g} mrad from where it should be, the leash is '
            f'{1e3 * self._leash:g} mm, {1e3 * self._leash / ARM:g} mrad',
        )
        gentle = sqrt(STEEPEST * away / (RAMP * BACK)) / self._h
        steps = max(self._plan.stop_steps[int(memory.place)], ceil(gentle))
        coast = max(steps, round(BRAKING / self._h))
        stuck = Stuck(tip, q, Pace(steps, steps), Pace(coast, coast))
        return msgspec.structs.replace(memory, stuck=stuck)

    def _judged(
        self, memory: BimanualSnapshot, contact: ContactStep, wish: ContactTarget, row: int
    ) -> BimanualSnapshot:
        """Return the memory once it is known whether force control and object are as they should.

        :param wish: what was wanted of the forces.
        """
        if contact.fault:
            memory = self._halting(memory, contact.fault)
        if memory.lost or not (self._config.force_control and self._plan.held[row]):
            return memory
        wanted = wish.squeeze or 0.0
        held = contact.contact and (wanted == 0.0 or contact.squeeze >= LEAST_SQUEEZE * wanted)
        seeking = wish.seek and not contact.contact and row < self._plan.last
        loose = 0 if held or seeking else memory.loose + 1
        lost = loose * self._h > LOST_TIME
        if lost:
            memory = self._halting(
                memory,
                'the object was dropped: the hands do not feel it any more'
                if contact.contact
                else 'nothing between the hands: they have closed, and no force was felt',
            )
        return msgspec.structs.replace(memory, loose=loose, lost=lost)

    def _inserted(
        self, memory: BimanualSnapshot, contact: ContactStep, place: float, rate: float
    ) -> BimanualSnapshot:
        """Return the memory with the object's own place in an insertion that something resists.

        Arms need some time to stop, in which the force rises above ``max_force``; then they go
        back until it is not, as long as the force is known. Where the insertion is over, what is
        left of its way displaces the object in all tasks that follow.
        """
        plan, end = self._plan, memory.insert_end
        number = plan.leg_of[int(place)]
        if end is not None and end.leg != number:
            last = float(plan.ends[end.leg])
            left = self._object(end.place) - self._object(last)
            bent = _between(plan.joints, end.place) - _between(plan.joints, last)
            return msgspec.structs.replace(
                memory,
                insert_end=None,
                displacement=memory.displacement.by(left, plan.hinged[int(last)]),
                posture=memory.posture + bent,
            )
        leg = plan.legs[number]
        insertion = leg.insertion
        if insertion is None or not contact.contact:
            return memory
        row = int(memory.place)
        axes = memory.displacement.axes(plan.object_rotation[row])
        push = axes @ contact.moving[:3] + self._weight
        known = not contact.fault and memory.stuck is None
        pressed = known and float(push @ insertion.direction) > insertion.max_force
        if end is not None:
            begin = float(plan.ends[number] - leg.steps)
            moved = end.after(rate, begin, place, pressed)
            return msgspec.structs.replace(memory, insert_end=moved)
        if not pressed:
            return memory
        steps = plan.stop_steps[row]
        resisted = InsertEnd(number, place, Pace(steps, steps))
        return msgspec.structs.replace(memory, insert_end=resisted)

    def _object(self, place: float) -> Array:
        """Return where the centre of the object should be [m], shape ``(3,)``."""
        return _between(self._plan.object_position, place)

    def _settled(self, memory: BimanualSnapshot, wish: ContactTarget) -> BimanualSnapshot:
        """Return the memory of an object that does not give way any more, and stays there."""
        held = wish.squeeze is not None and wish.yielding is None
        deflection = memory.control.object_deflection
        if not (held and deflection.any()):
            return memory
        row = int(memory.place)
        return msgspec.structs.replace(
            memory,
            control=memory.control.settled(),
            displacement=memory.displacement.given_way(
                deflection, self._plan.object_rotation[row], self._plan.hinged[row]
            ),
        )

    def _desired(self, memory: BimanualSnapshot, correction: PathCorrection) -> Array | None:
        """Return joints for the corrected poses [rad], shape ``(n,)``; None if there are none."""
        plan, stuck = self._plan, memory.stuck
        place = memory.place if memory.insert_end is None else memory.insert_end.place
        nominal = _between(plan.joints, place)
        there = float(_between(plan.at_object, place))
        aside = memory.displacement.share(there)
        corrected = correction.position.any() or correction.rotation.any() or not aside.none
        if not corrected and stuck is None:
            return nominal
        row = int(place)
        hands = self._follower.poses(nominal)
        if not aside.none:
            planned = pin.SE3(plan.object_rotation[row], self._object(place))
            hands = [aside.moved(pose, planned, plan.hinged[row]) for pose in hands]
        R = aside.axes(plan.object_rotation[row])
        moves, turns = correction.position @ R.T, correction.rotation @ R.T
        wanted = [
            pin.SE3(pin.exp3(turn) @ pose.rotation, pose.translation + move)
            for pose, move, turn in zip(hands, moves, turns, strict=True)
        ]
        near = nominal + there * memory.posture
        if stuck is not None:
            share = 1.0 - stuck.pace.rate
            behind = self._follower.poses(stuck.joints)[stuck.tip]
            along = pin.exp6(share * pin.log6(behind * wanted[stuck.tip].inverse()))
            wanted = [along * pose for pose in wanted]
            chain = self._chains[stuck.tip]
            near[chain] += share * (stuck.joints - near)[chain]
        found = self._follower.follow(near, wanted)
        q = found.joints
        beyond = np.maximum(self._model.lower - q, q - self._model.upper).max()
        if not found.met or beyond > SLACK:
            return None
        return q


def _between(rows: Array, place: float) -> Array:
    """Return a row, or what is between two: a whole place is that row, bit for bit."""
    row = int(place)
    part = place - row
    result: Array = rows[row] if part == 0.0 else (1.0 - part) * rows[row] + part * rows[row + 1]
    return result
