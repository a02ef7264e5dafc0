"""A motion that goes slower or faster along its path, for pauses."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import msgspec
import numpy as np

from ..core.values import Array
from ..maths.minimum_jerk import minimum_jerk
from .trajectory import Trajectory, joined

FEWEST_STEPS = 4
"""Steps in which a motion comes to rest, at least."""
GROWTH = 1.25
"""Ratio of the times that are tried."""
SLOWEST = 4.0
"""Longest time that is tried [s]."""


class PausedMotion(msgspec.Struct, frozen=True):
    """A motion that waits along its path.

    :ivar trajectory: the motion.
    :ivar place: on it, in steps, where the robot rests.
    """

    trajectory: Trajectory
    place: float


class Braked(msgspec.Struct, frozen=True):
    """How a motion comes to rest along its path, and from where it can go on."""

    trajectory: Trajectory
    paused: PausedMotion


def brake_along(trajectory: Trajectory, step: int, bounds: tuple[float, float]) -> Braked:
    """Return the fastest stop on the path, from a step on, within limits.

    The time ``s`` along the motion slows down; with ``u`` the share of the stop's ``N`` steps::

        s' = 1 - (3 u^2 - 2 u^3),   q' = q_s s',   q'' = q_ss s'^2 + q_s s''

    Where no such stop is within the limits before the motion rests by itself, it goes on to there.

    :param bounds: largest acceleration [rad/s^2] and jerk [rad/s^3]; what the motion itself has is
        allowed, too.
    """
    left = trajectory.steps - step
    for count in _counts(trajectory.period, 2 * left):
        u = np.arange(count + 1) / count
        places = step + count * (u - u**3 + 0.5 * u**4)
        rate, change = 1.0 - u * u * (3.0 - 2.0 * u), -6.0 * u * (1.0 - u) / count
        braked = _scaled(trajectory, places, rate, change)
        if _within(braked, bounds, trajectory.part(step)):
            return Braked(_ended(braked), PausedMotion(trajectory, float(places[-1])))
    return Braked(trajectory.part(step), PausedMotion(trajectory, float(trajectory.steps)))


def resumed(paused: PausedMotion, bounds: tuple[float, float]) -> Trajectory:
    """Return the rest of a paused motion, from rest, as fast as the limits allow.

    The other parameters are those of ``brake_along``.
    """
    trajectory, place = paused.trajectory, paused.place
    left = trajectory.steps - place
    if left <= 0.0:
        return trajectory.part(trajectory.steps)
    rest = trajectory.part(int(place))
    for count in _counts(trajectory.period, 2.0 * left):
        u = np.arange(count + 1) / count
        places = place + count * (u**3 - 0.5 * u**4)
        begun = _scaled(trajectory, places, u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / count)
        if _within(begun, bounds, rest):
            on = np.arange(places[-1], trajectory.steps + 1.0)
            return _ended(joined(begun, trajectory.between(np.minimum(on, trajectory.steps))))
    return _crept(paused, left, bounds)


def _crept(paused: PausedMotion, left: float, bounds: tuple[float, float]) -> Trajectory:
    """Return the last steps of a motion, from rest to rest, of which none is as fast as before."""
    trajectory = paused.trajectory
    for count in _counts(trajectory.period, np.inf):
        u = np.arange(count + 1) / count
        places = paused.place + left * minimum_jerk(u)
        rate = left / count * 30.0 * u**2 * (1.0 - u) ** 2
        change = left / count**2 * 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u)
        crept = _ended(_scaled(trajectory, places, rate, change))
        if _within(crept, bounds, trajectory.part(trajectory.steps)):
            break
    return crept


def _counts(period: float, most: float) -> Iterator[int]:
    """Yield numbers of steps that are tried, at most some."""
    count = float(FEWEST_STEPS)
    while count <= min(most, SLOWEST / period):
        yield ceil(count)
        count = max(count + 1.0, GROWTH * count)


def _scaled(trajectory: Trajectory, places: Array, rate: Array, change: Array) -> Trajectory:
    """Return a motion along the path of another.

    :param places: on it, in steps, shape ``(m,)``.
    :param rate: ``s'``, its time by ours, shape ``(m,)``.
    :param change: ``s''`` per step, shape ``(m,)``.
    """
    at = trajectory.between(np.minimum(places, trajectory.steps))
    r, c = rate[:, None], change[:, None] / trajectory.period
    return Trajectory(
        trajectory.period,
        at.position,
        r * at.velocity,
        r * r * at.acceleration + c * at.velocity,
    )


def _within(motion: Trajectory, bounds: tuple[float, float], original: Trajectory) -> bool:
    values = ((motion.acceleration, original.acceleration), (motion.jerk, original.jerk))
    return all(
        np.abs(value).max(initial=0.0) <= max(bound, np.abs(own).max(initial=0.0))
        for (value, own), bound in zip(values, bounds, strict=True)
    )


def _ended(motion: Trajectory) -> Trajectory:
    """Return a motion whose last row is exactly at rest."""
    velocity, acceleration = motion.velocity.copy(), motion.acceleration.copy()
    velocity[-1] = acceleration[-1] = 0.0
    return Trajectory(motion.period, motion.position, velocity, acceleration)
