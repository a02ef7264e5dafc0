"""What the planning of a task starts from, and what all tasks need for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError, GoalError, UnreachableError
from ..core.values import Array
from ..kinematics.inverse import inverse_kinematics
from ..kinematics.solver import InverseKinematics
from ..planning.cartesian import whole_steps
from ..planning.side_profiles import Quintic
from ..planning.tip_path import in_words
from ..robot.model import RobotModel
from .config import BimanualConfig
from .contact import ContactTarget
from .grasps import grasps_of
from .guard import Guard
from .leg import Leg
from .pose_path import PosePath
from .tip_follower import TipFollower

REMEDY = (
    'shorten its path, move or turn the object or its grasps, or start from another robot.home'
)
FREE = ContactTarget(None)
"""Free hands: no squeeze is controlled."""


class TaskContext:
    """Robot and object between two tasks, while a plan is made.

    :param q: joints at the start [rad], shape ``(n,)``.
    :ivar start: the same.
    :ivar q: joints now [rad], shape ``(n,)``.
    :ivar object: pose of the object in the world.
    :ivar grasps: poses of the tips in axes of the object, the palms on it.
    :ivar hold: poses of the tips in axes of the object while it is held: with the ``press`` of
        the grasp.
    :ivar guard: whether the arms are bound to each other.
    :ivar target: of the contact while the object is held.
    :ivar expected: whether the object that is held is known to be there.
    :ivar at_object: share of the object's displacement that the hands take part in.
    :ivar steps: number of steps that are planned.
    """

    def __init__(self, config: BimanualConfig, model: RobotModel, period: float, q: Array):
        self.config = config
        self.model = model
        self.period = period
        self.follower = TipFollower(model)
        self.start, self.q = q, q
        known = config.object
        self.object = pin.SE3(pin.rpy.rpyToMatrix(np.array(known.rpy)), np.array(known.position))
        self.grasps = grasps_of(known, model.tips)
        self.hold = self.grasps
        self.guard = Guard()
        self.target = FREE
        self.expected = True
        self.at_object = 0.0
        self.steps = 0
        self._solvers: dict[str, InverseKinematics] = {}

    @property
    def hands(self) -> tuple[pin.SE3, ...]:
        """Return the poses of the tips in the world."""
        return tuple(self.follower.poses(self.q))

    def solver(self, tip: str) -> InverseKinematics:
        """Return the inverse kinematics of a tip."""
        if tip not in self._solvers:
            self._solvers[tip] = inverse_kinematics(self.model, tip)
        return self._solvers[tip]

    def shares(self, durations: Sequence[float], name: str) -> list[Array]:
        """Return the share of its path that each hand has covered, shape ``(steps,)`` each.

        A task lasts as long as the slower hand, a whole number of steps; the faster one waits at
        its end.

        :param durations: one for both hands, or one for each [s].
        :raises ConfigError: it is neither.
        """
        if len(durations) not in (1, len(self.model.tips)):
            raise ConfigError(
                f'{name}: {len(durations)} durations for {len(self.model.tips)} hands; give one '
                'for both, or one for each'
            )
        counts = [whole_steps(duration, self.period) for duration in durations]
        done = np.arange(1, max(counts) + 1)
        shares = [Quintic().share(np.minimum(done / count, 1.0)) for count in counts]
        return shares * len(self.model.tips) if len(shares) == 1 else shares

    def along(
        self,
        paths: Sequence[PosePath],
        shares: Sequence[Array],
        name: str,
        homing: Array | None = None,
    ) -> Array:
        """Return joints with which the hands go along their paths [rad], shape ``(steps, n)``.

        Each is the one with the least change from the one before.

        :param homing: the part of its remaining path to the start that each joint moves, as far as
            the hands leave it free, shape ``(steps, n)``.
        :raises GoalError: a hand cannot get there.
        """
        poses = [path.poses(share) for path, share in zip(paths, shares, strict=True)]
        return self.through(list(zip(*poses, strict=True)), name, homing)

    def through(
        self, poses: Sequence[tuple[pin.SE3, ...]], name: str, homing: Array | None = None
    ) -> Array:
        """Return joints with which the hands go through poses [rad], shape ``(steps, n)``.

        :param poses: of all hands in the world, for each step.
        :param homing: as in ``along``.
        :raises GoalError: a hand cannot get there.
        """
        joints = np.empty((len(poses), self.model.n))
        q, last = self.q, self.hands
        for k, goal in enumerate(poses):
            if homing is not None:
                q, last = (1.0 - homing[k]) * q + homing[k] * self.start, ()
            if goal != last:  # resting hands have resting joints, bit for bit
                found = self.follower.follow(q, goal)
                if not found.converged:
                    raise self._lost(name, q, goal, found.errors)
                q, last = found.joints, goal
            joints[k] = q
        return joints

    def towards(self, poses: Sequence[pin.SE3], name: str) -> Array:
        """Return the joints nearest to those now that give poses of the hands [rad], ``(n,)``.

        :raises GoalError: a hand cannot get there.
        """
        q = self.q
        for tip, pose in zip(self.model.tips, poses, strict=True):
            q = self.nearest(tip, pose, q, name)
        return q

    def nearest(self, tip: str, pose: pin.SE3, near: Array, name: str) -> Array:
        """Return the joints nearest to others that give a pose of one hand [rad], ``(n,)``.

        :param near: the others [rad], shape ``(n,)``; joints that do not move this hand stay.
        :raises GoalError: it cannot get there.
        """
        try:
            return self.solver(tip).nearest(pose, near)
        except UnreachableError as error:
            reason = str(error).partition('; ')[0]
            raise GoalError(
                f'{name}: {tip} at {in_words(pose.translation)}: {reason}; {REMEDY}',
                tip,
                error.missing,
                error.joints,
            ) from error

    def take_part(self, count: int, share: float) -> Array:
        """Return the share of the object's displacement that the hands take part in, ``(count,)``.

        :param count: of steps in which it changes smoothly.
        :param share: at the end.
        """
        before, self.at_object = self.at_object, share
        done = Quintic().share(np.arange(1, count + 1) / count)
        return (1.0 - done) * before + done * share

    def free_leg(
        self, name: str, joints: Array, at_object: Array, cartesian: bool, slower: str = 'duration'
    ) -> Leg:
        """Return a leg with free hands, see ``Leg``."""
        objects, targets = (self.object,) * len(joints), (FREE,) * len(joints)
        return Leg(name, joints, objects, targets, at_object, cartesian, slower=slower)

    def _lost(self, name: str, q: Array, poses: Sequence[pin.SE3], errors: Array) -> GoalError:
        """Return why the hands cannot get to poses from joints ``q`` a little before."""
        worst = int(np.argmax(errors))
        tip, pose = self.model.tips[worst], poses[worst]
        try:
            self.nearest(tip, pose, q, name)
        except GoalError as error:
            return error
        return GoalError(
            f'{name}: {tip} at {in_words(pose.translation)}: it crosses a singularity, the joints '
            f'cannot follow from one step to the next; {REMEDY}',
            tip,
        )
