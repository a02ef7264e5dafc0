"""Limits of every position on its way to a robot that takes positions only."""

from __future__ import annotations

import numpy as np

from ..core.errors import UnsafeCommandError
from ..core.state import Remembering
from ..core.values import Array
from ..robot.model import RobotModel


class PositionGate(Remembering):
    """Let positions pass no faster than the joints may move, and not beyond their ranges.

    ::

        sent = last + clip(clip(position, lower, upper) - last, -v k h, v k h)

    ``v``: velocity limits, ``k``: periods since the last position was sent. Positions that come
    after a limited one catch up.

    :param period: ``h`` [s].
    :ivar last: the last position that was sent [rad], shape ``(n,)``; ``None`` before the start.
    """

    _remembered = ('last',)

    def __init__(self, model: RobotModel, period: float):
        self._names = model.joint_names
        self._lower, self._upper = model.lower, model.upper
        self._way = model.velocity_limit * period
        self.last: Array | None = None

    def start(self, position: Array) -> None:
        """Begin where the robot is [rad], shape ``(n,)``.

        :raises UnsafeCommandError: it is beyond its range.
        """
        beyond = ~((position >= self._lower) & (position <= self._upper))
        if beyond.any():
            i = int(np.argmax(beyond))
            raise UnsafeCommandError(
                f'joint {self._names[i]} of the robot is at {float(position[i])}, not within its '
                f'range from {float(self._lower[i])} to {float(self._upper[i])} [rad or m]: move '
                'it there first',
                'position_range',
                self._names[i],
            )
        self.last = position.copy()

    def let_pass(self, position: Array, periods: int = 1) -> Array:
        """Return the position to send [rad], shape ``(n,)``.

        :param position: where it shall be [rad], shape ``(n,)``.
        :param periods: since the last call.
        :raises UnsafeCommandError: a number is not finite, or ``start`` was not called.
        """
        if self.last is None:
            raise UnsafeCommandError(
                'position: it is not known yet where the robot is', 'unknown_position'
            )
        if not np.isfinite(position).all():
            i = int(np.argmin(np.isfinite(position)))
            raise UnsafeCommandError(
                f'position of joint {self._names[i]}: {position[i]} is not a finite number',
                'not_finite',
                self._names[i],
            )
        way = np.clip(position, self._lower, self._upper) - self.last
        longest = self._way * periods
        self.last = self.last + np.clip(way, -longest, longest)
        return self.last
