"""Effective mass of a tip along a direction, and the motion of the elbow that reduces it."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel

WORLD = pin.Convention.WORLD
WORLD_AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
RANK_TOLERANCE = 1e-6
"""Singular values below this share of the largest are zero: the tip cannot move that way."""
RATE_TOLERANCE = 1e-9
"""Rate of change below this share of the mass per radian is none: rounding has no direction."""


class GuidingHint(msgspec.Struct, frozen=True):
    """Which motion that leaves the tip where it is makes it lighter fastest.

    :ivar mass: effective mass now [kg].
    :ivar direction: joint velocity of norm 1, shape ``(n,)``; zero if no motion changes the mass.
    :ivar rate: how the mass changes along it [kg/rad], never positive.
    :ivar elbow: how the elbow moves along it, world axes [m/rad], shape ``(3,)``.
    """

    mass: float
    direction: Array
    rate: float
    elbow: Array


class EffectiveMass:
    """001, section 5.2: the mass with which the tip would hit something.

    ::

        1/mass = u^T J M^-1 J^T u = j^T w,        j = J^T u,  w = M^-1 j

    ``J``: translational Jacobian of the tip in world axes, ``u``: unit vector. Its gradient is::

        d mass/dq = mass^2 (w^T dM/dq w - 2 d(u^T J w)/dq),        w held

    ``M w`` being what ``rnea`` gives without gravity and velocity, and ``J w`` the tip's velocity
    at joint velocity ``w``. The hint is the gradient's part in the null space of the task,
    downhill. The norm of a joint velocity counts all joints alike.

    :param elbow: link whose motion shows the hint.
    :param task: what the hint leaves as it is: the tip's ``position``, or its ``pose``.
    """

    def __init__(
        self, model: RobotModel, tip: str, elbow: str, task: Literal['position', 'pose'] = 'pose'
    ):
        self._model = model.pin_model.copy()
        self._model.gravity.linear = np.zeros(3)
        self._data = self._model.createData()
        self._tip, self._elbow = model.frame(tip), model.frame(elbow)
        self._rows = 3 if task == 'position' else 6
        self._zero = np.zeros(model.n)

    def mass(self, q: Array, direction: Array) -> float:
        """Return the effective mass [kg]; infinite where the tip cannot move that way.

        :param direction: unit vector in world axes, shape ``(3,)``.
        """
        j, w = self._solve(q, direction)
        return _inverse(float(j.dot(w)))

    def hint(self, q: Array, direction: Array) -> GuidingHint:
        """Return the effective mass along a unit vector and how to make it smaller."""
        j, w = self._solve(q, direction)
        mass = _inverse(float(j.dot(w)))
        task = self._jacobian(self._tip)[: self._rows]
        elbow = self._jacobian(self._elbow)[:3]
        if not np.isfinite(mass):
            return GuidingHint(mass, self._zero, 0.0, np.zeros(3))
        free = _null_part(task, self._gradient(q, direction, mass, w))
        rate = float(np.linalg.norm(free))
        if rate <= RATE_TOLERANCE * mass:
            return GuidingHint(mass, self._zero, 0.0, np.zeros(3))
        downhill = free / -rate
        return GuidingHint(mass, downhill, -rate, elbow @ downhill)

    def _solve(self, q: Array, direction: Array) -> tuple[Array, Array]:
        """Return ``j`` and ``w``.

        By Cholesky: Pinocchio's inverse of ``M`` is a tenth quicker in all, but says nowhere that
        it brings the Jacobians up to date.
        """
        pin.crba(self._model, self._data, q, WORLD)  # in this convention with joint Jacobians
        j = direction.dot(self._jacobian(self._tip)[:3])
        pin.cholesky.decompose(self._model, self._data)
        return j, pin.cholesky.solve(self._model, self._data, j).reshape(-1)

    def _jacobian(self, frame: int) -> Array:
        """Return a frame's Jacobian in world axes, shape ``(6, n)``."""
        full = pin.getFrameJacobian(self._model, self._data, frame, WORLD_AXES)
        return full.reshape(6, -1)

    def _gradient(self, q: Array, direction: Array, mass: float, w: Array) -> Array:
        """Return ``d mass/dq`` [kg/rad], shape ``(n,)``."""
        model, data = self._model, self._data
        pin.computeRNEADerivatives(model, data, q, self._zero, w)
        inertia = w.dot(np.array(data.dtau_dq).reshape(len(w), -1))
        pin.computeForwardKinematicsDerivatives(model, data, q, w, self._zero)
        velocity, _ = pin.getFrameVelocityDerivatives(model, data, self._tip, WORLD_AXES)
        return mass * mass * (inertia - 2.0 * direction.dot(velocity.reshape(6, -1)[:3]))


def _inverse(mobility: float) -> float:
    return 1.0 / mobility if mobility > 0.0 else np.inf


def _null_part(task: Array, gradient: Array) -> Array:
    """Return the part of a joint vector that the task does not see, shape ``(n,)``."""
    _, sizes, rows = np.linalg.svd(task, full_matrices=False)
    rows = rows[sizes > RANK_TOLERANCE * sizes[0]]
    return gradient - rows.T @ (rows @ gradient)
