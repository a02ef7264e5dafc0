"""The task of a guided robot: its tips stay where the planner has them, the rest gives way."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pinocchio as pin

from ..core.values import Array, JointState
from ..robot.model import RobotModel

TASK_ROWS = {'position': 3, 'pose': 6}
INVERSE_DAMPING = 1e-9
"""Of the inverse, relative to the largest pivot: near a singular posture the task yields a bit."""


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
