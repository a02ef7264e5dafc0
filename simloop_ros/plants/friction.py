"""Dry and viscous friction in the joints."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..model import RobotModel
from ..values import Array
from .plant import Plant
from .wrapper import PlantWrapper

BLOCK_ROUNDS = 8
"""Rounds that correct every wrong guess at once: two or three are the rule, but they may cycle."""
ROUNDS = 200
"""Rounds in all: the rest correct only the first wrong guess, which cannot cycle (Murty 1974)."""

ROUNDING = 1e-14
"""Part of the momentum by which a holding impulse may exceed the limit without being wrong."""


class JointFriction(PlantWrapper):
    """Coulomb and viscous friction on every joint, solved at the end of the step.

    With the step's own end velocity in the law, friction stops a motion but never reverses it, and
    a joint at rest stays until more than ``F`` is needed to hold it::

        M (v+ - v) = h (tau - nle(q, v) - f - c v+)
        f = F sign(v+)  where v+ != 0,    |f| <= F  where v+ = 0

    The plant inside gets ``tau - f - c v+``. Contact forces are not foreseen in ``v+``.

    :param plant: the plant that gets friction.
    :param model: the robot as the plant has it, mass bias included.
    :param period: time ``h`` of one ``step`` [s].
    :param coulomb: friction ``F`` that does not depend on speed [N m].
    :param viscous: friction ``c`` per speed [N m s/rad].
    """

    def __init__(
        self, plant: Plant, model: RobotModel, period: float, coulomb: float, viscous: float
    ):
        super().__init__(plant)
        self._model = model.pin_model
        self._data = self._model.createData()
        self._h = period
        self._coulomb = coulomb
        self._viscous = viscous
        self._damping = period * viscous * np.eye(model.n)

    def step(self, effort: Array) -> None:
        """Apply efforts [N m] less the friction for one period."""
        q, v = self._plant.truth.position, self._plant.truth.velocity
        inertia = pin.crba(self._model, self._data, q)
        bias = pin.nonLinearEffects(self._model, self._data, q, v)
        h = self._h
        a = inertia + self._damping
        b = inertia @ v + h * (effort - bias)
        v_next = end_velocity(a, b, h * self._coulomb, np.sign(v))
        # What is left over is the dry part; on sliding joints it is F sign(v+) by construction.
        dry = np.clip((b - a @ v_next) / h, -self._coulomb, self._coulomb)
        self._plant.step(effort - dry - self._viscous * v_next)


def end_velocity(a: Array, b: Array, limit: float, sign: Array) -> Array:
    """Solve ``a v + p = b`` with ``p = limit sign(v)``, or ``|p| <= limit`` where ``v = 0``.

    It is the only minimum of ``v^T a v / 2 - b^T v + limit |v|_1``. Guess who slides which way,
    solve for them, correct the guess.

    :param a: symmetric and positive definite, shape ``(n, n)``.
    :param b: momentum without dry friction [N m s], shape ``(n,)``.
    :param limit: largest impulse of dry friction [N m s].
    :param sign: first guess of the directions of motion, 0 for sticking, shape ``(n,)``.
    """
    if limit == 0.0:
        sign = np.ones_like(b)
    edge = limit + ROUNDING * np.abs(b).max()
    for trial in range(ROUNDS):
        v = np.zeros_like(b)
        slide = np.flatnonzero(sign)
        if slide.size:
            v[slide] = np.linalg.solve(a[slide][:, slide], b[slide] - limit * sign[slide])
        hold = b - a @ v
        stops = sign * v < 0.0
        starts = (sign == 0.0) & (np.abs(hold) > edge)
        wrong = np.flatnonzero(stops | starts)
        if limit == 0.0 or not wrong.size:
            break
        if trial >= BLOCK_ROUNDS:
            wrong = wrong[:1]
        sign = sign.copy()
        sign[wrong] = np.where(stops[wrong], 0.0, np.sign(hold[wrong]))
    return v
