"""Analytic inverse kinematics: every branch, in the turns that the limits allow."""

from __future__ import annotations

from itertools import product
import math

import numpy as np

from ..core.errors import UnreachableError
from ..core.values import Array
from ..robot.chain import Chain
from ..robot.model import RobotModel
from .pieper import ARRAYS, BRANCHES, NUMBERS, SINGULARITY_TOLERANCE, Branch, branches
from .poses import Poses, checked_poses
from .solver import InverseKinematics, Solution
from .turns import LIMIT_TOLERANCE, TURN, JointRange, all_turns, nearest_turn, nearest_turns, share
from .wrist_arm import WristArm

REACH_ROUNDING = 1e-10
"""By how much an arm may be too short and still be stretched out [m]: round-off."""
SOLUTION_TOLERANCE = 1e-9
"""Two solutions that differ by less are one [rad]."""
TURN_STEP = math.radians(1.0)
"""Steps in which joint 1 is tried where it is free and its present angle is not possible [rad]."""
CHUNK_POSES = 2048
"""Poses that are solved at a time, so that their data stays in the cache."""


class AnalyticInverse(InverseKinematics):
    """Pieper's solution for an arm with a spherical wrist, 002 section III-B.

    Eight branches: shoulder in front or behind, elbow up or down, wrist as it is or flipped. Where
    axes 4 and 6 are in line, joints 4 and 6 share what is determined, nearest to where they were;
    with the wrist centre on axis 1, joint 1 stays where it was, or as near to it as the limits of
    the wrist let it.
    """

    kind = 'analytic'

    def __init__(self, model: RobotModel, tip: str, chain: Chain, arm: WristArm):
        super().__init__(model, tip, chain)
        self.arm = arm
        self._joints = list(chain.joints)
        self._lower, self._upper = model.lower[self._joints], model.upper[self._joints]
        self._limits = list(zip(self._lower.tolist(), self._upper.tolist(), strict=True))
        self._whole = self._joints == list(range(model.n))

    def branches(self, poses: Poses, near: Array) -> Array:
        """Return all branches of many poses at once [rad], shape ``(k, 8, 6)``.

        The joints are those of the chain, each in the turn nearest to ``near``. A branch that the
        arm does not reach, or that has a joint beyond its limits, is NaN; so is the flipped wrist
        where axes 4 and 6 are in line, which is the same one.

        :param near: joints of the robot [rad], shape ``(n,)``, or one row for each pose.
        """
        matrices = checked_poses(poses, self.tip)
        return self._branches(matrices, self._checked_rows(near, len(matrices)))

    def nearest_each(self, poses: Poses, near: Array) -> Array:
        """Do the same for many poses at once."""
        matrices = checked_poses(poses, self.tip)
        out = self._checked_rows(near, len(matrices)).copy()
        found = self._branches(matrices, out)
        distance = ((found - out[:, None, self._joints]) ** 2).sum(axis=2)
        best = np.argmin(np.where(np.isnan(distance), np.inf, distance), axis=1)
        chosen = found[np.arange(len(found)), best]
        out[:, self._joints] = chosen
        out[np.isnan(chosen[:, 0])] = np.nan
        return out

    def _branches(self, matrices: Array, near: Array) -> Array:
        beside = near[:, self._joints]
        out = np.empty((len(matrices), BRANCHES, 6))
        for begin in range(0, len(matrices), CHUNK_POSES):
            part = slice(begin, begin + CHUNK_POSES)
            self._solve_many(matrices[part], beside[part], out[part])
        return out

    def _solve_many(self, matrices: Array, near: Array, out: Array) -> None:
        self._solve_rows(matrices, near, out)
        unsolved = np.flatnonzero(np.isnan(out[:, :, 0]).all(axis=1))
        centres = (self.arm.to_arm @ matrices[unsolved] @ self.arm.to_wrist)[:, :2, 3]
        for i, centre in zip(unsolved, centres.tolist(), strict=True):
            for turn in self._turns_on_axis(centre, float(near[i, 0])):
                beside = np.array([[turn, *near[i, 1:]]])
                self._solve_rows(matrices[i : i + 1], beside, out[i : i + 1])
                if not np.isnan(out[i, :, 0]).all():
                    break

    def _solve_rows(self, matrices: Array, near: Array, out: Array) -> None:
        wrists = self.arm.to_arm @ matrices @ self.arm.to_wrist
        values = list(np.ascontiguousarray(wrists[:, :3].transpose(1, 2, 0)))
        angles = np.empty((6, len(matrices)))
        for number, branch in enumerate(branches(self.arm, values, near[:, (0, 3)].T, ARRAYS)):
            angles[:] = branch.joints
            fitted = nearest_turns(angles, near.T, self._lower[:, None], self._upper[:, None])
            fitted[:, branch.missing > REACH_ROUNDING] = np.nan
            out[:, number] = np.where(np.isnan(fitted).any(axis=0), np.nan, fitted).T
            for i in np.flatnonzero(branch.free & (branch.missing <= REACH_ROUNDING)):
                alone = _pick(branch, int(i))
                found = None if number % 2 else self._fit(alone, near[i].tolist(), math.inf)
                out[i, number] = np.nan if found is None else found[0]

    def _turns_on_axis(self, centre: list[float], near: float) -> list[float]:
        """Return where joint 1 may be [rad], nearest first, if the wrist centre is on its axis.

        Any turn is as good for the position, but not each leaves the wrist within its limits.

        :param centre: x and y of the wrist centre in the arm's frame [m].
        """
        if math.hypot(*centre) >= SINGULARITY_TOLERANCE:
            return []
        lower, upper = self._limits[0]
        inside = min(max(near, lower), upper)
        low, high = max(lower, inside - TURN), min(upper, inside + TURN)
        count = max(2, math.ceil((high - low) / TURN_STEP))
        return sorted(np.linspace(low, high, count).tolist(), key=lambda turn: abs(turn - near))

    def _wrist(self, pose: list[list[float]]) -> list[list[float]]:
        """Return the pose of the wrist in the arm's frame, 002 (22)."""
        wrist: list[list[float]] = (self.arm.to_arm @ np.array(pose) @ self.arm.to_wrist).tolist()
        return wrist[:3]

    def _solve(self, pose: list[list[float]], near: Array, arm: int | None) -> Solution:
        beside: list[float] = near.tolist() if self._whole else near[self._joints].tolist()
        wrist = self._wrist(pose)
        found = self._best(wrist, beside, arm)
        if found is None:
            turns = self._turns_on_axis([row[3] for row in wrist[:2]], beside[0])
            tries = (self._best(wrist, [turn, *beside[1:]], arm) for turn in turns)
            found = next((one for one in tries if one is not None), None)
        if found is None:
            raise self._refusal(wrist, beside, arm)
        joints, way = found
        return Solution(self._robot_joints(joints, near), way)

    def _best(
        self, wrist: list[list[float]], near: list[float], arm: int | None
    ) -> tuple[list[float], int] | None:
        """Return the nearest branch and its way to hold the arm, if there is one."""
        best, least = None, math.inf
        for number, branch in enumerate(branches(self.arm, wrist, (near[0], near[3]), NUMBERS)):
            if branch.missing > REACH_ROUNDING or arm not in (None, number // 2):
                continue
            found = self._fit(branch, near, least)
            if found is not None:
                best, least = (found[0], number // 2), found[1]
        return best

    def _robot_joints(self, joints: list[float], near: Array) -> Array:
        if self._whole:
            return np.array(joints)
        whole = near.copy()
        whole[self._joints] = joints
        return whole

    def _fit(
        self, branch: Branch, near: list[float], limit: float
    ) -> tuple[list[float], float] | None:
        """Return a branch in its nearest turns and its cost, if it has one below ``limit``."""
        if branch.free:
            return self._fit_free(branch, near, limit)
        fitted, cost = [], 0.0
        for angle, beside, (lower, upper) in zip(branch.joints, near, self._limits, strict=True):
            turned = nearest_turn(angle, beside, lower, upper)
            if turned is None:
                return None
            cost += (turned - beside) ** 2
            if cost >= limit:
                return None
            fitted.append(turned)
        return fitted, cost

    def _fit_free(
        self, branch: Branch, near: list[float], limit: float
    ) -> tuple[list[float], float] | None:
        """Do the same where only the sum or the difference of joints 4 and 6 is determined."""
        fitted, cost = list(branch.joints), 0.0
        for i in (0, 1, 2, 4):
            turned = nearest_turn(fitted[i], near[i], *self._limits[i])
            if turned is None:
                return None
            fitted[i] = turned
            cost += (turned - near[i]) ** 2
        shared = share(
            fitted[3],
            fitted[5],
            math.copysign(1.0, branch.straight),
            JointRange(near[3], *self._limits[3]),
            JointRange(near[5], *self._limits[5]),
        )
        if shared is None or cost + shared.cost >= limit:
            return None
        fitted[3], fitted[5] = shared.first, shared.last
        return fitted, cost + shared.cost

    def _solve_all(self, pose: list[list[float]]) -> Array:
        middle = np.clip(np.zeros(self.model.n), self.model.lower, self.model.upper)
        beside = middle[self._joints].tolist()
        wrist = self._wrist(pose)
        found = self._every(wrist, beside)
        if not found:
            turns = self._turns_on_axis([row[3] for row in wrist[:2]], beside[0])
            tries = (self._every(wrist, [turn, *beside[1:]]) for turn in turns)
            found = next((some for some in tries if some), [])
        return _distinct(
            [self._robot_joints(joints, self.model.home) for joints in found], self.model.n
        )

    def _every(self, wrist: list[list[float]], near: list[float]) -> list[list[float]]:
        """Return all branches in all their turns; one of a wrist that is free to share."""
        found: list[list[float]] = []
        for number, branch in enumerate(branches(self.arm, wrist, (near[0], near[3]), NUMBERS)):
            if branch.missing > REACH_ROUNDING:
                continue
            if not branch.free:
                turns = [
                    all_turns(q, *limits)
                    for q, limits in zip(branch.joints, self._limits, strict=True)
                ]
                found += map(list, product(*turns))
            elif number % 2 == 0:
                fitted = self._fit(branch, near, math.inf)
                found += [] if fitted is None else [fitted[0]]
        return found

    def _refusal(
        self, wrist: list[list[float]], near: list[float], arm: int | None
    ) -> UnreachableError:
        found = [
            branch
            for number, branch in enumerate(branches(self.arm, wrist, (near[0], near[3]), NUMBERS))
            if arm in (None, number // 2)
        ]
        missing = min(branch.missing for branch in found)
        if missing > REACH_ROUNDING:
            return UnreachableError(
                f'{self.tip} is out of reach by {missing:.4g} m: from shoulder to wrist centre '
                f'the arm goes from {abs(self.arm.upper - self.arm.fore):.4g} to '
                f'{self.arm.upper + self.arm.fore:.4g} m; move the pose',
                'out_of_reach',
                self.tip,
                missing,
            )
        beyond = min(
            (self._beyond(branch) for branch in found if branch.missing <= REACH_ROUNDING),
            key=lambda excess: sum(excess.values()),
        )
        names = tuple(self.model.joint_names[self._joints[i]] for i in beyond)
        far = ' and '.join(
            f'{name} (by {excess:.4g} rad)'
            for name, excess in zip(names, beyond.values(), strict=True)
        )
        way = '' if arm is None else ' with the shoulder and elbow of the course'
        return UnreachableError(
            f'{self.tip} can be there{way} only beyond the limit of {far}; move or turn the pose',
            'joint_limit',
            self.tip,
            joints=names,
        )

    def _beyond(self, branch: Branch) -> dict[int, float]:
        """Return by how much each joint is beyond its limits, in its best turn [rad]."""
        angles, limits = list(branch.joints), list(self._limits)
        if branch.free:
            # Joint 6 goes as far as joint 4 lets it.
            sign = math.copysign(1.0, branch.straight)
            angles[5] += sign * angles[3]
            (lower, upper), ends = limits[5], sorted(sign * end for end in limits[3])
            limits[5] = (lower + ends[0], upper + ends[1])
            angles[3] = limits[3][0]
        beyond = {}
        for i, (angle, (lower, upper)) in enumerate(zip(angles, limits, strict=True)):
            middle = 0.5 * (lower + upper)
            excess = abs(math.remainder(angle - middle, TURN)) - 0.5 * (upper - lower)
            if excess > LIMIT_TOLERANCE:
                beyond[i] = excess
        return beyond


def _pick(branch: Branch, i: int) -> Branch:
    joints = tuple(float(values[i]) for values in branch.joints)
    return Branch(joints, float(branch.missing[i]), True, float(branch.straight[i]))


def _distinct(solutions: list[Array], n: int) -> Array:
    """Return solutions, each once: branches meet at singularities."""
    found = np.array(solutions).reshape(-1, n)
    distance = np.abs(found[:, None] - found).max(axis=2)
    return found[[not np.any(distance[i, :i] <= SOLUTION_TOLERANCE) for i in range(len(found))]]
