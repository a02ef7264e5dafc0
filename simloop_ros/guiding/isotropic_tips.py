"""Tips that give way as easily in every direction, whatever the posture."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel

WORLD_AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


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
