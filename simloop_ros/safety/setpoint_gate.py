"""Limits of every setpoint on its way to a real robot's control."""

from __future__ import annotations

import numpy as np

from ..core.errors import UnsafeCommandError
from ..core.state import Remembering
from ..core.values import Array, Setpoint
from ..robot.model import RobotModel
from .config import SafetyConfig

ANY_ACCELERATION = 1e12
"""Acceleration that is no limit [rad/s^2]."""


class SetpointGate(Remembering):
    """Let desired positions move no faster, and change their speed no faster, than joints may.

    ::

        w = (r - d)/h                                   if |w| <= V and |w - v| <= A h
        w = v_r + sign(e) min(|e|/h, sqrt(A |e|))       else, e = r - h v_r - d
        v+ = clip(clip(w, -V, V), v - A h, v + A h),    d+ = d + h v+

    ``V``: velocity limits of the model, ``A``: ``safety.max_acceleration``. Setpoints ``r`` that
    keep to them are passed on as they are. After a jump ``d`` catches up within the limits.

    :param period: h [s].
    :ivar limited: number of setpoints that were changed.
    """

    _remembered = ('limited', '_last', '_velocity')

    def __init__(self, model: RobotModel, period: float, config: SafetyConfig):
        self._names = model.joint_names
        self._h = period
        self._speed = model.velocity_limit
        self._acceleration = config.max_acceleration or ANY_ACCELERATION
        self._change = self._acceleration * period
        self._tracking_error = config.tracking_error or np.inf
        self.limited = 0
        self.reset()

    def reset(self) -> None:
        """Forget the last setpoint."""
        self._last: Array | None = None
        self._velocity: Array = np.zeros_like(self._speed)

    def let_pass(self, setpoint: Setpoint, position: Array) -> Setpoint:
        """Return the setpoint of the next step, within the limits.

        One with an effort passes. One that starts the motion anew, or is the first, is compared
        with the position of the robot, at rest [rad], shape ``(n,)``.
        """
        if setpoint.effort is not None:
            self.reset()
            return setpoint
        if setpoint.restart or self._last is None:
            self._last, self._velocity = position, np.zeros_like(position)
        wanted = (setpoint.position - self._last) / self._h
        fits = np.abs(wanted - self._velocity) <= self._change
        if (fits & (np.abs(wanted) <= self._speed)).all():
            self._last, self._velocity = setpoint.position, wanted
            return setpoint
        self.limited += 1
        way = setpoint.position - self._h * setpoint.velocity - self._last
        reach = np.minimum(np.abs(way) / self._h, np.sqrt(self._acceleration * np.abs(way)))
        wanted = np.clip(setpoint.velocity + np.sign(way) * reach, -self._speed, self._speed)
        change = np.clip(wanted - self._velocity, -self._change, self._change)
        self._velocity = self._velocity + change
        self._last = self._last + self._h * self._velocity
        return Setpoint(self._last, self._velocity, restart=setpoint.restart)

    def check_tracking(self, position: Array) -> None:
        """Raise UnsafeCommandError if the robot [rad], shape ``(n,)``, is far from its setpoint.

        That of the last step is compared, which it should have reached.
        """
        if self._last is None:
            return
        distance = np.abs(position - self._last)
        if not (distance <= self._tracking_error).all():
            i = int(np.argmax(distance))
            raise UnsafeCommandError(
                f'joint {self._names[i]} is {float(distance[i]):.3g} from its setpoint; '
                f'{self._tracking_error:g} [rad or m] are allowed (safety.tracking_error)',
                'tracking_error',
                self._names[i],
            )
