"""Paths of the target of a hand after the grip."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right

import msgspec
import numpy as np

from ..core.errors import ConfigError, UnknownNameError
from ..core.values import Array
from ..maths.minimum_jerk import minimum_jerk_motion
from ..robot.model import RobotModel
from .config import Hand, JointPath, LinePath, WaypointPath
from .spring_contact import point_jacobian


class HandTarget(msgspec.Struct, frozen=True):
    """Where a hand pulls the point to: position [m] and velocity [m/s] in the world, ``(3,)``."""

    position: Array
    velocity: Array


class HandPath(ABC):
    """A target as a function of time that starts where the point is gripped, at rest."""

    @abstractmethod
    def target(self, q: Array, origin: Array, time: float) -> HandTarget:
        """Return the target.

        :param q: joint positions at the grip [rad], shape ``(n,)``.
        :param origin: where the point was then, in the world [m], shape ``(3,)``.
        :param time: since the grip [s].
        """


class Still(HandPath):
    """The target stays."""

    def target(self, q: Array, origin: Array, time: float) -> HandTarget:  # noqa: ARG002
        """Return where the point was gripped."""
        return HandTarget(origin, np.zeros(3))


class Line(HandPath):
    """``x = x_0 + v s(t)``: ``s'`` rises from 0 to 1 as ``minimum_jerk`` does, and stays 1."""

    def __init__(self, path: LinePath):
        self._velocity = np.array(path.velocity)
        self._rise = path.rise

    def target(self, q: Array, origin: Array, time: float) -> HandTarget:  # noqa: ARG002
        """Return the target at a time since the grip [s]."""
        share = min(time / self._rise, 1.0)
        speed, _ = minimum_jerk_motion(share)
        # The integral of minimum_jerk: one half of the rise is lost on the way to full speed.
        way = self._rise * share**4 * (2.5 - 3.0 * share + share**2)
        way += max(time - self._rise, 0.0)
        return HandTarget(origin + way * self._velocity, speed * self._velocity)


class Waypoints(HandPath):
    """From place to place with minimum jerk, at rest in each, and in the last for good.

    :raises ConfigError: the times do not rise.
    """

    def __init__(self, path: WaypointPath):
        self._times = [0.0, *(waypoint.time for waypoint in path.waypoints)]
        self._offsets = np.array([(0.0, 0.0, 0.0), *(point.offset for point in path.waypoints)])
        for before, after in zip(self._times, self._times[1:], strict=False):
            if after <= before:
                raise ConfigError(
                    f'plant.hands: waypoints must be in the order of time, but {after:g} s comes '
                    f'after {before:g} s'
                )

    def target(self, q: Array, origin: Array, time: float) -> HandTarget:  # noqa: ARG002
        """Return the target at a time since the grip [s]."""
        i = min(bisect_right(self._times, time), len(self._times) - 1)
        length = self._times[i] - self._times[i - 1]
        share, rate = minimum_jerk_motion(min((time - self._times[i - 1]) / length, 1.0))
        way = self._offsets[i] - self._offsets[i - 1]
        return HandTarget(origin + self._offsets[i - 1] + share * way, rate / length * way)


class JointArc(HandPath):
    """Where the point would be if one joint turned with minimum jerk and all others stayed.

    :param frame: Pinocchio index of the link's frame.
    :param point: from that frame, in its axes [m], shape ``(3,)``.
    :raises UnknownNameError: the robot has no such joint.
    """

    def __init__(self, path: JointPath, model: RobotModel, frame: int, point: Array):
        if path.joint not in model.joint_names:
            raise UnknownNameError('joint of plant.hands', path.joint, model.joint_names)
        self._model = model.pin_model
        self._data = self._model.createData()
        self._frame = frame
        self._point = point
        self._index = model.joint_names.index(path.joint)
        self._angle = path.angle
        self._duration = path.duration

    def target(self, q: Array, origin: Array, time: float) -> HandTarget:  # noqa: ARG002
        """Return the target at a time since the grip [s]."""
        share, rate = minimum_jerk_motion(min(time / self._duration, 1.0))
        turned = q.copy()
        turned[self._index] += share * self._angle
        jacobian, position = point_jacobian(
            self._model, self._data, turned, self._frame, self._point
        )
        return HandTarget(position, rate * self._angle / self._duration * jacobian[:, self._index])


def build_path(hand: Hand, model: RobotModel, frame: int) -> HandPath:
    """Return the path of a hand from its configuration.

    :param frame: Pinocchio index of the frame of the hand's link.
    """
    path = hand.path
    if path is None:
        return Still()
    if isinstance(path, JointPath):
        return JointArc(path, model, frame, np.array(hand.point))
    return Line(path) if isinstance(path, LinePath) else Waypoints(path)
