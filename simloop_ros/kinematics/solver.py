"""Inverse kinematics: the interface of all solvers, and the checks that they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from ..core.errors import ConfigError, UnreachableError
from ..core.values import Array
from ..maths.vectors import as_numbers, checked_vector, not_finite
from ..robot.chain import Chain
from ..robot.model import RobotModel
from ..robot.urdf import UNBOUNDED
from .fixed_shapes import FixedShapes
from .poses import Pose, Poses, checked_pose, checked_poses, of

LARGEST_LEAP = 1.0
"""Largest change of a joint from one pose of a course to the next [rad]. More means another
branch, another turn, or a wrist that spins through its singularity."""


class Solution(NamedTuple):
    """Joints that give a pose.

    :ivar joints: of the whole robot [rad], shape ``(n,)``.
    :ivar arm: index of the arm configuration, for a course that keeps to one.
    """

    joints: Array
    arm: int


class InverseKinematics(ABC):
    """From a pose of a tip in the world to the joints of the robot.

    Joints that do not move the tip stay as they were. Solvers use no random numbers: the same
    call gives the same result.
    """

    kind: ClassVar[Literal['analytic', 'numerical']]

    def __init__(self, model: RobotModel, tip: str, chain: Chain):
        self.model = model
        self.tip = tip
        self.chain = chain
        self._fixed = FixedShapes(model)

    def nearest(self, pose: Pose, near: Array) -> Array:
        """Return the joints nearest to ``near`` that give a pose [rad], shape ``(n,)``.

        Nearest by the sum of squares over the joints, over all turns within the limits.

        :param pose: of the tip in the world, an SE3 or a matrix of shape ``(4, 4)``.
        :param near: the present joints [rad], shape ``(n,)``.
        :raises UnreachableError: there are none, or it is not a pose, with the reason.
        :raises ConfigError: they are not joints of this robot, or one without ends is more than
            ``UNBOUNDED`` from zero.
        """
        rows = checked_pose(pose, self.tip)
        self._check_outside(rows)
        return self._solve(rows, self._checked(near), None).joints

    def all(self, pose: Pose) -> Array:
        """Return every solution within the limits [rad], shape ``(k, n)``; k may be 0.

        Joints that do not move the tip are at home.

        :raises UnreachableError: it is not a pose, or the tip would be inside the base.
        """
        rows = checked_pose(pose, self.tip)
        self._check_outside(rows)
        return self._solve_all(rows)

    def along(self, poses: Poses, start: Array) -> Array:
        """Return a course of joints through many poses [rad], shape ``(m, n)``.

        Each is the one nearest to the one before, and the arm keeps its shoulder and its elbow.

        :param start: joints that the first pose is nearest to [rad], shape ``(n,)``.
        :raises UnreachableError: a pose has no solution on the branch of the first one, or a joint
            would leap; ``index`` is that of the pose.
        """
        course: list[Array] = []
        arm: int | None = None
        before = self._checked(start)
        for i, matrix in enumerate(checked_poses(poses, self.tip)):
            rows = matrix.tolist()
            try:
                self._check_outside(rows)
                found = self._solve(rows, before, arm)
            except UnreachableError as error:
                text = f'{of(i)}{error}'
                raise UnreachableError(
                    text, error.kind, self.tip, error.missing, error.joints, i
                ) from None
            if course:
                self._check_leap(before, found.joints, i)
            before, arm = found.joints, found.arm
            course.append(before)
        return np.array(course).reshape(-1, self.model.n)

    def nearest_each(self, poses: Poses, near: Array) -> Array:
        """Return the nearest solution of each of many poses [rad], shape ``(k, n)``.

        A row is NaN where there is none; ``nearest`` raises with the reason. Whether a tip would
        be inside the base is not checked here.

        :param near: joints of the robot [rad], shape ``(n,)``, or one row for each pose.
        """
        matrices = checked_poses(poses, self.tip)
        rows = self._checked_rows(near, len(matrices))
        found = [self._try(matrix, row) for matrix, row in zip(matrices, rows, strict=True)]
        return np.array(found).reshape(-1, self.model.n)

    def _try(self, matrix: Array, near: Array) -> Array:
        try:
            return self._solve(matrix.tolist(), near, None).joints
        except UnreachableError:
            return np.full(self.model.n, np.nan)

    @abstractmethod
    def _solve(self, pose: list[list[float]], near: Array, arm: int | None) -> Solution:
        """Return the nearest solution; with ``arm``, only of that arm configuration."""

    @abstractmethod
    def _solve_all(self, pose: list[list[float]]) -> Array:
        """Return all solutions, shape ``(k, n)``."""

    def _checked(self, near: Array) -> Array:
        return self._bounded(checked_vector(near, self.model.n, 'joints', self.model.name))

    def _checked_rows(self, near: Array, count: int) -> Array:
        """Return joints for each of many poses, shape ``(count, n)``."""
        joints = as_numbers(near, 'joints')
        if joints.shape not in ((self.model.n,), (count, self.model.n)):
            raise ConfigError(
                f'joints of shape {joints.shape} for {count} poses: ({self.model.n},) or '
                f'({count}, {self.model.n}) is needed'
            )
        if not np.isfinite(joints).all():
            raise not_finite('joints')
        return np.broadcast_to(self._bounded(joints), (count, self.model.n))

    def _bounded(self, near: Array) -> Array:
        """Return joints of which those that move the tip are at most ``UNBOUNDED`` from zero.

        Farther away than that, squares of distances are nothing but round-off. For a joint with
        ends the bound gives the same solution.

        :raises ConfigError: a joint without ends is given beyond.
        """
        if np.abs(near).max(initial=0.0) <= UNBOUNDED:
            return near
        bounded = near.copy()
        for joint in self.chain.joints:
            farthest = float(np.abs(near[..., joint]).max())
            ends = self.model.upper[joint] - self.model.lower[joint]
            if farthest > UNBOUNDED and ends >= UNBOUNDED:
                raise ConfigError(
                    f'{self.model.joint_names[joint]} near {farthest:g} rad: of a joint without '
                    f'ends at most {UNBOUNDED:g} rad are possible; subtract whole turns'
                )
            bounded[..., joint] = np.clip(near[..., joint], -UNBOUNDED, UNBOUNDED)
        return bounded

    def _check_outside(self, pose: list[list[float]]) -> None:
        point = np.array([row[3] for row in pose[:3]])
        link = self._fixed.around(point)
        if link is not None:
            place = ', '.join(f'{value:.4g}' for value in point)
            raise UnreachableError(
                f'{self.tip} at ({place}) m would be inside {link}, which does not move; '
                'choose a point outside of the robot',
                'inside_base',
                self.tip,
            )

    def _check_leap(self, before: Array, after: Array, index: int) -> None:
        leaps = np.abs(after - before)
        joint = int(np.argmax(leaps))
        if leaps[joint] > LARGEST_LEAP:
            name = self.model.joint_names[joint]
            raise UnreachableError(
                f'{of(index)}{name} would leap by {leaps[joint]:.2f} rad from the pose before; '
                'give poses nearer together, or keep away from singularities and limits',
                'leap',
                self.tip,
                joints=(name,),
                index=index,
            )
