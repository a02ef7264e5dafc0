"""Is a whole motion possible? Ranges, velocity, acceleration, jerk, effort, self-collision."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pinocchio as pin

from ..core.errors import GoalError
from ..core.values import Array
from ..planning.cartesian_limits import Worst
from ..planning.self_collision import COLLISION_SPACING, SelfCollision, Touch
from ..robot.model import RobotModel
from .config import GoalLimits
from .joint_motion import JointMotion
from .trajectory import Trajectory

ROUNDING = 1e-6
"""Relative excess over a limit that is rounding."""
RANGE_ROUNDING = 1e-9
"""Distance beyond the end of its range at which a joint still is at the end [rad]."""
EFFORT_SPACING = 0.01
"""Time between two efforts that are looked at [s]."""


class TrajectoryCheck:
    """Refuses motions, with the reason.

    :param free: posture that is known to be free of self-collision [rad], shape ``(n,)``.
    """

    def __init__(self, model: RobotModel, limits: GoalLimits, motion: JointMotion, free: Array):
        self._model = model
        self._motion = motion
        self._free = free
        self._effort_limit = limits.effort_share * model.effort_limit
        self._effort_share = limits.effort_share
        self._scratch_data = model.pin_model.createData()

    @cached_property
    def _collision(self) -> SelfCollision:
        return SelfCollision(self._model, self._free)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Return the names of the joints."""
        return self._model.joint_names

    def refuse(self, trajectory: Trajectory) -> None:
        """Raise GoalError if a motion leaves the limits anywhere, or runs into itself."""
        self._refuse_range(trajectory)
        self._refuse_speed(trajectory)
        self._refuse_effort(trajectory)
        touch = self.first_touch(trajectory)
        if touch is not None:
            raise GoalError(f'{touch}; choose another goal')

    def first_outside(self, position: Array) -> tuple[int, int] | None:
        """Return row and joint of the first position outside its range; none if all are inside.

        :param position: [rad], shape ``(m, n)``. A joint that begins outside may come back.
        """
        lower, upper = self._model.lower - RANGE_ROUNDING, self._model.upper + RANGE_ROUNDING
        lower, upper = np.minimum(lower, position[0]), np.maximum(upper, position[0])
        rows, joints = np.nonzero((position < lower) | (position > upper))
        return (int(rows[0]), int(joints[0])) if len(rows) else None

    def first_touch(self, trajectory: Trajectory) -> Touch | None:
        """Return the first self-collision of a motion, if there is one."""
        period, last = trajectory.period, trajectory.steps
        stride = max(1, round(COLLISION_SPACING / period))
        for step in sorted({*range(0, last, stride), last}):
            links = self._collision.first(trajectory.position[step])
            if links is not None:
                return Touch(step, step * period, *links)
        return None

    def _refuse_range(self, trajectory: Trajectory) -> None:
        outside = self.first_outside(trajectory.position)
        if outside is None:
            return
        row, joint = outside
        model = self._model
        raise GoalError(
            f'out of range: {model.joint_names[joint]} would be at '
            f'{trajectory.position[row, joint]:.4g} {model.joint_units[joint]} at '
            f't = {row * trajectory.period:.2f} s, its range is {model.lower[joint]:.4g} to '
            f'{model.upper[joint]:.4g}'
        )

    def _refuse_speed(self, trajectory: Trajectory) -> None:
        acceleration, jerk = (np.full(self._model.n, bound) for bound in self._motion.bounds)
        for what, values, limit, per in (
            ('go at', trajectory.velocity, self._motion.velocity, '/s'),
            ('accelerate with', trajectory.acceleration, acceleration, '/s^2'),
            ('change its acceleration by', trajectory.jerk, jerk, '/s^3'),
        ):
            worst = _worst(values, limit)
            if worst is not None:
                unit = f'{self._model.joint_units[worst.joint]}{per}'
                raise GoalError(
                    f'too fast: {self._model.joint_names[worst.joint]} would have to {what} '
                    f'{worst.value:.3g} {unit}, its limit is {worst.limit:.3g} {unit}; give it '
                    'more time'
                )

    def _refuse_effort(self, trajectory: Trajectory) -> None:
        stride = max(1, round(EFFORT_SPACING / trajectory.period))
        rows = slice(None, None, stride)
        parts = (trajectory.position, trajectory.velocity, trajectory.acceleration)
        motion = zip(*(part[rows] for part in parts), strict=True)
        model = self._model
        tau = [pin.rnea(model.pin_model, self._scratch_data, *row) for row in motion]
        worst = Worst([np.array(tau)], self._effort_limit)
        if worst.share <= 1.0:
            return
        unit = model.effort_units[worst.joint]
        raise GoalError(
            f'too heavy: {model.joint_names[worst.joint]} would need {worst.value:.3g} {unit}, '
            f'{100.0 * self._effort_share:g} % of its limit are {worst.limit:.3g} {unit}; choose '
            'another goal, or lower goal_limits.acceleration'
        )


def _worst(values: Array, limit: Array) -> Worst | None:
    """Return the largest value beyond its limit; none if there is none.

    What the motion has at its begin is allowed: it may come from elsewhere, and is braked.
    """
    if not len(values):
        return None
    worst = Worst([values], np.maximum(limit, np.abs(values[0])))
    return worst if worst.share > 1.0 + ROUNDING else None


def reasons(errors: Sequence[GoalError]) -> str:
    """Return why none of several ways is possible: the first reason, and how many there are."""
    first = str(errors[0])
    return first if len(errors) == 1 else f'{first} (and {len(errors) - 1} other ways, likewise)'
