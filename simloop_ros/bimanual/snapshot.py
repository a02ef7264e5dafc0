"""The state of the planner of two hands, as a value."""

from __future__ import annotations

import msgspec

from ..core.values import Array
from .contact import ContactSnapshot, ContactStep, ContactTarget
from .displacement import Displacement
from .pace import Pace
from .plan import BimanualPlan

DRAG_DISTANCE = 1e-4
"""Distance from which on a stalled arm drags its reference along [m]: more than the noise of
encoders and the error of an arm that follows, less than has an effect on the object."""
RELIEF_SPEED = 0.1
"""Speed at which an insertion with too large a force goes back, as a share of the planned one."""


class StalledArm(msgspec.Struct, frozen=True):
    """An arm that does not follow its setpoints.

    :ivar tip: index of its tip.
    :ivar joints: reference of that arm: joints of the robot, where it is [rad], shape ``(n,)``.
    :ivar pace: on the way to 0: weight of the planned pose.
    :ivar coast: on the way to 0: while its brakes engage.
    """

    tip: int
    joints: Array
    pace: Pace
    coast: Pace

    def after(self, q: Array, distance: float) -> StalledArm:
        """Return the same one step later.

        While its brakes engage the arm still moves, and the other one moves with it. Then the
        reference stays, unless brakes give way: from ``DRAG_DISTANCE`` on it is dragged behind the
        arm, without a jump. Nearer it does not follow: two arms that follow each other would
        creep.

        :param q: measured joints [rad], shape ``(n,)``.
        :param distance: of the measured tip from the reference [m].
        """
        share = max(self.coast.rate, 1.0 - DRAG_DISTANCE / max(DRAG_DISTANCE, distance))
        joints = self.joints + share * (q - self.joints)
        return StalledArm(self.tip, joints, self.pace.slower, self.coast.slower)


class ResistedInsertion(msgspec.Struct, frozen=True):
    """An insertion whose force has reached its limit.

    :ivar leg: its index in the plan.
    :ivar place: of the object on the plan, while time goes on.
    :ivar pace: of it, on the way to 0.
    """

    leg: int
    place: float
    pace: Pace

    def after(self, rate: float, begin: float, end: float, exceeded: bool) -> ResistedInsertion:
        """Return the same one step later.

        It comes to rest, and then goes back as long as the force is too large: also while both
        arms are halted, which would else keep the force of that moment.

        :param rate: of the time along the plan.
        :param begin: place at which the insertion began.
        :param end: place at which it would be without resistance.
        :param exceeded: whether the force is still above its limit.
        """
        if self.pace.ramp:
            pace = self.pace.slower
            return ResistedInsertion(self.leg, min(self.place + rate * pace.rate, end), pace)
        if not exceeded:
            return self
        return ResistedInsertion(self.leg, max(self.place - RELIEF_SPEED, begin), self.pace)


class BimanualSnapshot(msgspec.Struct, frozen=True):
    """All that the next step depends on.

    :ivar plan: the nominal motion.
    :ivar place: on the plan, in steps from the start.
    :ivar pace: of the time along it.
    :ivar position: last setpoint [rad], shape ``(n,)``.
    :ivar velocity: its difference quotient [rad/s], shape ``(n,)``.
    :ivar control: of the forces.
    :ivar displacement: of the object from its planned pose.
    :ivar posture: difference of the joints from the planned ones due to insertions that ended
        early [rad], ``(n,)``: a redundant arm reaches the same pose with other joints, too.
    :ivar halted: why both arms stop or stand; empty while they move.
    :ivar contact: of the last step.
    :ivar stalled: an arm that does not follow.
    :ivar resisted: an insertion whose force has reached its limit.
    :ivar unheld_steps: since the object was held last.
    :ivar lost: whether the object is lost.
    """

    plan: BimanualPlan
    place: float
    pace: Pace
    position: Array
    velocity: Array
    control: ContactSnapshot
    displacement: Displacement
    posture: Array
    halted: str = ''
    contact: ContactStep | None = None
    stalled: StalledArm | None = None
    resisted: ResistedInsertion | None = None
    unheld_steps: int = 0
    lost: bool = False

    @property
    def stop_steps(self) -> int:
        """Return the number of steps in which the robot can stop."""
        return self.plan.stop_steps[int(self.place)]

    def halting(self, reason: str) -> BimanualSnapshot:
        """Return the state of arms that begin to stop; of halted ones the first reason stays."""
        if self.halted:
            return self
        pace = self.pace.stretched(self.stop_steps)
        return msgspec.structs.replace(self, halted=reason, pace=pace)

    def settled(self, target: ContactTarget) -> BimanualSnapshot:
        """Return the state of an object that no longer yields: it stays where it is."""
        held = target.squeeze is not None and target.yielding is None
        deflection = self.control.object_deflection
        if not (held and deflection.any()):
            return self
        row = int(self.place)
        return msgspec.structs.replace(
            self,
            control=self.control.settled(),
            displacement=self.displacement.deflected(
                deflection, self.plan.object_rotation[row], self.plan.hinged[row]
            ),
        )

    def standing(self, before: BimanualSnapshot) -> BimanualSnapshot:
        """Return the state of a step without motion: it is at the place of the one before.

        Joints that can follow again later have nothing to catch up on.
        """
        return msgspec.structs.replace(
            self,
            place=before.place,
            pace=Pace(0, self.pace.steps),
            displacement=before.displacement,
            posture=before.posture,
            resisted=before.resisted,
        )
