"""How far joints may be from the motion that is asked of them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from ..core.values import Array, JointState


class JointTolerances(msgspec.Struct, frozen=True):
    """Largest errors of some joints; infinite where none is asked for.

    :ivar position: of each joint [rad or m].
    :ivar velocity: of each joint [rad/s or m/s].
    """

    position: tuple[float, ...]
    velocity: tuple[float, ...]

    @classmethod
    def none(cls, count: int) -> JointTolerances:
        """Return those of joints that may be anywhere."""
        return cls((np.inf,) * count, (np.inf,) * count)

    def violation(self, joints: Sequence[str], error: JointState) -> str:
        """Return which joint is beyond its tolerance, and by how much; empty if none is.

        :param error: of each joint.
        """
        for what, values, bounds in (
            ('position', error.position, self.position),
            ('velocity', error.velocity, self.velocity),
        ):
            beyond = np.abs(values) - np.array(bounds)
            worst = int(beyond.argmax())
            if not beyond[worst] <= 0.0:
                return (
                    f'{joints[worst]} has a {what} error of {values[worst]:.3g}, '
                    f'{bounds[worst]:.3g} is allowed'
                )
        return ''


class MotionTolerances(msgspec.Struct, frozen=True):
    """Tolerances of a motion.

    :ivar path: until its end.
    :ivar goal: at its end.
    :ivar goal_time: time after the end in which the robot has to come within ``goal`` [s].
    """

    path: JointTolerances
    goal: JointTolerances
    goal_time: float


def difference(desired: JointState, actual: JointState) -> JointState:
    """Return the error of joints: desired less actual."""
    return JointState(desired.position - actual.position, desired.velocity - actual.velocity)


def chosen_joints(state: JointState, indices: Sequence[int]) -> JointState:
    """Return the state of some joints, in this order."""
    chosen: Array = np.array(indices, dtype=int)
    return JointState(state.position[chosen], state.velocity[chosen])
