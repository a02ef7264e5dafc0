"""The brakes of a robot: what stops its joints, and holds them."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ..core.state import Remembering
from ..core.values import Array, Flags, JointState
from ..maths.effort_share import largest_share
from ..robot.model import RobotModel
from .config import SafetyConfig

STOPPED_SPEED = 0.02
"""Speed below which a joint counts as stopped [rad/s]: at the default ``hold_frequency`` holding
it takes ``STOPPED_SPEED/(e w)``, about 0.1 mrad, less than an arm's backlash; encoders still
resolve it."""
SETTLING_TIMES = 10.0
"""Time constants after which braking is over: ``e^-10`` of the speed would be left, so a joint
that still moves is driven by a disturbance, which only a spring can hold."""
MAX_HOLD_GAIN = 0.5
"""Largest product of ``hold_frequency`` and period; see ``Brake``."""


def hold_gains(config: SafetyConfig, period: float) -> tuple[float, float]:
    """Return the stiffness [1/s^2] and damping [1/s] that hold a joint, see ``Brake``."""
    w = min(config.hold_frequency, MAX_HOLD_GAIN / period)
    return w * w, w * (2.0 - w * period)


class Brake(Remembering):
    """Stop all joints, or some, then hold them where they are.

    ::

        moving  a = -v (1 - exp(-h/T))/h,                    T: brake_time, h: period
        held    a = w^2 (q_held - q) - w (2 - w h) v,        w: hold_frequency, at most 0.5/h
        effort  tau = rnea(q, v, s a) - tau_ext, s <= 1 the largest share that no limit forbids

    Moving, a step leaves ``exp(-h/T)`` of each velocity, for any ``T`` and ``h``, so a joint
    travels ``v_0 h/(exp(h/T) - 1) <= v_0 T``. Held, both poles of a step are at ``1 - w h``; an
    acceleration ``e`` that is not modelled moves the joint by ``e/w^2``. On a robot with
    ``1/k`` of the model's inertia, steps are stable while ``k (4 w h - (w h)^2) < 4`` if held, and
    ``k < 2`` if moving: with ``w h <= 0.5`` on robots more than half as heavy as their model.

    One share for all joints keeps the direction of the velocity. Clipping each effort by itself
    would not: the joints push each other, and a brake at its limits would speed some of them up.
    Only where not even ``rnea(q, v, 0)`` is within the limits are efforts clipped.

    The position is latched once all joints are slower than ``STOPPED_SPEED``, or after
    ``SETTLING_TIMES`` time constants without a limit. Limits that do not allow ``a`` make the
    brake slip: it releases the latched position and brakes again, so that it never swings back.

    :param model: the robot as it is known; the efforts are within its limits.
    :param period: time between two calls of ``effort`` [s].
    :param joints: which joints it stops, shape ``(n,)``; all where nothing is given. The others
        are taken not to accelerate, and their effort is zero.
    :ivar held: the latched position [rad], shape ``(n,)``; ``None`` while the robot moves.
    :ivar latches: whether joints that have stopped are held; else they are damped from then on.
    """

    _remembered = ('held', '_load', '_steps')

    def __init__(
        self, model: RobotModel, period: float, config: SafetyConfig, joints: Flags | None = None
    ):
        self._pin_model = model.pin_model
        self._data = model.pin_model.createData()
        self._braked = np.ones(model.n, bool) if joints is None else joints
        self._limit = np.where(self._braked, model.effort_limit, np.inf)
        self._n = model.n
        self._decay = -np.expm1(-period / config.brake_time) / period
        self._stiffness, self._damping = hold_gains(config, period)
        self._longest = SETTLING_TIMES * config.brake_time / period
        self.latches = True
        self.release()

    def release(self) -> None:
        """Forget the latched position: the next ``effort`` brakes from the beginning."""
        self.held: Array | None = None
        self._load: Array | None = None
        self._steps = 0  # since braking began

    def latch(self, position: Array, load: Array) -> None:
        """Hold the joints at a position [rad], and what they bear there [N m], both ``(n,)``."""
        self.held, self._load = position, load

    @np.errstate(over='ignore', invalid='ignore')
    def effort(self, state: JointState, external: Array | None = None) -> Array:
        """Return the brakes' effort for one period [N m], shape ``(n,)``.

        :param external: external torque that they compensate, where it is known [N m], ``(n,)``;
            not if they hold what the joints bore.

        Finite and within the limits for every state; zero if the state is not finite or so large
        that its dynamics are not.
        """
        q, v = state.position, state.velocity
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            return np.zeros(self._n)
        slow = (np.abs(v[self._braked]) < STOPPED_SPEED).all()
        if self.latches and self.held is None and (slow or self._steps >= self._longest):
            self.held = q.copy()
        if self.held is None:
            acceleration = -self._decay * v
        else:
            acceleration = self._stiffness * (self.held - q) - self._damping * v
        acceleration = np.where(self._braked, acceleration, 0.0)
        effort = self._moving(q, v, acceleration, external)
        if (np.abs(effort) <= self._limit).all() and np.isfinite(effort).all():
            self._steps += 1
            return np.where(self._braked, effort, 0.0)
        self.release()
        return self._slipping(effort, self._moving(q, v, np.zeros(self._n), external))

    def _moving(self, q: Array, v: Array, acceleration: Array, external: Array | None) -> Array:
        """Return the effort of an acceleration under an external torque [N m]."""
        effort: Array = pin.rnea(self._pin_model, self._data, q, v, acceleration)
        if self._load is not None:
            return effort + self._load
        return effort if external is None else effort - external

    def _slipping(self, wanted: Array, drift: Array) -> Array:
        """Return the effort of the largest share of the acceleration that the limits allow.

        :param wanted: effort of the full acceleration [N m], shape ``(n,)``.
        :param drift: effort of no acceleration.
        """
        added = wanted - drift
        if not np.isfinite(added).all():
            return np.zeros(self._n)
        share = min(1.0, largest_share(drift, added, self._limit))
        effort = np.clip(drift + share * added, -self._limit, self._limit)
        return np.where(self._braked, effort, 0.0)
