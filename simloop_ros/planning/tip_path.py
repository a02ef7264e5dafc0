"""A path of straight sides for a tip, and its course in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import dist

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError
from ..core.values import Array
from .config import CartesianConfig
from .side_profiles import SideProfile

POSITION_TOLERANCE = 1e-6
"""Distance below which two points coincide [m]: well below any encoder."""
START_TOLERANCE = 1e-4
"""Distance below which a tip starts at the first corner [m]: noise makes no side of its own."""


@dataclass(frozen=True)
class Corner:
    """A point at which the tip rests.

    :ivar name: for messages, for instance ``corner 2``.
    :ivar position: in the world [m], shape ``(3,)``.
    """

    name: str
    position: Array

    def __str__(self) -> str:
        return f'{self.name} {in_words(self.position)}'


@dataclass(frozen=True)
class Side:
    """A straight path between two corners, on which the tip may turn.

    ::

        x(s) = x_0 + s (x_1 - x_0),   R(s) = R_0 exp(s w),   0 <= s <= 1

    :ivar rotation: ``R_0``, from tip to world, at its begin, shape ``(3, 3)``.
    :ivar turn: ``w``, in axes of the tip [rad], shape ``(3,)``; zero where the tip does not turn.
    """

    number: int
    begin: Corner
    end: Corner
    rotation: Array
    turn: Array

    def __str__(self) -> str:
        return f'side {self.number}, from {self.begin} to {self.end}'

    @property
    def length(self) -> float:
        """Return the distance of its corners [m]."""
        return dist(self.end.position, self.begin.position)

    def points(self, shares: Array) -> Array:
        """Return points on it [m], shape ``(m, 3)``; the corners are met exactly."""
        s = shares[:, None]
        return (1.0 - s) * self.begin.position + s * self.end.position

    def poses(self, shares: Array) -> list[pin.SE3]:
        """Return the poses of the tip in the world at points on it, shape ``(m,)``."""
        if not self.turn.any():
            return [pin.SE3(self.rotation, point) for point in self.points(shares)]
        return [
            pin.SE3(self.rotation @ pin.exp3(s * self.turn), point)
            for s, point in zip(shares, self.points(shares), strict=True)
        ]


@dataclass(frozen=True)
class TipCourse:
    """The path of a tip over time.

    :ivar durations: of the sides [s], shape ``(sides,)``.
    """

    tip: str
    sides: tuple[Side, ...]
    profiles: tuple[SideProfile, ...]
    durations: Array

    @property
    def duration(self) -> float:
        """Return the time for the whole path [s]."""
        return float(self.durations.sum())

    @property
    def arrivals(self) -> list[tuple[str, float]]:
        """Return the name of the corner at the end of each side, and when the tip is there [s]."""
        times = np.cumsum(self.durations).tolist()
        return [(side.end.name, time) for side, time in zip(self.sides, times, strict=True)]

    def points(self, times: Array) -> Array:
        """Return the desired points of the tip [m], shape ``(m, 3)``; at the end it stays.

        :param times: [s], shape ``(m,)``, from 0 on.
        """
        ends = np.cumsum(self.durations)
        which = np.minimum(np.searchsorted(ends, times, 'left'), len(self.sides) - 1)
        points = np.empty((len(times), 3))
        for i, (side, profile) in enumerate(zip(self.sides, self.profiles, strict=True)):
            here = which == i
            since = times[here] - (ends[i] - self.durations[i])
            u = np.clip(since / self.durations[i], 0.0, 1.0)
            points[here] = side.points(profile.share(u))
        return points


def in_words(point: Array) -> str:
    """Return a point [m], shape ``(3,)``, as text for messages: to the millimetre."""
    return f'({", ".join(f"{x:.3f}" if abs(x) < 1e4 else f"{x:.3g}" for x in point)}) m'


def at_same_place(a: Array, b: Array, apart: float = POSITION_TOLERANCE) -> bool:
    """Return whether two points [m], shape ``(3,)``, are no further apart than ``apart`` [m]."""
    return dist(a, b) <= apart


def sides_of(config: CartesianConfig, start: pin.SE3) -> tuple[Side, ...]:
    """Return the path along ``config.corners`` from the tip's pose at the start.

    Where the tip is at the first corner already, the path begins there, at its exact position.

    :raises ConfigError: there are too few corners, or two that follow each other coincide.
    """
    origin = start.translation if config.corners_from == 'start' else np.zeros(3)
    corners = [
        Corner(f'corner {i}', origin + np.array(corner))
        for i, corner in enumerate(config.corners, 1)
    ]
    if not corners:
        raise ConfigError(
            'planner.corners is empty: give the points that the tip goes to, '
            'for instance [[0.3, 0.1, 0.4], [0.3, -0.1, 0.4]]'
        )
    at_first = at_same_place(corners[0].position, start.translation, START_TOLERANCE)
    first = Corner(corners[0].name if at_first else 'the start', start.translation.copy())
    path = [first, *corners[1 if at_first else 0 :]]
    if config.closed and len(corners) > 1:
        path.append(corners[0])
    if len(path) == 1:
        raise ConfigError(f'planner.corners: the tip is at {path[0]} already; give another corner')
    return straight_sides(path, start.rotation, config.orientation)


def straight_sides(
    path: Sequence[Corner], rotation: Array, orientation: tuple[float, float, float] | None
) -> tuple[Side, ...]:
    """Return the sides between corners; the tip turns to ``orientation`` along the first one.

    :param rotation: from tip to world at the first corner, shape ``(3, 3)``.
    :raises ConfigError: two that follow each other coincide.
    """
    held = rotation if orientation is None else pin.rpy.rpyToMatrix(np.array(orientation))
    turn = np.zeros(3) if orientation is None else pin.log3(rotation.T @ held)
    sides = []
    for i, (begin, end) in enumerate(pairwise(path)):
        side = Side(i + 1, begin, end, held if i else rotation, np.zeros(3) if i else turn)
        if at_same_place(begin.position, end.position):
            raise ConfigError(
                f'planner.corners: {end} and {begin} coincide; leave one of them out'
            )
        sides.append(side)
    return tuple(sides)
