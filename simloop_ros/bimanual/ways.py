"""Ways of a hand or of the object through space, from rest to rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pinocchio as pin

from ..planning.tip_path import Corner, Side
from ..values import Array


class Way(Protocol):
    """Poses by the share of a way that is done, 0 to 1."""

    def poses(self, shares: Array) -> list[pin.SE3]:
        """Return the poses in the world at places on it, shape ``(m,)``."""


@dataclass(frozen=True)
class Arc:
    """A rigid turn about a line in the world, as that of a door.

    ::

        x(s) = c + exp(s w) (x_0 - c),   R(s) = exp(s w) R_0,   0 <= s <= 1

    :ivar begin: pose at its begin.
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
class Rest:
    """The way that leads nowhere: the same pose, bit for bit.

    :ivar pose: in the world.
    """

    pose: pin.SE3

    def poses(self, shares: Array) -> list[pin.SE3]:
        """Return the pose for each place, shape ``(m,)``."""
        return [self.pose] * len(shares)


def straight(begin: pin.SE3, end: pin.SE3) -> Side:
    """Return the straight way between two poses, with an even turn."""
    turn = pin.log3(begin.rotation.T @ end.rotation)
    return _side(begin, end.translation, turn)


def displaced(begin: pin.SE3, by: Array, turn: Array) -> Side:
    """Return the straight way from a pose by a displacement, with a turn.

    ::

        x(s) = x_0 + s d,   R(s) = exp(s w) R_0,   0 <= s <= 1

    :param by: ``d``, in world axes [m], shape ``(3,)``.
    :param turn: ``w``, in world axes [rad], shape ``(3,)``; more than half a turn is possible.
    """
    return _side(begin, begin.translation + by, begin.rotation.T @ turn)


def _side(begin: pin.SE3, end: Array, turn: Array) -> Side:
    return Side(
        1,
        Corner('begin', begin.translation.copy()),
        Corner('end', np.array(end)),
        begin.rotation.copy(),
        turn,
    )
