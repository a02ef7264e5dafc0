"""How far the robot was from its setpoints, and which joints were at their effort limits."""

from __future__ import annotations

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel
from .columns import DESIRED_POSITION, EFFORT, TRUE_POSITION
from .log import LogRows

AT_LIMIT = 1.0 - 1e-9
"""Share of its limit from which an effort is at it: it is clipped to exactly that."""


class Deviation(msgspec.Struct, frozen=True):
    """The largest distance of a joint's origin or a tip from where its setpoint puts it.

    :ivar distance: [m].
    :ivar row: of the log.
    """

    distance: float
    row: int


class LimitedJoint(msgspec.Struct, frozen=True):
    """The joint that was at its effort limit most often.

    :ivar first: row of the log in which it was there first.
    :ivar steps: number of rows in which it was there.
    """

    name: str
    first: int
    steps: int


def largest_deviation(model: RobotModel, log: LogRows, bound: float) -> Deviation | None:
    """Return the largest deviation of a run; ``None`` if it is below a bound [m].

    Only rows whose joints are far enough away are looked at: no point moves further than the sum
    of all joints' displacements, times the length of the robot.
    """
    points = _Points(model)
    largest: Deviation | None = None
    first = 0
    for block in log.chunks():
        true, desired = block[:, TRUE_POSITION], block[:, DESIRED_POSITION]
        most = points.bound(np.abs(true - desired))
        for row in np.argsort(most)[::-1]:
            if not most[row] > (bound if largest is None else largest.distance):
                break
            apart = points.at(true[row]) - points.at(desired[row])
            distance = float(np.linalg.norm(apart, axis=1).max())
            if distance > (bound if largest is None else largest.distance):
                largest = Deviation(distance, first + int(row))
        first += len(block)
    return largest


class _Points:
    """The origins of the joints and the tips of a robot."""

    def __init__(self, model: RobotModel):
        self._model, self._data = model.pin_model, model.pin_model.createData()
        self._tips = model.tip_frames
        placements = [*model.pin_model.jointPlacements]
        placements += [model.pin_model.frames[tip].placement for tip in self._tips]
        self._reach = np.where(
            np.array(model.joint_units) == 'm',
            1.0,
            sum(float(np.linalg.norm(placement.translation)) for placement in placements),
        )

    def at(self, q: Array) -> Array:
        """Return their positions [m], shape ``(points, 3)``."""
        pin.forwardKinematics(self._model, self._data, q)
        joints = [placement.translation for placement in self._data.oMi[1:]]
        tips = [
            pin.updateFramePlacement(self._model, self._data, tip).translation
            for tip in self._tips
        ]
        return np.array([*joints, *tips])

    def bound(self, displacements: Array) -> Array:
        """Return what no point moves further than [m], shape ``(rows,)``.

        :param displacements: of the joints [rad], shape ``(rows, n)``, not negative.
        """
        return (displacements * self._reach).sum(axis=1)


def most_limited(model: RobotModel, log: LogRows) -> LimitedJoint | None:
    """Return the joint that was at its effort limit most often; ``None`` if none was."""
    steps, firsts, first = np.zeros(model.n), np.full(model.n, -1), 0
    for block in log.chunks():
        limited = np.abs(block[:, EFFORT]) >= AT_LIMIT * model.effort_limit
        new = limited.any(axis=0) & (firsts < 0)
        firsts[new] = first + limited.argmax(axis=0)[new]
        steps += limited.sum(axis=0)
        first += len(block)
    joint = int(steps.argmax())
    if not steps[joint]:
        return None
    return LimitedJoint(model.joint_names[joint], int(firsts[joint]), int(steps[joint]))
