"""Where a person at a page holds the robot."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from ...core.state import Remembering
from ...core.values import Array, JointState
from ...maths.minimum_jerk import minimum_jerk_motion
from ...plants.applied_wrenches import LinkWrench
from ...plants.hand_force import HandForces, Pull, SolvedPulls
from ...plants.spring_contact import point_jacobian
from ...robot.model import RobotModel
from ..actions import Grip
from ..frame import Force

GRIP_TIME = 0.1
"""Time in which a grip becomes firm [s], as that of a hand."""
FOLLOW_TIME = 0.05
"""Time constant with which the target follows the cursor [s]: a page tells its place some twenty
times a second, and each jump would be a jump of the force."""
DAMPING_TIME = 0.1
"""Damping of a grip over its stiffness [s]."""


class HeldPoint(msgspec.Struct, frozen=True):
    """A point that is held.

    :ivar point: on the link, in its own axes [m], shape ``(3,)``.
    :ivar cursor: where the person wants it, in the world [m], shape ``(3,)``.
    :ivar target: what follows the cursor [m], shape ``(3,)``; ``None`` before the first step.
    :ivar steps: since the grip.
    """

    hand: int
    link: str
    point: Array
    cursor: Array
    stiffness: float
    max_force: float
    target: Array | None = None
    steps: int = 0


class MouseGrips(Remembering):
    """The hands of the persons at the pages: springs and dampers like ``plants.hand.Hands``.

    A target ``x_t`` follows the cursor ``x_c`` with the time constant ``T``::

        x_t' = (x_c - x_t)/T

    :param model: the robot as the plant has it.
    :param period: [s].
    :param lag: of the plant, see ``HandForces``.
    :ivar acting: the forces of the last step.
    :ivar energy: into the robot since the start [J].
    """

    _remembered = ('_forces', '_held', 'acting', 'energy')

    def __init__(self, model: RobotModel, period: float, lag: float = 0.0):
        self._robot = model
        self._period = period
        self._forces = HandForces(model, period, lag)
        self._held: tuple[HeldPoint, ...] = ()
        self.energy = 0.0
        self.acting: tuple[Force, ...] = ()

    @property
    def any(self) -> bool:
        """Return whether something is held."""
        return bool(self._held)

    @property
    def hands(self) -> tuple[int, ...]:
        """Return the hands that hold something."""
        return tuple(held.hand for held in self._held)

    def rest(self) -> None:
        """Note that nothing is held in this step."""
        if self.acting:
            self._forces.forget()
            self.acting = ()

    def take(self, grip: Grip) -> None:
        """Take hold, or move the cursor of a hand that holds.

        :raises UnknownNameError: there is no such link.
        """
        self._robot.frame(grip.link)
        cursor = np.array(grip.target)
        before = next((held for held in self._held if held.hand == grip.hand), None)
        others = [held for held in self._held if held.hand != grip.hand]
        if before is None or before.link != grip.link:
            held = HeldPoint(
                grip.hand, grip.link, np.array(grip.point), cursor, grip.stiffness, grip.max_force
            )
        else:
            held = msgspec.structs.replace(
                before, cursor=cursor, stiffness=grip.stiffness, max_force=grip.max_force
            )
        self._held = (*others, held)

    def let_go(self, hand: int | None = None) -> None:
        """Let go with one hand, or with all."""
        self._held = tuple(held for held in self._held if hand not in (None, held.hand))

    def wrenches(
        self, state: JointState, torque: Array
    ) -> tuple[list[LinkWrench], SolvedPulls | None]:
        """Return the wrenches of this step, and how they were solved.

        :param torque: of drives and other external ones [N m], shape ``(n,)``.
        """
        if not self._held:
            self.rest()
            return [], None
        pulls, points, origins = self._pulls(state)
        solved = self._forces.solve(state, torque, pulls)
        wrenches, acting = [], []
        held_points = zip(self._held, points, origins, strict=True)
        for k, (held, point, origin) in enumerate(held_points):
            force = solved.force[3 * k : 3 * k + 3]
            wrenches.append(LinkWrench(held.link, wrench_at(origin, point, force)))
            acting.append(Force('mouse', held.link, point, force))
        self.acting = tuple(acting)
        return wrenches, solved

    def learn(self, solved: SolvedPulls, before: Array, after: Array) -> None:
        """Note how the joints moved [rad/s], shape ``(n,)``."""
        self._forces.learn(solved, before, after)
        moved = 0.5 * self._period * (solved.rate + solved.jacobian @ after)
        self.energy += float(solved.force @ moved)

    def _pulls(self, state: JointState) -> tuple[list[Pull], list[Array], list[Array]]:
        """Return the pulls of this step; targets move on.

        With them the points that are held, and the origins of their links [m], shape ``(3,)``.
        """
        pulls, points, origins, moved = [], [], [], []
        data, h = self._forces.data, self._period
        for i, held in enumerate(self._held):
            frame = self._robot.frame(held.link)
            jacobian, point = point_jacobian(
                self._robot.pin_model, data, state.position, frame, held.point
            )
            target = point if held.target is None else held.target
            velocity = (held.cursor - target) / (FOLLOW_TIME + h)
            time = held.steps * h
            firm = minimum_jerk_motion(time / GRIP_TIME)[0] if time < GRIP_TIME else 1.0
            stiffness = firm * held.stiffness
            pulls.append(
                Pull(
                    i,
                    jacobian,
                    target - point,
                    velocity,
                    stiffness,
                    DAMPING_TIME * stiffness,
                    held.max_force,
                )
            )
            points.append(point)
            origins.append(data.oMf[frame].translation.copy())  # the Jacobian has placed it
            moved.append(
                msgspec.structs.replace(held, target=target + h * velocity, steps=held.steps + 1)
            )
        self._held = tuple(moved)
        return pulls, points, origins


def wrench_at(origin: Array, point: Array, force: Array) -> Array:
    """Return the wrench at the origin of a frame, in world axes [N, N m], shape ``(6,)``.

    :param origin: of the frame, in the world [m], shape ``(3,)``.
    :param point: where the force acts, likewise.
    """
    wrench: Any = np.concatenate([force, np.cross(point - origin, force)])
    return np.asarray(wrench, dtype=np.float64)
