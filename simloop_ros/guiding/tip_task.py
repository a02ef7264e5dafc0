"""The tips of a guided robot: kept in place, or as easy to move in every direction."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pinocchio as pin

from ..core.values import Array, Flags, JointState
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
    motion leaves, which is of second order in the step. Joints that a limit holds stay as they
    are (their ``W^-1`` is zero), and the others keep the tips alone.

    :param keep: ``position`` of the tips, or their ``pose``.
    :param mass: of the admittance [kg m^2], shape ``(n,)``.
    """

    def __init__(self, model: RobotModel, keep: Literal['position', 'pose'], mass: Array):
        self._model = model.pin_model
        self._data, self._wanted = model.pin_model.createData(), model.pin_model.createData()
        self._frames = model.tip_frames
        self._rows = TASK_ROWS[keep]
        self._weight = 1.0 / mass
        self._cached_desired: Array | None = None
        self._scratch_right = np.empty((self._rows * len(self._frames), 2))

    def project(self, desired: Array, motion: JointState, held: Flags | None = None) -> JointState:
        """Return the motion that keeps the tips.

        :param desired: posture whose tips are wanted [rad], shape ``(n,)``.
        :param motion: compliant motion at the end of the step.
        :param held: joints whose motion stays as it is, shape ``(n,)``; none where not given.
        """
        model, data, q = self._model, self._data, motion.position
        if desired is not self._cached_desired:  # a robot that holds desires the same for long
            pin.forwardKinematics(model, self._wanted, desired)
            for frame in self._frames:
                pin.updateFramePlacement(model, self._wanted, frame)
            self._cached_desired = desired
        pin.computeJointJacobians(model, data, q)
        jacobian, error = [], []
        for frame in self._frames:
            away = self._wanted.oMf[frame].actInv(pin.updateFramePlacement(model, data, frame))
            full = pin.getFrameJacobian(model, data, frame, pin.ReferenceFrame.LOCAL)
            if self._rows == 3:
                # In the axes of the wanted tip; the tip itself may turn.
                jacobian.append(away.rotation @ full[:3])
                error.append(away.translation)
            else:
                jacobian.append(full)
                error.append(pin.log6(away).vector)
        J = np.concatenate(jacobian)
        weighted = J * (self._weight if held is None else np.where(held, 0.0, self._weight))
        pivot = weighted @ J.T
        diagonal = pivot.ravel()[:: len(pivot) + 1]
        diagonal += INVERSE_DAMPING * diagonal.max()
        right = self._scratch_right
        right[:, 0] = np.concatenate(error)
        right[:, 1] = J @ motion.velocity
        change = weighted.T @ np.linalg.solve(pivot, right)
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
        moves = self._weight * torque
        total = torque
        for frame in self._frames:
            # This also brings the placement up to date, which these axes need.
            J = pin.getFrameJacobian(model, data, frame, WORLD_AXES).reshape(6, -1)[:3]
            a, directions = np.linalg.eigh((J * self._weight) @ J.T)
            least = a[2] / self._gain
            if least > 0.0:  # else no joint moves this tip
                weights = np.maximum(a, least)
                weights = (a[2] / weights - 1.0) / weights
                along = directions.T @ J
                total = total + (weights * (along @ moves)) @ along
        return total
