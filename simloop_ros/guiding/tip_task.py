"""The tips of a guided robot: kept in place, or as easy to move in every direction."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pinocchio as pin

from ..core.values import Array, JointState
from ..robot.model import RobotModel

TASK_ROWS = {'position': 3, 'pose': 6}
INVERSE_DAMPING = 1e-9
"""Of the inverse, relative to the largest pivot: near a singular posture the task yields a bit."""
WORLD_AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class TipTask:
    """Takes out of a compliant motion what would move the tips.

    ::

        J# = W^-1 J^T (J W^-1 J^T)^-1       W: the admittance's masses
        q <- q - J# (x(q) - x(q_d))         x: poses of the tips
        v <- v - J# J v

    The projection is orthogonal in the metric of the admittance's kinetic energy ``v^T W v / 2``:
    it takes energy out and never puts any in. The position moves by what a step of the projected
    motion leaves, which is of second order in the step.

    :param keep: ``position`` of the tips, or their ``pose``.
    :param mass: of the admittance [kg m^2], shape ``(n,)``.
    """

    def __init__(self, model: RobotModel, keep: Literal['position', 'pose'], mass: Array):
        self._model = model.pin_model
        self._data, self._wanted = model.pin_model.createData(), model.pin_model.createData()
        self._frames = model.tip_frames
        self._rows = TASK_ROWS[keep]
        self._weight = 1.0 / mass

    def project(self, desired: Array, motion: JointState) -> JointState:
        """Return the motion that keeps the tips.

        :param desired: posture whose tips are wanted [rad], shape ``(n,)``.
        :param motion: compliant motion at the end of the step.
        """
        model, q = self._model, motion.position
        pin.framesForwardKinematics(model, self._wanted, desired)
        pin.computeJointJacobians(model, self._data, q)
        pin.updateFramePlacements(model, self._data)
        jacobian, error = [], []
        for frame in self._frames:
            away = self._wanted.oMf[frame].actInv(self._data.oMf[frame])
            full = pin.getFrameJacobian(model, self._data, frame, pin.ReferenceFrame.LOCAL)
            if self._rows == 3:
                # In the axes of the wanted tip; the tip itself may turn.
                jacobian.append(away.rotation @ full[:3])
                error.append(away.translation)
            else:
                jacobian.append(full)
                error.append(np.asarray(pin.log6(away)))
        J = np.vstack(jacobian)
        weighted = J * self._weight
        pivot = weighted @ J.T
        pivot[np.diag_indices_from(pivot)] += INVERSE_DAMPING * pivot.diagonal().max()
        out = np.linalg.solve(pivot, np.column_stack((np.concatenate(error), J @ motion.velocity)))
        change = weighted.T @ out
        return JointState(q - change[:, 0], motion.velocity - change[:, 1])


class IsotropicTips:
    """Amplifies the torque of a hand along the directions in which a tip is heavy.

    With the masses ``M`` of the joints' admittance a force ``f`` on a tip accelerates it by
    ``A f``, and ``A`` is far from isotropic: along a line to the shoulder an arm moves only if
    several joints turn against each other. Of each tip, with its translational Jacobian ``J``::

        A = J M^-1 J^T = sum a_i u_i u_i^T,        g_i = min(max(a)/a_i, largest gain)
        tau' = tau + sum (g_i - 1)/a_i j_i (j_i^T M^-1 tau),        j_i = J^T u_i

    A force ``f`` on the tip, ``tau = J^T f``, thus counts as ``sum g_i u_i u_i^T f``, and the tip
    gives way to it as in its easiest direction. A torque that moves no tip stays as it is.
    ``M^-1 tau'`` is a symmetric, positive definite map of ``tau``: whatever link is pushed gives
    way in the direction of the push. As damping and stiffness have the same share of the mass in
    every joint, if there are no exceptions, they become isotropic with it.

    :param mass: of the admittance [kg m^2], shape ``(n,)``.
    :param largest_gain: the most by which a force is amplified, at least 1.
    """

    def __init__(self, model: RobotModel, mass: Array, largest_gain: float):
        self._model = model.pin_model
        self._data = model.pin_model.createData()
        self._frames = model.tip_frames
        self._weight = 1.0 / mass
        self._gain = largest_gain

    def amplify(self, q: Array, torque: Array) -> Array:
        """Return the torque ``tau'`` [N m], shape ``(n,)``.

        :param q: joint positions [rad], shape ``(n,)``.
        :param torque: external [N m], shape ``(n,)``.
        """
        model, data = self._model, self._data
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        moves = self._weight * torque
        total = torque
        for frame in self._frames:
            J = pin.getFrameJacobian(model, data, frame, WORLD_AXES).reshape(6, -1)[:3]
            a, directions = np.linalg.eigh((J * self._weight) @ J.T)
            least = a[2] / self._gain
            if least > 0.0:  # else no joint moves this tip
                weights = np.maximum(a, least)
                weights = (a[2] / weights - 1.0) / weights
                along = directions.T @ J
                total = total + (weights * (along @ moves)) @ along
        return total
