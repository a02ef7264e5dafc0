"""What a robot may have become since its calibration, as columns of a regression."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel
from .explanation import Explanation

PER_JOINT = 4
"""Columns of each joint: dry friction, dry friction that is there at speed only, viscous friction,
offset."""
PER_TIP = 10
"""Columns of each tip: mass, mass times centre, inertia at the tip, as Pinocchio orders them."""
SPEED_SHARE = 0.1
"""Part of the largest speed at which the second part of dry friction sets in."""


class DriftRegressor:
    """Torque per change of friction and of what the tips carry.

    ::

        tau - tau' = dF tanh(v/w) + dS tanh(v/w_s) + dc v + db + sum J^T(q) Y(q, v, a) p

    ``tau'`` is the explanation of the calibration. The second column bends the friction curve:
    ``dF > 0 > dS`` is Stribeck friction. ``p`` are ten inertial parameters in the frame of a tip.

    :ivar size: number of columns: ``4 n``, by kind, then ten per tip.
    :param pin_model: that of the explanation; what it carries may change.
    """

    def __init__(self, model: RobotModel, pin_model: pin.Model, explanation: Explanation):
        n = model.n
        self._model, self._data = pin_model, pin_model.createData()
        self._frames = model.tip_frames
        fastest = np.array(explanation.fastest)
        limit = np.where(np.isfinite(fastest), fastest, 1.0)
        self._sharpness = 1.0 / np.array(explanation.smoothing)
        self.bend = 1.0 / (SPEED_SHARE * limit)
        self.joints = PER_JOINT * n
        self.size = self.joints + PER_TIP * len(self._frames)
        self._places = [(np.arange(n), kind * n + np.arange(n)) for kind in range(PER_JOINT)]

    def rows(self, q: Array, v: Array, a: Array, *, loads: bool) -> Array:
        """Return the columns for a motion, shape ``(n, size)``.

        :param loads: whether those of the tips are needed; else they are zero.
        """
        n = q.size
        found = np.zeros((n, self.size))
        columns = (np.tanh(v * self._sharpness), np.tanh(v * self.bend), v, np.ones(n))
        for place, column in zip(self._places, columns, strict=True):
            found[place] = column
        if loads:
            pin.rnea(self._model, self._data, q, v, a)
            for i, frame in enumerate(self._frames):
                body = pin.frameBodyRegressor(self._model, self._data, frame)
                jacobian = pin.computeFrameJacobian(self._model, self._data, q, frame, pin.LOCAL)
                begin = self.joints + PER_TIP * i
                found[:, begin : begin + PER_TIP] = jacobian.reshape(6, n).T @ body
        return found


def at_joint(placement: pin.SE3) -> Array:
    """Return the matrix from inertial parameters at a frame to those at its joint, ``(10, 10)``.

    :param placement: of the frame at the joint.
    """
    unit = pin.Inertia(1.0, np.zeros(3), np.eye(3))
    base = unit.toDynamicParameters()
    moved = placement.act(unit).toDynamicParameters()
    columns = []
    for one in np.eye(PER_TIP):
        changed = pin.Inertia.FromDynamicParameters(base + one)
        columns.append(placement.act(changed).toDynamicParameters() - moved)
    return np.column_stack(columns)
