"""Paths of a hand or of the object through space, from rest to rest."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array
from ..planning.tip_path import Corner, Side, at_same_place, in_words


class PosePath(Protocol):
    """Poses by the covered share of a path, 0 to 1."""

    def poses(self, shares: Array) -> list[pin.SE3]:
        """Return the poses in the world at places on it, shape ``(m,)``."""


@dataclass(frozen=True)
class ArcPath:
    """A rigid turn about a line in the world, as that of a door.

    ::

        x(s) = c + exp(s w) (x_0 - c),   R(s) = exp(s w) R_0,   0 <= s <= 1

    :ivar begin: pose at its beginning.
    :ivar pivot: ``c``, a point of the line [m], shape ``(3,)``.
    :ivar turn: ``w``, along the line [rad], shape ``(3,)``.
    """

    begin: pin.SE3
    pivot: Array
    turn: Array

    def poses(self, shares: Array) -> list[pin.SE3]:
        """Return the poses in the world at places on it, shape ``(m,)``."""
        arm = self.begin.translation - self.pivot
        turns = [pin.exp3(s * self.turn) for s in shares]
        return [pin.SE3(R @ self.begin.rotation, self.pivot + R @ arm) for R in turns]


@dataclass(frozen=True)
class SplinePath:
    """A smooth path through points, without a stop at any of them.

    ::

        x(s_i) = x_i,   x''(0) = x''(1) = 0,   R(s) = exp(s w) R_0,   0 <= s <= 1

    The natural cubic spline over the length of the chords: ``s_i`` is the share of
    ``|x_1 - x_0| + |x_2 - x_1| + ...`` up to ``x_i``. Its direction and its curvature are
    continuous. A chord takes its share of ``s``, so that the speed does not depend on the density
    of the points.

    :ivar rotation: ``R_0``, at its beginning, shape ``(3, 3)``.
    :ivar points: ``x_i``, from its beginning to its end in the world [m], shape ``(k, 3)``; no two
        that follow each other coincide.
    :ivar turn: ``w``, in world axes [rad], shape ``(3,)``.
    """

    rotation: Array
    points: Array
    turn: Array

    def poses(self, shares: Array) -> list[pin.SE3]:
        """Return the poses in the world at places on it, shape ``(m,)``."""
        from scipy.interpolate import CubicSpline  # here, as it takes half a second

        chords = np.linalg.norm(np.diff(self.points, axis=0), axis=1)
        places = np.concatenate(([0.0], np.cumsum(chords))) / chords.sum()
        spline = CubicSpline(places, self.points, bc_type='natural')
        return [
            pin.SE3(pin.exp3(s * self.turn) @ self.rotation, point)
            for s, point in zip(shares, spline(shares), strict=True)
        ]


@dataclass(frozen=True)
class ConstantPath:
    """A path at rest: the same pose, bit for bit.

    :ivar pose: in the world.
    """

    pose: pin.SE3

    def poses(self, shares: Array) -> list[pin.SE3]:
        """Return the pose for each place, shape ``(m,)``."""
        return [self.pose] * len(shares)


def straight_path(begin: pin.SE3, end: pin.SE3) -> Side:
    """Return the straight path between two poses, with a constant axis of rotation."""
    turn = pin.log3(begin.rotation.T @ end.rotation)
    return _side(begin, end.translation, turn)


def displaced_path(begin: pin.SE3, by: Array, turn: Array) -> Side:
    """Return the straight path from a pose by a displacement, with a turn.

    ::

        x(s) = x_0 + s d,   R(s) = exp(s w) R_0,   0 <= s <= 1

    :param by: ``d``, in world axes [m], shape ``(3,)``.
    :param turn: ``w``, in world axes [rad], shape ``(3,)``; more than half a turn is possible.
    """
    return _side(begin, begin.translation + by, begin.rotation.T @ turn)


def spline_path(begin: pin.SE3, points: Array, turn: Array, name: str) -> SplinePath:
    """Return the smooth path from a pose through points, with a turn.

    :param points: in the world [m], shape ``(k, 3)``; the last one is its end.
    :param turn: in world axes [rad], shape ``(3,)``; more than half a turn is possible.
    :param name: of the task, for messages.
    :raises ConfigError: two points that follow each other coincide.
    """
    names = ['its start', *(f'through[{i}]' for i in range(len(points) - 1)), 'its end']
    path = np.vstack((begin.translation, points))
    for (here, before), (there, after) in pairwise(zip(names, path, strict=True)):
        if at_same_place(before, after):
            raise ConfigError(
                f'{name}: {here} and {there} coincide, both are at {in_words(after)} in the '
                'world; leave one of them out'
            )
    return SplinePath(begin.rotation.copy(), path, turn)


def _side(begin: pin.SE3, end: Array, turn: Array) -> Side:
    return Side(
        1,
        Corner('begin', begin.translation.copy()),
        Corner('end', np.array(end)),
        begin.rotation.copy(),
        turn,
    )
