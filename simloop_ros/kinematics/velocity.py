"""Velocity kinematics: from joint velocities to the tip's and back, 002 (23), (24)."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array
from ..maths.vectors import checked_vector
from ..robot.chain import chain_to
from ..robot.model import RobotModel

DAMPING_BOUND = 0.02
"""Smallest singular value below which the inverse is damped; of the IRB 120 at home it is 0.16."""
LARGEST_DAMPING = 0.02
"""Damping at a singularity. Equal to ``DAMPING_BOUND`` it holds the joint velocities below
``1.07 / DAMPING_BOUND`` times the tip's, wherever the robot is."""


class Dexterity(msgspec.Struct, frozen=True):
    """Measures of dexterity of a tip. Metres and radians are counted alike.

    :ivar manipulability: product of the singular values of the Jacobian, ``sqrt(det(J J^T))``.
    :ivar smallest: the smallest singular value: tip velocity per joint velocity in the worst
        direction.
    :ivar reciprocal_condition: the smallest divided by the largest, 0 at a singularity.
    """

    manipulability: float
    smallest: float
    reciprocal_condition: float


class TipVelocity:
    """The Jacobian of a tip and its damped pseudo-inverse.

    ::

        x' = J q'                                                  002 (23)
        q' = V diag(s / (s^2 + d^2)) U^T x',  J = U diag(s) V^T    002 (24), damped
        d = d_max (1 - (s_min / s_0)^2)                            s_min < s_0, else 0

    A tip velocity is ``(velocity of its origin [m/s], angular velocity [rad/s])`` in world axes,
    shape ``(6,)``. Where the inverse is not damped it is the pseudo-inverse of 002. ``d^2``
    and its slope are continuous.

    :param bound: ``s_0``.
    :param largest_damping: ``d_max``.
    :raises ConfigError: the robot has no such tip, or no joint moves it; or a number is not
        positive. In every call: joints or velocities that are not finite, or not as many as there
        should be.
    """

    def __init__(
        self,
        model: RobotModel,
        tip: str,
        bound: float = DAMPING_BOUND,
        largest_damping: float = LARGEST_DAMPING,
    ):
        if not (0.0 < bound < np.inf and 0.0 < largest_damping < np.inf):
            raise ConfigError(
                f'bound {bound:g} and largest damping {largest_damping:g} of the inverse: both '
                'must be positive'
            )
        self._name = model.name
        self._model = model.pin_model
        self._joints = list(chain_to(model, tip).joints)
        self._frame = model.frame(tip)
        self._data = model.pin_model.createData()
        self._bound = bound
        self._largest = largest_damping

    def jacobian(self, q: Array) -> Array:
        """Return the Jacobian at joints ``q`` [rad], shape ``(6, n)``."""
        joints = checked_vector(q, self._model.nq, 'joints', self._name)
        return np.array(
            pin.computeFrameJacobian(
                self._model,
                self._data,
                joints,
                self._frame,
                pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
            )
        ).reshape(6, -1)

    def tip_velocity(self, q: Array, v: Array) -> Array:
        """Return the tip's velocity, 002 (23), shape ``(6,)``.

        :param v: joint velocities [rad/s], shape ``(n,)``.
        """
        velocities = checked_vector(v, self._model.nv, 'joint velocities', self._name)
        return self.jacobian(q) @ velocities

    def joint_velocity(self, q: Array, velocity: Array) -> Array:
        """Return the joint velocities for a tip velocity [rad/s], 002 (24), shape ``(n,)``.

        Those of least norm; near a singularity they are held small, and the tip lags behind.
        Joints that do not move the tip are at rest.

        :param velocity: of the tip, shape ``(6,)``.
        """
        desired = checked_vector(velocity, 6, 'velocities', 'a tip')
        out = np.zeros(self._model.nv)
        U, s, Vt = self._decompose(q)
        square = self._damping(float(s[-1])) ** 2
        out[self._joints] = Vt.T @ ((s / (s * s + square)) * (U.T @ desired))
        return out

    def damping(self, q: Array) -> float:
        """Return the damping of the inverse at joints ``q``; 0 away from singularities."""
        return self._damping(float(self._decompose(q)[1][-1]))

    def dexterity(self, q: Array) -> Dexterity:
        """Return the dexterity of the tip at joints ``q``."""
        s = self._decompose(q)[1]
        return Dexterity(float(np.prod(s)), float(s[-1]), float(s[-1] / s[0]))

    def _decompose(self, q: Array) -> tuple[Array, Array, Array]:
        U, s, Vt = np.linalg.svd(self.jacobian(q)[:, self._joints], full_matrices=False)
        return U, s, Vt

    def _damping(self, smallest: float) -> float:
        return self._largest * max(0.0, 1.0 - (smallest / self._bound) ** 2)
