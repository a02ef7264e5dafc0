"""What the planner of two hands remembers from one step to the next."""

from __future__ import annotations

import msgspec

from ..core.values import Array
from .contact import ContactSnapshot, ContactStep
from .displacement import Displacement
from .pace import Pace
from .plan import BimanualPlan

DRAG = 1e-4
"""Distance at which an arm that does not follow pulls its place along [m]: more than encoders'
noise and the error of an arm that follows, less than an object feels."""

RELIEF = 0.1
"""Speed at which an insertion goes back that presses too much, as a share of the planned one."""


class Stuck(msgspec.Struct, frozen=True):
    """An arm that does not follow.

    :ivar tip: index of its tip.
    :ivar joints: of the robot, where that arm is [rad], shape ``(n,)``.
    :ivar pace: on the way to 0: how much of the planned pose still counts.
    :ivar coast: on the way to 0: while its brakes engage.
    """

    tip: int
    joints: Array
    pace: Pace
    coast: Pace

    def after(self, q: Array, away: float) -> Stuck:
        """Return the same one step later.

        While its brakes engage the arm still goes some way, and the other one goes with it. Then
        it stays, unless brakes give way: from ``DRAG`` on its place is dragged behind it, without
        a jump. Nearer it is not followed: two arms that follow each other would creep.

        :param q: measured joints [rad], shape ``(n,)``.
        :param away: of the measured tip from its place here [m].
        """
        share = max(self.coast.rate, 1.0 - DRAG / max(DRAG, away))
        joints = self.joints + share * (q - self.joints)
        return Stuck(self.tip, joints, self.pace.slower, self.coast.slower)


class InsertEnd(msgspec.Struct, frozen=True):
    """An insertion that something resists.

    :ivar leg: index of it in the plan.
    :ivar place: of the object on the plan, while time goes on.
    :ivar pace: of it, on the way to 0.
    """

    leg: int
    place: float
    pace: Pace

    def after(self, rate: float, begin: float, most: float, pressed: bool) -> InsertEnd:
        """Return the same one step later.

        It comes to rest, and then goes back as long as it presses too much: also where both arms
        were halted, which would else press on as hard as they did then.

        :param rate: of the time along the plan.
        :param begin: place from which the insertion came.
        :param most: place at which it would be without resistance.
        :param pressed: whether the force is still above the allowed one.
        """
        if self.pace.ramp:
            pace = self.pace.slower
            return InsertEnd(self.leg, min(self.place + rate * pace.rate, most), pace)
        if not pressed:
            return self
        return InsertEnd(self.leg, max(self.place - RELIEF, begin), self.pace)


class BimanualSnapshot(msgspec.Struct, frozen=True):
    """All that the next step depends on.

    :ivar plan: the nominal motion.
    :ivar place: on the plan, in steps from the start.
    :ivar pace: of the time along it.
    :ivar position: desired last [rad], shape ``(n,)``.
    :ivar velocity: its difference quotient [rad/s], shape ``(n,)``.
    :ivar control: of the forces.
    :ivar displacement: of the object from where it was planned.
    :ivar posture: by how much the joints differ from the planned ones for insertions that ended
        early [rad], ``(n,)``: a redundant arm gets to the same place with other joints, too.
    :ivar halted: why both arms stop or stand; empty where they go.
    :ivar contact: what was felt last.
    :ivar stuck: an arm that does not follow.
    :ivar insert_end: an insertion that something resists.
    :ivar loose: steps since the object was held last.
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
    stuck: Stuck | None = None
    insert_end: InsertEnd | None = None
    loose: int = 0
    lost: bool = False
