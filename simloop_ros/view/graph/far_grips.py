"""Hands of persons at pages that hold a robot over topics: what they feel comes late."""

from __future__ import annotations

from math import sqrt

import msgspec
import numpy as np
import pinocchio as pin

from ...core.values import Array, JointState
from ...maths.minimum_jerk import minimum_jerk_motion
from ...plants.spring_contact import point_jacobian
from ...robot.model import RobotModel
from ..actions import Grip
from ..frame import Force
from ..live.mouse_grip import DAMPING_TIME, FOLLOW_TIME, GRIP_TIME, HeldPoint, wrench_at

DAMPER_SHARE, SPRING_SHARE = 0.3, 0.1
"""Largest ``c w T`` and ``k w T^2`` of a hand that feels with a delay ``T`` a point of mobility
``w``: it swings from ``pi/2`` and 1 on, and with a small damper earlier."""


class FarGrips:
    """Springs and dampers between points of the robot and targets that follow the cursors.

    ::

        f = k (x_t - x) + c (x_t' - x'),   x_t' = (x_c - x_t)/FOLLOW_TIME

    like those of ``MouseGrips``, from what was heard. ``k`` and ``c`` are reduced along the axes
    of ``W = J M^-1 J^T`` along which the hand would swing because of the delay ``T``::

        c w T <= DAMPER_SHARE,   k w T^2 <= SPRING_SHARE

    Then the force is limited.

    :ivar acting: the forces that were asked for last.
    """

    def __init__(self, model: RobotModel):
        self._robot = model
        self._data = model.pin_model.createData()
        self._held: dict[int, HeldPoint] = {}
        self._since: dict[int, float] = {}
        self._time = 0.0
        self.acting: tuple[Force, ...] = ()

    @property
    def any(self) -> bool:
        """Return whether something is held."""
        return bool(self._held)

    @property
    def links(self) -> set[str]:
        """Return the links that are held."""
        return {held.link for held in self._held.values()}

    def take(self, grip: Grip) -> None:
        """Take hold, or move the cursor of a hand that holds.

        :raises UnknownNameError: there is no such link.
        """
        self._robot.frame(grip.link)
        before = self._held.get(grip.hand)
        held = HeldPoint(
            grip.hand,
            grip.link,
            np.array(grip.point),
            np.array(grip.target),
            grip.stiffness,
            grip.max_force,
        )
        if before is None or before.link != grip.link:
            self._since.pop(grip.hand, None)
        else:
            held = msgspec.structs.replace(held, point=before.point, target=before.target)
        self._held[grip.hand] = held

    def let_go(self, hand: int) -> None:
        """Let go with one hand."""
        self._held.pop(hand, None)
        self._since.pop(hand, None)
        self.acting = tuple(force for force in self.acting if force.link in self.links)

    def wrenches(self, time: float, state: JointState, delay: float) -> dict[str, Array]:
        """Return the wrench on each link that is held, at its origin and in its axes [N, N m].

        :param time: of the state [s].
        :param delay: ``T``, from a state to the effect of the wrench [s].
        """
        passed = max(0.0, time - self._time)
        self._time = time
        wrenches: dict[str, Array] = {}
        acting = []
        inertia = pin.crba(self._robot.pin_model, self._data, state.position)
        inertia = inertia.reshape(state.position.size, -1)  # of one joint it is a vector
        for hand, held in self._held.items():
            firm_from = self._since.setdefault(hand, time)
            frame = self._robot.frame(held.link)
            jacobian, point = point_jacobian(
                self._robot.pin_model, self._data, state.position, frame, held.point
            )
            target = point if held.target is None else held.target
            velocity = (held.cursor - target) / (FOLLOW_TIME + passed)
            target = target + passed * velocity
            self._held[hand] = msgspec.structs.replace(held, target=target)
            age = time - firm_from
            firm = minimum_jerk_motion(age / GRIP_TIME)[0] if age < GRIP_TIME else 1.0
            force = _force(
                jacobian @ np.linalg.solve(inertia, jacobian.T),
                target - point,
                velocity - jacobian @ state.velocity,
                firm * held.stiffness,
                delay,
            )
            force *= held.max_force / max(held.max_force, sqrt(force @ force))
            pose = self._data.oMf[frame]
            wrench = wrench_at(pose.translation, point, force)
            turned = np.concatenate([pose.rotation.T @ wrench[:3], pose.rotation.T @ wrench[3:]])
            wrenches[held.link] = wrenches.get(held.link, 0.0) + turned
            acting.append(Force('mouse', held.link, point, force))
        self.acting = tuple(acting)
        return wrenches


def _force(mobility: Array, gap: Array, rate: Array, stiffness: float, delay: float) -> Array:
    """Return the force of a hand without its limit [N], shape ``(3,)``.

    :param mobility: ``W`` [1/kg], shape ``(3, 3)``.
    :param rate: velocity of the target less that of the point [m/s], shape ``(3,)``.
    """
    shares, axes = np.linalg.eigh(mobility)
    yielding = np.maximum(shares, 1e-9) * delay
    spring = np.minimum(stiffness, SPRING_SHARE / (yielding * delay))
    damper = np.minimum(DAMPING_TIME * stiffness, DAMPER_SHARE / yielding)
    force: Array = axes @ (spring * (axes.T @ gap) + damper * (axes.T @ rate))
    return force
