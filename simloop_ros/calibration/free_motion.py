"""Smooth random motion without contact: what a monitor is calibrated and tested with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from ..core.errors import GoalError
from ..core.values import Array
from ..maths.minimum_jerk import PEAK_ACCELERATION, PEAK_VELOCITY, minimum_jerk
from ..planning.self_collision import SelfCollision
from ..robot.model import RobotModel
from ..robot.urdf import UNBOUNDED

CONTINUOUS_RANGE = np.pi
"""How far from home a joint without ends goes [rad]."""
RANGE_MARGIN = 0.05
"""Part of its range that a joint stays away from either end."""
LEAST_SPEED_SHARE, LARGEST_SPEED_SHARE = 0.05, 0.9
"""Parts of the speed limits between which the largest speed of a move is drawn."""
EFFORT_SHARE = 0.8
"""Part of its effort limit that a motion may need on any joint, by the model."""
UNLIMITED_SPEED = 1.0
"""Speed of a joint that has no limit [rad/s]."""
TIP_SPEED = 1.0
"""Largest speed of a tip [m/s]."""
SHORTEST_MOVE = 0.2
"""Shortest duration of a move [s]."""
LONGEST_REST = 0.5
"""Longest rest between two moves [s]."""
STOP_SHARE = 0.5
"""Share of the moves that end at rest; the others pass over into the next one."""
MOVE_SAMPLES = 24
"""Postures of a move that are checked for self-collision and effort."""
TARGET_TRIES = 200
"""Targets that are drawn before a posture is given up."""


@dataclass(frozen=True)
class Move:
    """One smooth move of all joints; those that overlap in time are added.

    :ivar start: time at which it begins [s].
    :ivar duration: [s].
    :ivar way: displacement of each joint [rad], shape ``(n,)``.
    """

    start: float
    duration: float
    way: Array


@dataclass(frozen=True)
class FreeMotion:
    """A start and the moves that follow it.

    :ivar home: position at time zero [rad], shape ``(n,)``.
    :ivar duration: end of the last move [s].
    """

    home: Array
    moves: tuple[Move, ...]
    duration: float

    def positions(self, period: float, first: int, count: int) -> Array:
        """Return the positions at the ends of steps [rad], shape ``(count, n)``."""
        time = period * (first + 1 + np.arange(count))
        q = np.repeat(self.home[None], count, axis=0)
        for move in self.moves:
            share = np.clip((time - move.start) / move.duration, 0.0, 1.0)
            if share[-1] > 0.0:
                q += minimum_jerk(share)[:, None] * move.way
        return q


def random_motion(model: RobotModel, duration: float, rng: np.random.Generator) -> FreeMotion:
    """Return a motion from home of at least ``duration`` seconds, with stops and reversals.

    Each move goes straight to a random posture; about half of the moves end at rest, the others
    are overtaken by the next one, where joints reverse while others go on. A posture between two
    overlapping moves is a weighted mean of three that are within the ranges, so it is too.

    :raises GoalError: the robot cannot leave its home without touching itself.
    """
    sampler = _MoveSampler(model, rng)
    moves: list[Move] = []
    end = 0.0
    for move in sampler.moves():
        moves.append(move)
        end = move.start + move.duration
        if end >= duration:
            break
    return FreeMotion(model.home, tuple(moves), end)


class _MoveSampler:
    """Draws one feasible move after the other."""

    def __init__(self, model: RobotModel, rng: np.random.Generator):
        self._model, self._rng = model, rng
        self._data = model.pin_model.createData()
        self._check = SelfCollision(model, model.home)
        span = model.upper - model.lower
        bounded = span < UNBOUNDED
        room = RANGE_MARGIN * np.where(bounded, span, 0.0)
        self._lower = np.where(bounded, model.lower + room, model.home - CONTINUOUS_RANGE)
        self._upper = np.where(bounded, model.upper - room, model.home + CONTINUOUS_RANGE)
        self._speed = np.where(
            np.isfinite(model.velocity_limit), model.velocity_limit, UNLIMITED_SPEED
        )

    def moves(self) -> Iterator[Move]:
        """Yield moves without end."""
        rng = self._rng
        at, last = self._model.home, self._model.home
        end, alone = 0.0, 0.0
        while True:
            # The part of a move that the one before it overlaps is not overlapped again.
            overlap = 0.0 if rng.random() < STOP_SHARE else float(rng.uniform(0.2, 0.6)) * alone
            begin = end - overlap if overlap else end + float(rng.uniform(0.0, LONGEST_REST))
            # Not shorter than what it overlaps: it would overtake the move before it.
            move = self._feasible(at, last if overlap else at, begin, max(SHORTEST_MOVE, overlap))
            yield move
            end, alone = move.start + move.duration, move.duration - overlap
            at, last = at + move.way, at

    def _feasible(self, at: Array, before: Array, begin: float, shortest: float) -> Move:
        """Return a move from ``at`` without self-collision, also on the way from ``before``.

        :param shortest: least duration [s].
        """
        rng = self._rng
        reach = 1.0
        for _ in range(TARGET_TRIES):
            target = rng.uniform(self._lower, self._upper)
            # Where far targets are blocked, near ones are left.
            way = reach * rng.uniform(0.2, 1.0) * (target - at)
            reach *= 0.97
            quick = rng.uniform(LEAST_SPEED_SHARE, LARGEST_SPEED_SHARE)
            needed = np.abs(way) * PEAK_VELOCITY / (quick * self._speed)
            duration = max(shortest, float(needed.max()))
            postures = at + np.linspace(0.0, 1.0, MOVE_SAMPLES)[1:, None] * way
            corner = before + np.linspace(0.0, 1.0, MOVE_SAMPLES)[1:, None] * (at + way - before)
            if any(self._check.first(q) for q in (*postures, *corner[::3])):
                continue
            duration = max(duration, self._tip_time(at, postures))
            duration = self._within_efforts(postures, way, duration)
            if duration < np.inf:
                return Move(begin, duration, way)
        raise GoalError(
            'no motion without self-collision was found from the present posture; '
            'choose another robot.home, or lock joints with robot.lock'
        )

    def _tip_time(self, at: Array, postures: Array) -> float:
        """Return the duration at which the fastest tip moves at a drawn speed [s]."""
        if not self._model.tips:
            return 0.0
        speed = float(self._rng.uniform(0.1, 1.0)) * TIP_SPEED
        tips = np.array([self._model.tip_positions(q) for q in (at, *postures)])
        longest = float(np.linalg.norm(np.diff(tips, axis=0), axis=2).max())
        return longest * MOVE_SAMPLES * PEAK_VELOCITY / speed

    def _within_efforts(self, postures: Array, way: Array, duration: float) -> float:
        """Return the duration, longer if need be, at which the efforts are within their limits."""
        for _ in range(20):
            v = PEAK_VELOCITY * way / duration
            a = PEAK_ACCELERATION * way / duration**2
            efforts = [
                pin.rnea(self._model.pin_model, self._data, q, v, sign * a)
                for q in postures[:: MOVE_SAMPLES // 6]
                for sign in (-1.0, 1.0)
            ]
            if np.all(np.abs(efforts) <= EFFORT_SHARE * self._model.effort_limit):
                return duration
            duration *= 1.25
        return np.inf
