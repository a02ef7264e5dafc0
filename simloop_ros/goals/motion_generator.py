"""From a goal to a whole motion that is known to be possible, or the reason to refuse it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
import math
from typing import Any

import msgspec
from msgspec.structs import asdict, astuple
import numpy as np
import pinocchio as pin

from ..core.errors import GoalError, SimloopError, UnreachableError
from ..core.values import Array
from ..kinematics.inverse import inverse_kinematics
from ..kinematics.solver import InverseKinematics
from ..kinematics.velocity import TipVelocity
from ..robot.model import RobotModel
from ..robot.srdf import find_srdf, read_semantics
from .config import LONGEST_JOG, GoalLimits
from .goal import JogGoal, JointsGoal, MotionGoal, NamedGoal, PoseGoal, TrajectoryGoal
from .jog import Velocity, jog
from .joint_motion import JointMotion
from .straight import straight_to
from .trajectory import Reference, Trajectory, joined
from .trajectory_check import TrajectoryCheck, reasons
from .waypoints import joint_indices, through_points

HOME = 'home'
MOST_WAYS = 8
"""Postures for one pose that are tried."""


class MotionGenerator:
    """Motions to goals, from any state of the desired motion.

    Everything is decided before the robot moves: reach, ranges, speed, effort, self-collision.

    :param start: posture that is known to be free of self-collision [rad], shape ``(n,)``.
    """

    def __init__(self, model: RobotModel, limits: GoalLimits, period: float, start: Array):
        self._model = model
        self._limits = limits
        self.motion = JointMotion(model, limits, period)
        self._check = TrajectoryCheck(model, limits, self.motion, start)
        self._cached_plans: dict[bytes, Trajectory | str] = {}
        # Built at the first goal that needs them.
        self._cached_solver = cache(lambda tip: inverse_kinematics(model, tip))
        self._cached_velocity = cache(lambda tip: TipVelocity(model, tip))

    def plan(self, goal: MotionGoal, begin: Reference) -> Trajectory:
        """Return the motion to a goal.

        :raises GoalError: it is refused, with the reason.
        """
        try:
            _refuse_numbers(goal)
            return self._plan(goal, begin)
        except GoalError:
            raise
        except SimloopError as error:
            raise GoalError(str(error)) from error

    def plan_once(self, goal: MotionGoal, begin: Reference) -> Trajectory:
        """Do the same as ``plan``, and keep the answer for the next call."""
        key = msgspec.json.encode((goal, [part.tobytes() for part in astuple(begin)]))
        if key not in self._cached_plans:
            try:
                self._cached_plans[key] = self.plan(goal, begin)
            except GoalError as error:
                self._cached_plans[key] = str(error)
        found = self._cached_plans[key]
        if isinstance(found, str):
            raise GoalError(found)
        return found

    def _plan(self, goal: MotionGoal, begin: Reference) -> Trajectory:
        match goal:
            case PoseGoal(straight=False):
                return self._pose(goal, begin)
            case PoseGoal():
                return self._checked(self._straight(goal, begin))
            case JogGoal():
                return self._checked(self._jog(goal, begin))
            case TrajectoryGoal():
                return self._checked(through_points(goal, self._model, self.motion, begin))
            case JointsGoal():
                return self._joints(goal.positions, begin)
            case NamedGoal():
                return self._joints(self._posture(goal.name), begin)

    def last_position(self, goal: MotionGoal) -> MotionGoal:
        """Return the goal that leads to where another one ends, from anywhere."""
        if not isinstance(goal, TrajectoryGoal):
            return goal
        positions = dict(zip(goal.joints, goal.points[-1].positions, strict=True))
        return JointsGoal(positions=positions, at=goal.at)

    def _checked(self, trajectory: Trajectory) -> Trajectory:
        self._check.refuse(trajectory)
        return trajectory

    def _joints(self, positions: Mapping[str, float], begin: Reference) -> Trajectory:
        chosen = joint_indices(tuple(positions), self._model)
        target = self.motion.brake(begin).position[-1].copy()
        target[chosen] = list(positions.values())
        self._refuse_target(target)
        return self._checked(self.motion.to(begin, target))

    def _refuse_target(self, target: Array) -> None:
        model = self._model
        for name, unit, q, low, high in zip(
            model.joint_names, model.joint_units, target, model.lower, model.upper, strict=True
        ):
            if not low <= q <= high:
                raise GoalError(
                    f'out of range: {name} to {q:.4g} {unit}, its range is {low:.4g} to {high:.4g}'
                )

    def _posture(self, name: str) -> Mapping[str, float]:
        model = self._model
        if name == HOME:
            return dict(zip(model.joint_names, model.home.tolist(), strict=True))
        path = model.description
        postures = {} if path is None else read_semantics(find_srdf(path), path).postures
        if name not in postures:
            raise GoalError(
                f'unknown pose {name!r}; valid: {", ".join((HOME, *sorted(postures)))}'
            )
        own = {k: v for k, v in postures[name].items() if k in model.joint_names}
        if not own:
            raise GoalError(f'{name} has no joint that moves; choose another pose')
        return own

    def _tip(self, given: str | None) -> str:
        tips = self._model.tips
        if given is None and len(tips) != 1:
            raise GoalError(f'the robot has {len(tips)} tips; name one of {", ".join(tips)}')
        tip = tips[0] if given is None else given
        if tip not in tips:
            raise GoalError(f'unknown tip {tip!r}; valid: {", ".join(tips)}')
        return tip

    def _target(self, goal: PoseGoal, solver: InverseKinematics, position: Array) -> pin.SE3:
        """Return the pose to go to; the orientation at joints ``position`` is kept by default."""
        if goal.rpy is None:
            (present,) = self._model.frame_poses(position, [solver.tip])
            return pin.SE3(present.rotation, np.array(goal.position))
        return pin.SE3(pin.rpy.rpyToMatrix(np.array(goal.rpy)), np.array(goal.position))

    def _pose(self, goal: PoseGoal, begin: Reference) -> Trajectory:
        """Return the way of the joints to the nearest posture for a pose that is possible."""
        solver = self._cached_solver(self._tip(goal.tip))
        pose = self._target(goal, solver, begin.position)
        refused = []
        for target in self._postures(solver, pose, begin.position):
            try:
                self._refuse_target(target)
                return self._checked(self.motion.to(begin, target))
            except GoalError as error:  # noqa: PERF203
                refused.append(error)
        raise GoalError(reasons(refused))

    def _postures(self, solver: InverseKinematics, pose: pin.SE3, near: Array) -> Iterator[Array]:
        """Yield joints that give a pose, the nearest first [rad], shape ``(n,)``."""
        try:
            first = solver.nearest(pose, near)
        except UnreachableError as error:
            raise GoalError(f'out of reach: {str(error).partition("; ")[0]}') from error
        yield first
        found = solver.all(pose)
        others = [j for j in range(self._model.n) if j not in solver.chain.joints]
        found[:, others] = near[others]
        order = np.argsort(np.abs(found - near).max(axis=1))
        for target in found[order][:MOST_WAYS]:
            if not np.allclose(target, first):
                yield target

    def _straight(self, goal: PoseGoal, begin: Reference) -> Trajectory:
        solver = self._cached_solver(self._tip(goal.tip))
        brake = self.motion.brake(begin)
        start = brake.position[-1]
        pose = self._target(goal, solver, start)
        onward = straight_to(
            pose, self._model, solver, self.motion, start, self._limits.tip_velocity
        )
        return joined(brake, onward)

    def _jog(self, goal: JogGoal, begin: Reference) -> Trajectory:
        timeout = self._limits.jog_timeout if goal.timeout is None else goal.timeout
        if timeout > LONGEST_JOG:
            raise GoalError(f'a time-out of {timeout:g} s; at most {LONGEST_JOG:g} s are possible')
        steps = max(1, round(timeout / self.motion.period))
        return jog(self._velocity(goal), steps, self.motion, self._check, begin)

    def _velocity(self, goal: JogGoal) -> Velocity:
        """Return the velocities of the joints that a jog asks for, at any joints."""
        twist = np.array((*goal.linear, *goal.angular))
        if goal.joints:
            if twist.any() or goal.tip is not None:
                raise GoalError('a jog is of a tip or of joints, not of both')
            wanted = np.zeros(self._model.n)
            wanted[joint_indices(tuple(goal.joints), self._model)] = list(goal.joints.values())
            return lambda _: wanted
        tip = self._tip(goal.tip)
        kinematics, model = self._cached_velocity(tip), self._model

        def velocity(q: Array) -> Array:
            if goal.frame == 'world':
                return kinematics.joint_velocity(q, twist)
            (pose,) = model.frame_poses(q, [tip])
            turned = np.concatenate((pose.rotation @ twist[:3], pose.rotation @ twist[3:]))
            return kinematics.joint_velocity(q, turned)

        return velocity


def _refuse_numbers(goal: MotionGoal) -> None:
    """Raise GoalError for numbers that are not finite; those of files are refused before."""
    for name, value in asdict(goal).items():
        for number in value.values() if isinstance(value, dict) else _flat(value):
            if isinstance(number, float) and not math.isfinite(number):
                raise GoalError(f'{name}: {number} is not a finite number')


def _flat(value: Any) -> Iterable[Any]:
    return value if isinstance(value, tuple) else (value,)
