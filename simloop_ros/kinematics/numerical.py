"""Numerical inverse kinematics for any arm: damped least squares within the limits."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from ..core.errors import UnreachableError
from ..core.values import Array
from ..robot.chain import Chain
from ..robot.model import RobotModel
from .solver import InverseKinematics, Solution
from .turns import nearest_turns

POSE_TOLERANCE = 1e-9
"""Largest error of a solution [m and rad]."""
SEARCH_TOLERANCE = 1e-13
"""Error, or step, at which the search ends [m and rad]: round-off of the forward kinematics."""
DAMPING_RATIO = 0.1
"""Ratio of the damping to the square of the error: large far away, none at the solution."""
LEAST_DAMPING = 1e-20
"""Damping at the solution: no division by zero at a singularity."""
MOST_STEPS = 100
LONGEST_STEP = 0.5
"""Largest change of a joint in one step [rad]."""
STARTS = 32
"""Starts that are tried after the present joints: home, then points spread over the ranges."""
ENOUGH_SOLUTIONS = 4
"""Solutions from other starts of which the nearest is taken."""
MOST_SLIDES = 60
"""Largest number of steps of a redundant arm towards the present joints."""
SLIDE_TOLERANCE = 1e-7
"""Step at which it is as near as it comes [rad]."""
SOLUTION_TOLERANCE = 1e-6
"""Two solutions that differ by less are one [rad]."""


class SearchResult(NamedTuple):
    """Where a search ended.

    :ivar joints: of the whole robot [rad], shape ``(n,)``.
    :ivar position: error of the tip's position [m].
    :ivar rotation: error of its orientation [rad].
    """

    joints: Array
    position: float
    rotation: float

    @property
    def error(self) -> float:
        """Return the larger of both."""
        return max(self.position, self.rotation)


class NumericalInverse(InverseKinematics):
    """Levenberg and Marquardt with the error as damping, joints stopped at their ends.

    ::

        e = log(T(q)^-1 T_d)
        dq = (J^T J + d e^T e)^-1 J^T e,    d: DAMPING_RATIO

    A joint at its end that a step would push further is taken out of the step. Where the search
    from the present joints fails, it starts again from others, always the same ones. An arm with
    joints to spare then slides along its solutions towards the present joints.
    """

    kind = 'numerical'

    def __init__(self, model: RobotModel, tip: str, chain: Chain):
        super().__init__(model, tip, chain)
        self._joints = list(chain.joints)
        self._turning = [
            joint for joint, slide in zip(chain.joints, chain.slides, strict=True) if not slide
        ]
        self._frame = model.frame(tip)
        self._data = model.pin_model.createData()
        self._lower, self._upper = model.lower[self._joints], model.upper[self._joints]
        self._starts = self._spread()

    def _solve(self, pose: list[list[float]], near: Array, arm: int | None) -> Solution:  # noqa: ARG002
        target = pin.SE3(np.array(pose))
        inside = np.clip(near[self._joints], self._lower, self._upper)
        first = self._search(target, self._with(near, inside))
        if first.error <= POSE_TOLERANCE:
            return Solution(self._nearer(target, first.joints, near), 0)
        failed = [first]
        solutions: list[Array] = []
        for start in self._starts:
            found = self._search(target, self._with(near, start))
            if found.error > POSE_TOLERANCE:
                failed.append(found)
                continue
            solutions.append(self._nearer(target, found.joints, near))
            if len(solutions) == ENOUGH_SOLUTIONS:
                break
        if not solutions:
            raise self._refusal(target, failed, near)
        return Solution(min(solutions, key=lambda q: float(np.sum((q - near) ** 2))), 0)

    def _solve_all(self, pose: list[list[float]]) -> Array:
        target, home = pin.SE3(np.array(pose)), self.model.home
        kept: list[Array] = []
        for start in self._starts:
            found = self._search(target, self._with(home, start))
            if found.error > POSE_TOLERANCE:
                continue
            q = self._turned(found.joints, home)
            if all(np.abs(q - other).max() > SOLUTION_TOLERANCE for other in kept):
                kept.append(q)
        return np.array(kept).reshape(-1, self.model.n)

    def _spread(self) -> list[Array]:
        """Return starts within the ranges of the chain, home first.

        The others are multiples of square roots of primes, modulo 1: spread evenly over all joints
        at once. Of a joint without ends one turn is enough.
        """
        home = self.model.home[self._joints]
        low, high = (
            np.maximum(self._lower, home - math.pi),
            np.minimum(self._upper, home + math.pi),
        )
        roots = np.sqrt(_primes(len(home)))
        shares = np.outer(np.arange(1, STARTS), roots) % 1.0
        return [home, *(low + shares * (high - low))]

    def _with(self, robot: Array, chain: Array) -> Array:
        """Return the robot's joints with those of the chain replaced."""
        joints = robot.copy()
        joints[self._joints] = chain
        return joints

    def _linearised(self, target: pin.SE3, q: Array) -> tuple[Array, Array]:
        """Return the error as a twist in the tip, and the Jacobian of the chain in the tip."""
        model, data = self.model.pin_model, self._data
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacement(model, data, self._frame)
        jacobian = pin.getFrameJacobian(model, data, self._frame, pin.ReferenceFrame.LOCAL)
        error = np.array(pin.log6(data.oMf[self._frame].actInv(target)))
        return error, jacobian.reshape(6, -1)[:, self._joints]

    def _search(self, target: pin.SE3, start: Array, limited: bool = True) -> SearchResult:
        """Return the best joints that damped least squares find from a start."""
        q, best, least = start, SearchResult(start, math.inf, math.inf), math.inf
        for _ in range(MOST_STEPS):
            error, jacobian = self._linearised(target, q)
            square = float(error @ error)
            if square < least:
                position, rotation = np.linalg.norm(error[:3]), np.linalg.norm(error[3:])
                best, least = SearchResult(q, float(position), float(rotation)), square
            damping = DAMPING_RATIO * square + LEAST_DAMPING

            def damped(
                free: Array, J: Array = jacobian, e: Array = error, by: float = damping
            ) -> Array:
                U, s, Vt = np.linalg.svd(J[:, free], full_matrices=False)
                return Vt.T @ ((s / (s * s + by)) * (U.T @ e))

            step = self._step(q, damped, limited)
            if least <= SEARCH_TOLERANCE**2 or np.abs(step).max(initial=0.0) <= SEARCH_TOLERANCE:
                break
            q = self._with(q, q[self._joints] + step)
        return best

    def _nearer(self, target: pin.SE3, solution: Array, near: Array) -> Array:
        """Return a solution nearest to the present joints, on the same branch.

        ``dq = J# e + (1 - J# J)(q_near - q)`` follows the solutions of a redundant arm.
        """
        q = self._turned(solution, near)
        if len(self._joints) <= 6:
            return q
        for _ in range(MOST_SLIDES):
            error, jacobian = self._linearised(target, q)
            away = (near - q)[self._joints]

            def slide(
                free: Array, J: Array = jacobian, e: Array = error, to: Array = away
            ) -> Array:
                inverse = np.linalg.pinv(J[:, free], rcond=1e-6)
                return inverse @ (e - J[:, free] @ to[free]) + to[free]

            step = self._step(q, slide, True)
            q = self._with(q, q[self._joints] + step)
            if np.abs(step).max() <= SLIDE_TOLERANCE:
                break
        met = self._search(target, q)
        far = float(np.sum((solution - near) ** 2))
        closer = met.error <= POSE_TOLERANCE and float(np.sum((met.joints - near) ** 2)) < far
        return met.joints if closer else self._turned(solution, near)

    def _step(self, q: Array, solve: Callable[[Array], Array], limited: bool) -> Array:
        """Return a step of the chain that stays within the limits.

        :param solve: returns the step of the joints that are free to move, given which ones are.
        """
        chain = q[self._joints]
        free = np.ones(len(chain), dtype=bool)
        step = np.zeros(len(chain))
        while free.any():
            step[:] = 0.0
            step[free] = solve(free)
            step *= LONGEST_STEP / max(LONGEST_STEP, float(np.abs(step).max()))
            if not limited:
                return step
            pushed = (step < 0.0) & (chain <= self._lower) | (step > 0.0) & (chain >= self._upper)
            if not pushed.any():
                return np.clip(chain + step, self._lower, self._upper) - chain
            free &= ~pushed
        return np.zeros(len(chain))

    def _turned(self, q: Array, near: Array) -> Array:
        """Return the same joints in the turns nearest to ``near`` that the limits allow."""
        model, turned = self.model, q.copy()
        i = self._turning
        turned[i] = nearest_turns(q[i], near[i], model.lower[i], model.upper[i])
        return np.where(np.isnan(turned), q, turned)

    def _refusal(
        self, target: pin.SE3, failed: list[SearchResult], near: Array
    ) -> UnreachableError:
        """Return why there is no solution: a limit, if there is one without limits."""
        model = self.model
        for start in (near[self._joints], *self._starts):
            found = self._search(target, self._with(near, start), limited=False)
            if found.error > POSE_TOLERANCE:
                continue
            q = self._turned(found.joints, near)
            beyond = np.maximum(model.lower - q, q - model.upper)
            names = tuple(model.joint_names[i] for i in np.flatnonzero(beyond > 0.0))
            far = ' and '.join(
                f'{name} (by {excess:.4g} rad)'
                for name, excess in zip(names, beyond[beyond > 0.0], strict=True)
            )
            if names:
                return UnreachableError(
                    f'{self.tip} was found there only beyond the limit of {far}; move or turn '
                    'the pose',
                    'joint_limit',
                    self.tip,
                    joints=names,
                )
        best = min(failed, key=lambda found: found.error)
        return UnreachableError(
            f'{self.tip} is out of reach by {best.position:.4g} m and {best.rotation:.4g} rad, '
            'the nearest that was found; move or turn the pose',
            'out_of_reach',
            self.tip,
            best.position,
        )


def _primes(count: int) -> Array:
    found: list[float] = []
    number = 2
    while len(found) < count:
        if all(number % prime for prime in found):
            found.append(float(number))
        number += 1
    return np.array(found)
