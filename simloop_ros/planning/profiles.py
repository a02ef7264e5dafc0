"""Speed along a straight path to a goal: 000's algorithm 1, and a jerk-limited one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import sqrt

import msgspec

from ..core.errors import ConfigError
from .config import ForcedMotionConfig


class Travel(msgspec.Struct, frozen=True, gc=False):
    """Progress of a tip on its path.

    :ivar remaining: distance to the goal [m].
    :ivar speed: towards the goal [m/s].
    :ivar acceleration: towards the goal [m/s^2].
    """

    remaining: float
    speed: float = 0.0
    acceleration: float = 0.0


class Profile(ABC):
    """A speed profile that ends at rest at the goal."""

    @abstractmethod
    def advance(self, travel: Travel) -> Travel:
        """Return the travel one step later; at the goal it stays there, at rest."""


class ConstantAcceleration(Profile):
    """000, algorithm 1: accelerate, hold the largest velocity, decelerate, stop at the goal.

    The new speed is the smallest of ``v + a h``, ``v_max`` and the speed ``s`` from which equal
    steps of ``a h`` still stop at the goal. Stopping from ``n a h`` covers ``n (n + 1)/2`` times
    ``a h^2``; between two such distances ``s`` is linear, ``s = a h (n/2 + u/(n + 1))`` with
    ``u = d/(a h^2)`` to go, so that every step but the last slows by ``a h``: the continuous
    ``v^2/(2 a)`` of 000, made exact for steps. Below one step's worth (``u < 1``) the last step is
    shortened to ``d/h`` and ends at the goal. The speed is a continuous function of distance and
    speed, so rounding cannot make it overshoot or chatter.
    """

    def __init__(self, period: float, acceleration: float, max_velocity: float):
        self._h = period
        self._v_max = max_velocity
        self._step = acceleration * period
        self._steps_per_distance = 1.0 / (acceleration * period * period)

    def advance(self, travel: Travel) -> Travel:
        """Return the travel one step later."""
        h, d, step = self._h, travel.remaining, self._step
        u = d * self._steps_per_distance
        if u <= 1.0:
            stopping = d / h
        else:
            n = int(0.5 * sqrt(1.0 + 8.0 * u) - 0.5)
            stopping = step * (0.5 * n + u / (n + 1))
        speed = min(travel.speed + step, self._v_max, stopping)
        remaining = 0.0 if speed == d / h else d - h * speed
        return Travel(remaining, speed, (speed - travel.speed) / h)


class JerkLimited(Profile):
    """The time-optimal motion to the goal within limits of velocity, acceleration and jerk."""

    def __init__(self, period: float, acceleration: float, max_velocity: float, jerk: float):
        import ruckig

        self._ruckig = ruckig.Ruckig(1, period)
        self._input = ruckig.InputParameter(1)
        self._output = ruckig.OutputParameter(1)
        self._working, self._finished = ruckig.Result.Working, ruckig.Result.Finished
        self._input.max_velocity = [max_velocity]
        self._input.max_acceleration = [acceleration]
        self._input.max_jerk = [jerk]
        self._input.target_position = [0.0]

    def advance(self, travel: Travel) -> Travel:
        """Return the travel one step later."""
        self._input.current_position = [-travel.remaining]
        self._input.current_velocity = [travel.speed]
        self._input.current_acceleration = [travel.acceleration]
        self._ruckig.reset()
        result = self._ruckig.update(self._input, self._output)
        if result == self._finished:
            return Travel(0.0)
        if result != self._working:
            raise ConfigError(
                f'planner.profile: ruckig finds no jerk-limited motion ({result}); change '
                'planner.jerk, planner.acceleration or planner.max_velocity'
            )
        return Travel(
            -self._output.new_position[0],
            self._output.new_velocity[0],
            self._output.new_acceleration[0],
        )


def build_profile(config: ForcedMotionConfig, period: float) -> Profile:
    """Return the profile of a configuration."""
    if config.profile == 'jerk_limited':
        return JerkLimited(period, config.acceleration, config.max_velocity, config.jerk)
    return ConstantAcceleration(period, config.acceleration, config.max_velocity)
