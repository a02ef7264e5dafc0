"""Validation of a planned motion: limits of velocity and effort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ..core.errors import GoalError
from ..core.values import Array
from ..robot.model import RobotModel
from ..robot.weight import weight_efforts
from .config import CartesianConfig
from .side_joints import SideJoints
from .side_profiles import SideProfile
from .tip_path import Side

VELOCITY_SAMPLES = 400
"""Least number of samples of the velocities on a side; more if it has more steps."""


@dataclass(frozen=True)
class SideMotion:
    """The motion along a side, from rest to rest.

    :ivar steps: number of steps that it takes.
    """

    side: Side
    joints: SideJoints
    profile: SideProfile
    steps: int

    def positions(self, count: int) -> Array:
        """Return the joints at the ends of ``count`` equal times [rad], shape ``(count, n)``."""
        return self.joints.at(self.profile.share(np.arange(1, count + 1) / count))


def refuse_slow_joints(
    config: CartesianConfig, model: RobotModel, period: float, motions: Sequence[SideMotion]
) -> None:
    """Refuse a motion that exceeds the velocity limit of a joint, at a step or between two.

    :raises GoalError: with the side, the joint, its velocity and a remedy.
    """
    velocities = []
    for motion in motions:
        count = motion.steps * -(-VELOCITY_SAMPLES // motion.steps)
        positions = np.concatenate((motion.joints.knots[:1], motion.positions(count)))
        velocities.append(np.diff(positions, axis=0) * (count / (motion.steps * period)))
    worst = Worst(velocities, model.velocity_limit)
    if worst.share <= 1.0:
        return
    joint, unit = model.joint_names[worst.joint], model.joint_units[worst.joint]
    taken = motions[worst.side].steps * period
    slower = f'raise planner.duration to {1.01 * worst.share * taken:.3g} s'
    raise GoalError(
        f'{motions[worst.side].side}: {joint} would have to go at {worst.value:.3g} {unit}/s, '
        f'its limit is {worst.limit:.3g} {unit}/s; '
        f'{"lower planner.limit_share" if config.profile == "time_optimal" else slower} or move '
        'its corners',
        joints=(joint,),
    )


def refuse_weak_joints(
    config: CartesianConfig,
    model: RobotModel,
    period: float,
    start: Array,
    positions: Array,
    motions: Sequence[SideMotion],
) -> None:
    """Refuse a motion that exceeds the effort limit of a joint.

    :param start: joints at the beginning [rad], shape ``(n,)``, at rest.
    :param positions: at the end of each step [rad], shape ``(steps, n)``.
    :raises GoalError: with the side, the joint, its effort and a remedy.
    """
    q = np.concatenate((start[None], positions))
    tau = efforts_along(model, period, q)
    ends = np.cumsum([motion.steps for motion in motions])
    worst = Worst(np.split(tau, ends[:-1]), model.effort_limit)
    if worst.share <= 1.0:
        return
    joint = model.joint_names[worst.joint]
    unit = model.effort_units[worst.joint]
    weight = abs(weight_efforts(model, q[worst.step])[worst.joint])
    if weight > worst.limit:
        remedy = f'the weight alone needs {weight:.3g} {unit}: move its corners'
    elif config.profile == 'time_optimal':
        remedy = 'lower planner.limit_share or move its corners'
    else:
        remedy = 'raise planner.duration or move its corners'
    raise GoalError(
        f'{motions[worst.side].side}: {joint} would need {worst.value:.3g} {unit}, its limit '
        f'is {worst.limit:.3g} {unit}; {remedy}',
        joints=(joint,),
    )


def efforts_along(model: RobotModel, period: float, q: Array) -> Array:
    """Return the efforts of a motion from rest to rest [N m], shape ``(steps + 1, n)``.

    Velocities and accelerations are differences of the positions, so efforts are those of
    deadbeat control without model error::

        v_k = (q_k - q_k-1)/h,   tau_k = rnea(q_k, v_k, (v_k+1 - v_k)/h)

    :param q: joints at the beginning and at the end of each step [rad], shape ``(steps + 1, n)``.
    """
    rest = np.zeros((1, model.n))
    v = np.concatenate((rest, np.diff(q, axis=0) / period, rest))
    a = np.diff(v, axis=0) / period
    data = model.pin_model.createData()
    return np.array(
        [pin.rnea(model.pin_model, data, *row) for row in zip(q, v[:-1], a, strict=True)]
    )


class Worst:
    """The sample of a motion with the largest share of a limit.

    :param values: on each side, shape ``(samples, n)`` each.
    :ivar side: index of its side.
    :ivar step: index of the sample, counted over all sides.
    :ivar share: of the limit.
    """

    def __init__(self, values: Sequence[Array], limits: Array):
        together = np.abs(np.concatenate(values))
        shares = together / limits
        self.step, self.joint = divmod(int(np.argmax(shares)), len(limits))
        self.share = float(shares[self.step, self.joint])
        self.value = float(together[self.step, self.joint])
        self.limit = float(limits[self.joint])
        ends = np.cumsum([len(part) for part in values])
        self.side = int(np.searchsorted(ends, self.step, 'right'))
