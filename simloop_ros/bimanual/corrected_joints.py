"""From a place on the plan and a path correction to joints."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..core.values import Array, PathCorrection
from ..kinematics.turns import LIMIT_TOLERANCE
from ..robot.chain import chain_to
from ..robot.model import RobotModel
from .snapshot import BimanualSnapshot, StalledArm
from .tip_follower import TipFollower


class CorrectedJoints:
    """Joints for the planned poses of the tips, displaced, corrected, and moved to a stalled arm.

    ::

        x_i = x_i,nominal + R_o dx_i               pose of tip i, with the correction
        R_i = exp(R_o dr_i) R_i,nominal            (dx, dr) in axes of the object

    They are the ones nearest to the nominal joints; without corrections the nominal joints, bit
    for bit. With a stalled arm all poses are moved as one body, so that this arm is where it
    should be.
    """

    def __init__(self, model: RobotModel):
        self._lower, self._upper = model.lower, model.upper
        self._follower = TipFollower(model)
        self._chains = [list(chain_to(model, tip).joints) for tip in model.tips]

    def find(self, state: BimanualSnapshot, correction: PathCorrection) -> Array | None:
        """Return the joints [rad], shape ``(n,)``; None if there are none within their ranges."""
        plan, stalled = state.plan, state.stalled
        place = state.place if state.resisted is None else state.resisted.place
        nominal = plan.joints_at(place)
        share = plan.displacement_share_at(place)
        displacement = state.displacement.share(share)
        corrected = correction.position.any() or correction.rotation.any()
        if not corrected and displacement.none and stalled is None:
            return nominal
        row = int(place)
        hands = self._follower.poses(nominal)
        if not displacement.none:
            planned = pin.SE3(plan.object_rotation[row], plan.object_position_at(place))
            hands = [displacement.moved(pose, planned, plan.hinged[row]) for pose in hands]
        R = displacement.axes(plan.object_rotation[row])
        moves, turns = correction.position @ R.T, correction.rotation @ R.T
        poses = [
            pin.SE3(pin.exp3(turn) @ pose.rotation, pose.translation + move)
            for pose, move, turn in zip(hands, moves, turns, strict=True)
        ]
        near = nominal + share * state.posture
        if stalled is not None:
            poses, near = self._beside(stalled, poses, near)
        found = self._follower.follow(near, poses)
        q = found.joints
        beyond = np.maximum(self._lower - q, q - self._upper).max()
        return q if found.converged and beyond <= LIMIT_TOLERANCE else None

    def _beside(
        self, stalled: StalledArm, poses: list[pin.SE3], near: Array
    ) -> tuple[list[pin.SE3], Array]:
        """Return poses of the tips that are moved, as one body, towards a stalled arm.

        :param near: joints from which the search begins [rad], shape ``(n,)``; returned with those
            of the stalled arm.
        """
        share = 1.0 - stalled.pace.rate
        reference = self._follower.poses(stalled.joints)[stalled.tip]
        motion = pin.exp6(share * pin.log6(reference * poses[stalled.tip].inverse()))
        chain = self._chains[stalled.tip]
        near[chain] += share * (stalled.joints - near)[chain]
        return [motion * pose for pose in poses], near
