"""What a robot does by itself while its next command is late."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..core.state import Remembering
from ..core.values import Array, JointState
from ..maths.coasting import coasting_rate, coasting_slope, coasting_time
from ..maths.effort_share import largest_share
from ..robot.model import RobotModel
from .brake import hold_gains
from .config import SafetyConfig

MEMORY = 0.1
"""Weight of a step in what the commands have beyond the law."""
STEEPEST = 1.5
"""Deceleration of a coasting motion at its steepest, times ``stop_time``."""
MAX_POSITION_ERROR, MAX_SPEED_ERROR = 0.05, 0.5
"""How far a robot may be from the reference that it shall follow [rad, rad/s]; beyond it is out of
control, and braked at once. Half of the reference's speed, and 0.1 s of its way, are added."""


class EffortFollower(Remembering):
    """Follows the motion of the last commands, slower and slower, to rest.

    An effort alone is wrong a few milliseconds later: it was computed for a state that is over.
    The desired positions of the last two commands say where the motion was going. From there the
    reference coasts (``maths.coasting``, over ``stop_time``), and ::

        a = a_r + 2 w (v_r - v) + w^2 (q_r - q),      w: hold_frequency, at most 0.5/h
        tau = rnea(q, v, s a) + r b,                  s <= 1 the largest share within the limits

    ``b`` is what the commands had beyond this law lately: a load, friction, an integrator. It
    fades with the rate ``r`` of the coasting motion.

    A robot that floats (its efforts have no desired positions) is damped: ``a = -1.5 v/T``. No
    effort is held: gravity is that of the present position.

    :param period: h [s].
    """

    _remembered = ('_position', '_velocity', '_acceleration', '_bias', '_floats', '_step')

    def __init__(self, model: RobotModel, period: float, config: SafetyConfig):
        self._pin_model = model.pin_model
        self._data = model.pin_model.createData()
        self._limit = model.effort_limit
        self._period = period
        self._stop_time = config.stop_time
        self._stiffness, self._damping = hold_gains(config, period)
        self.reset()

    def reset(self) -> None:
        """Forget the motion: the robot rests, or gets efforts without positions."""
        self._position: Array | None = None
        self._velocity: Array | None = None
        self._acceleration: Array = np.zeros(self._limit.size)
        self._bias: Array = np.zeros(self._limit.size)
        self._floats = False
        self._step = 0

    def take(self, step: int, desired: Array | None) -> None:
        """Take the desired position at the end of a step [rad], shape ``(n,)``, if it has one."""
        self._floats = desired is None
        if desired is None:
            self._position = self._velocity = None
            self._step = step
            return
        if self._position is not None and step > self._step:
            time = (step - self._step) * self._period
            velocity = (desired - self._position) / time
            if self._velocity is not None:
                self._acceleration = (velocity - self._velocity) / time
            self._velocity = velocity
        self._position, self._step = desired, step

    def is_close(self, state: JointState, step: int) -> bool:
        """Return whether there is a motion to follow from a state in a step, and it is near."""
        if self._position is None or self._velocity is None:
            return self._floats
        q, v, _ = self._reference(step)
        return bool(
            (np.abs(q - state.position) <= MAX_POSITION_ERROR + 0.1 * np.abs(v)).all()
            and (np.abs(v - state.velocity) <= MAX_SPEED_ERROR + 0.5 * np.abs(v)).all()
        )

    def destination(self, step: int) -> Array | None:
        """Return where the reference is at a step's end [rad], shape ``(n,)``, if there is one."""
        return self._position if self._velocity is None else self._reference(step + 1)[0]

    def rests(self, step: int) -> bool:
        """Return whether the reference has come to rest before a step."""
        return self._coasted(step) >= self._stop_time

    def learn(self, state: JointState, effort: Array) -> None:
        """Take the effort of the step that the last command is for [N m], shape ``(n,)``."""
        if self._position is None or self._velocity is None:
            return
        position = self._position - self._period * self._velocity
        own = self._law(state, position, self._velocity, self._acceleration)
        self._bias = self._bias + MEMORY * (effort - own - self._bias)

    def effort(self, state: JointState, step: int) -> Array:
        """Return the effort for a step [N m], shape ``(n,)``; only where ``is_close``.

        :param state: of the robot at its begin.
        """
        q, v = state.position, state.velocity
        if self._floats:
            damping = -STEEPEST / self._stop_time * v
            effort: Array = pin.rnea(self._pin_model, self._data, q, v, damping)
        else:
            effort = self._law(state, *self._reference(step))
            effort += coasting_rate(self._coasted(step), self._stop_time) * self._bias
        if (np.abs(effort) <= self._limit).all():
            return effort
        drift = pin.rnea(self._pin_model, self._data, q, v, np.zeros_like(q))
        share = min(1.0, largest_share(drift, effort - drift, self._limit))
        return np.clip(drift + share * (effort - drift), -self._limit, self._limit)

    def _coasted(self, step: int) -> float:
        """Return for how long the reference has coasted at a step's begin [s]."""
        return max(0, step - self._step - 1) * self._period

    def _law(
        self, state: JointState, position: Array, velocity: Array, acceleration: Array
    ) -> Array:
        """Return the effort that takes a state to a reference [N m], shape ``(n,)``."""
        q, v = state.position, state.velocity
        a = acceleration + self._stiffness * (position - q)
        a += self._damping * (velocity - v)
        effort: Array = pin.rnea(self._pin_model, self._data, q, v, a)
        return effort

    def _reference(self, step: int) -> tuple[Array, Array, Array]:
        """Return position, velocity and acceleration of the reference at a step's begin."""
        assert self._position is not None
        assert self._velocity is not None
        time, stop = self._coasted(step), self._stop_time
        return (
            self._position + coasting_time(time, stop) * self._velocity,
            coasting_rate(time, stop) * self._velocity,
            coasting_slope(time, stop) * self._velocity,
        )
