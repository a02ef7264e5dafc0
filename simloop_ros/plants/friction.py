"""Dry and viscous friction in the joints."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..core.values import UNDISTURBED, Array, Disturbance
from ..robot.model import RobotModel
from .plant import Plant, total_torque
from .wrapper import PlantWrapper

BLOCK_ROUNDS = 8
"""Rounds that correct every wrong guess at once: two or three are the rule, but they may cycle."""
ROUNDS = 200
"""Rounds in all: the rest correct only the first wrong guess, which cannot cycle (Murty 1974)."""

IMPULSE_ROUNDING = 1e-14
"""Part of the momentum by which a holding impulse may exceed the limit without being wrong."""


class JointFriction(PlantWrapper):
    """Coulomb and viscous friction on every joint, solved at the end of the step.

    With the step's own end velocity in the law, friction stops a motion but never reverses it, and
    a joint at rest stays until more than ``F`` is needed to hold it::

        M (v+ - v) = h (tau + tau_ext - nle(q, v) - f - c v+)
        f = F sign(v+)  where v+ != 0,    |f| <= F  where v+ = 0

    The plant inside gets ``tau - f - c v+`` as effort. ``v+`` does not contain contact forces.

    While every joint slides on in its direction, ``f = F sign(v)`` and ``c h`` acts as an inertia
    of the joints, so that one ``aba`` solves the law; only a joint that starts, stops or sticks
    needs the search of ``end_velocity``.

    :ivar damped: the Pinocchio model with the viscous friction as inertia of the joints.
    :param model: the robot as the plant has it, mass bias included.
    :param period: time ``h`` of one ``step`` [s].
    :param coulomb: friction ``F`` that does not depend on speed [N m], of all joints or each.
    :param viscous: friction ``c`` per speed [N m s/rad], of all joints or each.
    """

    def __init__(
        self,
        plant: Plant,
        model: RobotModel,
        period: float,
        coulomb: float | Array,
        viscous: float | Array,
    ):
        super().__init__(plant)
        self._model = model.pin_model
        self._data = self._model.createData()
        self._h = period
        self._coulomb: Array = np.zeros(model.n) + coulomb
        self._viscous: Array = np.zeros(model.n) + viscous
        self._impulse = period * self._coulomb
        self._damping = np.diag(period * self._viscous)
        self.damped = pin.Model(self._model)
        self.damped.armature = self._model.armature + period * self._viscous

    def step(self, effort: Array, disturbance: Disturbance = UNDISTURBED) -> None:
        """Apply efforts less the friction [N m], and a disturbance, for one period."""
        dry, v_next = self._solve(total_torque(effort, disturbance.torque))
        self._plant.step(effort - dry - self._viscous * v_next, disturbance)

    def _solve(self, torque: Array) -> tuple[Array, Array]:
        """Return dry friction [N m] and end velocity [rad/s] of a step under a torque [N m]."""
        state = self._plant.truth
        q, v = state.position, state.velocity
        sign = np.sign(v)
        dry = self._coulomb * sign
        a = pin.aba(self.damped, self._data, q, v, torque - dry - self._viscous * v)
        v_next = v + self._h * a
        onward = sign * v_next
        if onward.min() <= 0.0:
            return self._search(torque, q, v, np.where(onward > 0.0, sign, 0.0))
        return dry, v_next

    def _search(self, torque: Array, q: Array, v: Array, sign: Array) -> tuple[Array, Array]:
        """Solve a step in which a joint starts, stops or sticks.

        :param sign: first guess of the directions of motion, 0 for sticking, shape ``(n,)``.
        """
        inertia = pin.crba(self._model, self._data, q)
        bias = pin.nonLinearEffects(self._model, self._data, q, v)
        h = self._h
        a = inertia + self._damping
        b = inertia @ v + h * (torque - bias)
        v_next = end_velocity(a, b, self._impulse, sign)
        # What is left over is the dry part; on sliding joints it is F sign(v+) by construction.
        dry = (b - a @ v_next) / h
        return np.minimum(np.maximum(dry, -self._coulomb), self._coulomb), v_next


def end_velocity(a: Array, b: Array, limit: float | Array, sign: Array) -> Array:
    """Solve ``a v + p = b`` with ``p = limit sign(v)``, or ``|p| <= limit`` where ``v = 0``.

    It is the only minimum of ``v^T a v / 2 - b^T v + limit |v|_1``. Guess who slides which way,
    solve for them, correct the guess.

    :param a: symmetric and positive definite, shape ``(n, n)``.
    :param b: momentum without dry friction [N m s], shape ``(n,)``.
    :param limit: largest impulse of dry friction [N m s], of all joints or each.
    :param sign: first guess of the directions of motion, 0 for sticking, shape ``(n,)``.
    """
    limits: Array = np.zeros(b.size) + limit
    dry = limits > 0.0
    sign = np.where(dry, sign, 1.0)
    edge = limits + IMPULSE_ROUNDING * np.abs(b).max()
    for trial in range(ROUNDS):
        slide = sign.nonzero()[0]
        right = b - limits * sign
        if slide.size == b.size:
            v: Array = np.linalg.solve(a, right).astype(float, copy=False)
        else:
            v = np.zeros(b.size)
            if slide.size:
                # take is twice as fast as indexing
                part = a.take(slide, 0).take(slide, 1)
                v[slide] = np.linalg.solve(part, right.take(slide))
        hold = b - a @ v
        stops = sign * v < 0.0
        stops &= dry
        starts = np.abs(hold) > edge
        starts &= sign == 0.0
        wrong = (stops | starts).nonzero()[0]
        if not wrong.size:
            break
        if trial >= BLOCK_ROUNDS:
            wrong = wrong[:1]
        sign = sign.copy()
        sign[wrong] = np.where(stops[wrong], 0.0, np.sign(hold[wrong]))
    return v
