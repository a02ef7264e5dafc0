"""Joints for the poses of all tips at once, from joints nearby."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel

POSE_TOLERANCE = 1e-10
"""Largest error of a tip's pose [m and rad]."""
NEWTON_STEPS = 8
"""Largest number of Newton steps: each squares the error, so that from 0.1 four are enough."""
MAX_JOINT_STEP = 0.5
"""Joint step beyond which the search ends [rad]: the pose is far away, or singular."""
REGULARISATION = 1e-12
"""Added to ``J J^T``, so that a singularity gives a long step and no division by zero."""


class Followed(msgspec.Struct, frozen=True, gc=False):
    """Where the search for joints ended.

    :ivar joints: of the whole robot [rad], shape ``(n,)``.
    :ivar errors: of each tip, the larger of metres and radians, shape ``(tips,)``.
    """

    joints: Array
    errors: Array

    @property
    def converged(self) -> bool:
        """Return whether every tip has its pose."""
        return all(error <= POSE_TOLERANCE for error in self.errors.tolist())


class TipFollower:
    """Newton's method for all tips together, with the least change of the joints in each step.

    ::

        e_i = log6(T_i(q)^-1 T_i,goal),    dq = J^T (J J^T)^-1 e

    with the Jacobians of the tips, in their own axes, one below the other. Limits of the joints
    are not considered. Nothing is remembered.
    """

    def __init__(self, model: RobotModel):
        self._model = model.pin_model
        self._data = model.pin_model.createData()
        self._frames = model.tip_frames
        self._regular = REGULARISATION * np.eye(6 * len(self._frames))

    def poses(self, q: Array) -> list[pin.SE3]:
        """Return the poses of the tips in the world at joints ``q``."""
        pin.forwardKinematics(self._model, self._data, q)
        return [
            pin.updateFramePlacement(self._model, self._data, frame).copy()
            for frame in self._frames
        ]

    def follow(self, q: Array, goals: Sequence[pin.SE3]) -> Followed:
        """Return joints near ``q`` that give poses of the tips in the world.

        :param q: where the search begins [rad], shape ``(n,)``.
        """
        model, data, local = self._model, self._data, pin.ReferenceFrame.LOCAL
        for _ in range(NEWTON_STEPS):
            pin.computeJointJacobians(model, data, q)
            twists, jacobians = [], []
            for frame, pose in zip(self._frames, goals, strict=True):
                here = pin.updateFramePlacement(model, data, frame)
                twists.append(pin.log6(here.actInv(pose)).vector)
                jacobians.append(pin.getFrameJacobian(model, data, frame, local))
            error = np.concatenate(twists)
            size = np.abs(error)
            if not size.max() > POSE_TOLERANCE:  # also where it is NaN
                break
            J = np.concatenate(jacobians)
            square = J @ J.T
            square += self._regular
            step = J.T @ np.linalg.solve(square, error)
            if not np.abs(step).max() <= MAX_JOINT_STEP:
                break
            q = q + step
        return Followed(q, size.reshape(len(self._frames), 6).max(axis=1))
