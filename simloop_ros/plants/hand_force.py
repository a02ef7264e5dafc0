"""The forces of hands that pull points of a robot: springs and dampers, solved implicitly."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import msgspec
import numpy as np
import pinocchio as pin

from ..core.state import Remembering
from ..core.values import Array, JointState
from ..robot.model import RobotModel


class Pull(msgspec.Struct, frozen=True):
    """What the force of a hand in this step depends on.

    :ivar index: which hand it is.
    :ivar jacobian: of the point's velocity, shape ``(3, n)``.
    :ivar gap: from the point to the target [m], shape ``(3,)``.
    :ivar velocity: of the target [m/s], shape ``(3,)``.
    :ivar stiffness: ``k`` [N/m], with ``damping`` ``c`` [N s/m] and ``max_force`` [N].
    """

    index: int
    jacobian: Array
    gap: Array
    velocity: Array
    stiffness: float
    damping: float
    max_force: float


class SolvedPulls(msgspec.Struct, frozen=True):
    """The forces of all hands in a step, one after the other.

    :ivar force: [N], shape ``(3 hands,)``.
    :ivar jacobian: of all points, shape ``(3 hands, n)``.
    :ivar rate: velocities of the points at the beginning [m/s], shape ``(3 hands,)``.
    :ivar known: acceleration by the model without the hands [rad/s^2], shape ``(n,)``.
    :ivar effect: acceleration by the hands [rad/s^2], shape ``(n,)``.
    """

    force: Array
    jacobian: Array
    rate: Array
    known: Array
    effect: Array

    @property
    def torque(self) -> Array:
        """Return the joint torque of all hands [N m], shape ``(n,)``."""
        torque: Array = self.jacobian.T @ self.force
        return torque


class HandForces(Remembering):
    """Solve the forces of hands, each with its own effect on the point that it pulls.

    ``W = J M^-1 J^T``, and ``x'_free`` is the velocity that would follow without the hands::

        x'+ = x'_free + h W f
        f   = k (x_t - x + o h (x_t' - x') - h/4 (x'+ - x')) + c (x_t' - x'+)

    A plant that takes one semi-implicit step has ``o = 0``, and the spring sees the mean
    ``(x- + 2 x + x+)/4`` of three positions. One that takes many, or steps of second order, moves
    by ``x+ = x + h (x'+ - o (x'+ - x'))``; with ``o = 1/2`` the spring sees the mean position of
    the step. On a free mass it neither adds nor removes energy, for any ``k``. The damper sees the
    velocity at the end, which it never reverses. So a hand is stable by itself, however stiff it
    is and however light the link; only the change of ``J`` and ``M`` over a step is neglected.
    ``x'_free`` contains the efforts, the external torques and, as in the step before, the
    acceleration that those do not explain: friction, elastic joints, obstacles. Hands are solved
    together, then each is limited.

    :param model: the robot as the plant has it.
    :param period: time ``h`` of a step [s].
    :param lag: ``o``.
    """

    _remembered = ('_unexplained',)

    def __init__(self, model: RobotModel, period: float, lag: float = 0.0):
        self.model = model.pin_model
        self.data = self.model.createData()
        self._h = period
        self._ahead = lag * period
        self._zero: Array = np.zeros(model.n)
        self.forget()

    def forget(self) -> None:
        """Begin as new: nothing pulled in the last step."""
        self._unexplained = self._zero  # acceleration beyond the model's, last step [rad/s^2]

    def solve(self, state: JointState, torque: Array, pulls: Sequence[Pull]) -> SolvedPulls:
        """Return the forces of a step.

        :param torque: of drives and external ones, without the hands [N m], shape ``(n,)``.
        """
        q, v, h = state.position, state.velocity, self._h
        jacobian = np.concatenate([pull.jacobian for pull in pulls])
        known = pin.aba(self.model, self.data, q, v, torque)
        inertia = pin.crba(self.model, self.data, q).reshape(v.size, -1)
        response = np.linalg.solve(inertia, jacobian.T)
        rate = jacobian @ v
        free = rate + h * (jacobian @ (known + self._unexplained))
        force = _limited(pulls, _balance(pulls, rate, free, jacobian @ response, h, self._ahead))
        return SolvedPulls(force, jacobian, rate, known, response @ force)

    def learn(self, solved: SolvedPulls, before: Array, after: Array) -> None:
        """Note what the model did not explain in the step; joint velocities [rad/s], ``(n,)``."""
        self._unexplained = (after - before) / self._h - solved.known - solved.effect


def _limited(pulls: Sequence[Pull], force: Array) -> Array:
    """Return the forces [N] of all hands, one after the other, each within its limit."""
    limited = force.copy()
    for k, pull in enumerate(pulls):
        part = limited[3 * k : 3 * k + 3]
        size = sqrt(part.dot(part))
        if size > pull.max_force:
            part *= pull.max_force / size
    return limited


def _balance(
    pulls: Sequence[Pull], rate: Array, free: Array, mobility: Array, h: float, ahead: float
) -> Array:
    """Return the forces [N] without their limits, shape ``(3 hands,)``.

    :param rate: velocities of the points [m/s], shape ``(3 hands,)``.
    :param free: those at the end of the step if no hand pulled [m/s], shape ``(3 hands,)``.
    :param mobility: ``W`` [1/kg], shape ``(3 hands, 3 hands)``.
    :param ahead: time ``o h`` into the step at which the spring sees the positions [s].
    """
    gap = np.concatenate([pull.gap for pull in pulls])
    velocity = np.concatenate([pull.velocity for pull in pulls])
    stiffness = np.array([pull.stiffness for pull in pulls for _ in 'xyz'])
    damping = np.array([pull.damping for pull in pulls for _ in 'xyz'])
    gap = gap + ahead * (velocity - rate)
    wanted = stiffness * (gap - 0.25 * h * (free - rate)) + damping * (velocity - free)
    resistance = h * (0.25 * h * stiffness + damping)
    matrix = resistance[:, None] * mobility
    matrix.ravel()[:: gap.size + 1] += 1.0
    return np.linalg.solve(matrix, wanted)
