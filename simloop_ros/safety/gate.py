"""Validation of every effort on its way to a robot, and the one that asks for no motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from ..core.errors import ConfigError, UnsafeCommandError
from ..core.state import Remembering
from ..core.values import Array
from ..robot.model import RobotModel
from .config import SafetyConfig

FLOAT64 = np.dtype(np.float64)
UNLIMITED_EFFORT = np.finfo(np.float64).max
"""Limit of a joint that has none [N m]: a number is finite if and only if it is not beyond it."""


class CommandGate(Remembering):
    """Let an effort pass only if a robot may have it; control's output and the plant's input.

    A command passes if and only if all of these hold, without any tolerance::

        float64, shape (n,), finite
        |tau| <= limit
        |tau - previous| <= effort_rate limit period      if a rate is given
        |age| <= timeout period

    A joint with an infinite limit has no rate either: its effort has to be finite, no more.

    The first command, or the first after a ``reset``, is compared with no previous one. What the
    robot got before is not known, and zero would be the wrong guess: the first effort that holds
    an arm against gravity would be refused, and a ramp from zero would let the arm fall. So
    ``reset`` is for a robot that stands still. A refused command is not a previous one: what
    follows is compared with what the robot really got.

    :param effort_limit: largest efforts [N m], shape ``(n,)``; infinite where there is none.
    :param period: control period [s].
    :ivar previous: the last effort that passed [N m], shape ``(n,)``; ``None`` after a reset.
    :raises ConfigError: a limit is not a number from zero up, or there is not one per joint.
    """

    _remembered = ('previous',)

    def __init__(
        self, joint_names: Sequence[str], effort_limit: Array, period: float, config: SafetyConfig
    ):
        self._names = tuple(joint_names)
        self._n = len(self._names)
        if np.shape(effort_limit) != (self._n,) or not (effort_limit >= 0.0).all():
            raise ConfigError(
                f'effort limits {np.asarray(effort_limit).tolist()} for {self._n} joints: one '
                'number from zero up is needed for each'
            )
        self._shape = (self._n,)
        self._limit = np.minimum(effort_limit, UNLIMITED_EFFORT)
        self._rate = config.effort_rate
        self._half_change = (
            None if self._rate is None else 0.5 * self._rate * period * effort_limit
        )
        self._oldest = config.timeout_periods(period) * period
        self.previous: Array | None = None

    def reset(self) -> None:
        """Forget the last effort; only for a robot that stands still."""
        self.previous = None

    def check(self, effort: Array, age: float = 0.0) -> None:
        """Let an effort pass, or raise.

        :param effort: what the robot shall get [N m], shape ``(n,)``.
        :param age: of the state that it was computed from [s]; far below zero is a stamp from the
            future, whose true age is unknown.
        :raises UnsafeCommandError: the robot must not get it.
        """
        if (
            type(effort) is not np.ndarray
            or effort.shape != self._shape
            or effort.dtype != FLOAT64
        ):
            raise UnsafeCommandError(
                f'effort command: {_description(effort)} given, float64 of shape {self._shape} '
                'needed',
                'joints',
            )
        # False for NaN, and never a warning for a number that is too large.
        if np.count_nonzero(np.abs(effort) <= self._limit) != self._n:
            self._refuse(effort)
        if self._half_change is not None and self.previous is not None:
            self._check_rate(effort, self.previous, self._half_change)
        if not -self._oldest <= age <= self._oldest:
            raise UnsafeCommandError(
                f'effort command: computed from a state that is {age:g} s old; at most '
                f'{self._oldest:g} s are allowed',
                'stale_state',
            )
        self.previous = effort.copy()

    def nearest(self, effort: Array) -> Array:
        """Return what may pass and is nearest to an effort [N m], both ``(n,)``; let it pass.

        :raises UnsafeCommandError: a number is not finite.
        """
        if not np.isfinite(effort).all():
            self._refuse(effort)
        near = np.clip(effort, -self._limit, self._limit)
        if self._half_change is not None and self.previous is not None:
            change = 2.0 * self._half_change
            near = np.clip(near, self.previous - change, self.previous + change)
        self.previous = near
        return near

    def _refuse(self, effort: Array) -> None:
        """Raise for an effort that is not finite or, if all are, for one beyond its limit."""
        wrong = ~np.isfinite(effort)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise UnsafeCommandError(
                f'effort of joint {self._names[i]}: {effort[i]} is not a finite number',
                'not_finite',
                self._names[i],
            )
        i = int(np.argmax(np.abs(effort) > self._limit))
        raise UnsafeCommandError(
            f'effort of joint {self._names[i]}: {float(effort[i])} is beyond its limit of '
            f'{float(self._limit[i])} [N m or N]',
            'effort_limit',
            self._names[i],
        )

    def _check_rate(self, effort: Array, previous: Array, largest_half: Array) -> None:
        # Halves of finite numbers are exact, and their difference cannot overflow.
        half = np.abs(0.5 * effort - 0.5 * previous)
        if np.count_nonzero(half <= largest_half) != self._n:
            i = int(np.argmax(half > largest_half))
            raise UnsafeCommandError(
                f'effort of joint {self._names[i]}: a change from {float(previous[i])} to '
                f'{float(effort[i])} in one period is more than {2.0 * float(largest_half[i])} '
                f'[N m or N], which an effort rate of {self._rate:g} 1/s allows',
                'effort_rate',
                self._names[i],
            )


def gravity_effort(model: RobotModel, position: Array) -> Array:
    """Return the effort that asks for no motion [N m], shape ``(n,)``.

    Finite and within the limits, whatever numbers the position has; zero where gravity cannot be
    computed from them.

    :param position: last known joint positions [rad], shape ``(n,)``.
    """
    if not np.isfinite(position).all():
        return np.zeros(model.n)
    effort = pin.computeGeneralizedGravity(model.pin_model, model.pin_model.createData(), position)
    if not np.isfinite(effort).all():
        return np.zeros(model.n)
    return np.clip(effort, -model.effort_limit, model.effort_limit)


def _description(given: object) -> str:
    if isinstance(given, np.ndarray):
        return f'{type(given).__name__} {given.dtype} of shape {given.shape}'
    return type(given).__name__
