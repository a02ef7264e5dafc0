"""Range, speed and acceleration of a guided joint."""

from __future__ import annotations

import msgspec
import numpy as np

from ..core.values import Array, JointState


class Compliant(msgspec.Struct, frozen=True, gc=False):
    """The compliant trajectory q_c at the end of a step, shape ``(n,)`` each.

    :ivar position: [rad].
    :ivar velocity: [rad/s].
    :ivar acceleration: [rad/s^2].
    """

    position: Array
    velocity: Array
    acceleration: Array


class MotionLimits:
    """Keeps a trajectory where the joint can always stop in time.

    A joint that moves at ``v > 0`` is safe while ``q + b(v)`` is not above its upper end::

        b(v) = T v + v h/2                       v <= A T: dies with the time constant T
        b(v) = v^2/(2 A) + A T^2/2 + v h/2       v >  A T: brakes with A

    and likewise below. A step that ends safe, not faster than the speed limit ``V``, and nowhere
    accelerates by more than ``A`` is left as it is, bit for bit. Otherwise the joint gets a
    constant acceleration, ``q+ = q + (v + v+) h/2``, with the ``v+`` nearest to the wanted one
    that is safe at the end, within ``V``, and within ``v +- A h``. From a safe state there always
    is one, as ``v+ = v T/(T + h)`` or ``v - A h`` are; from another (a range or speed limit that
    was narrowed) the acceleration goes first.

    Speed and range limits push against the motion, so they take energy out; so does the
    acceleration limit when a joint speeds up. Where it brakes less than the parameters ask for,
    the energy it leaves in is a debt of the tank.

    :param upper: ends of the ranges [rad], shape ``(n,)``; ``lower`` likewise.
    :param speed: V [rad/s], shape ``(n,)``; may be infinite.
    :param acceleration: A [rad/s^2], positive.
    :param range_time: T [s].
    :param period: h [s].
    """

    def __init__(
        self,
        lower: Array,
        upper: Array,
        speed: Array,
        acceleration: float,
        range_time: float,
        period: float,
    ):
        self._lower, self._upper = lower, upper
        self._speed = speed
        self._acceleration = np.array(acceleration)
        self._range_time = np.array(range_time)
        self._h = np.array(period)
        self._half_h = np.array(0.5 * period)
        self._slow = np.array(acceleration * range_time)
        self._linear = np.array(range_time + 0.5 * period)
        self._square = np.array(0.5 / acceleration)

    def apply(self, last: JointState, wanted: Compliant, first_acceleration: Array) -> Compliant:
        """Return the end of a step within all limits, from the end ``wanted`` without them.

        :param first_acceleration: with which it would start [rad/s^2], shape ``(n,)``.
        """
        speed = np.abs(wanted.velocity)
        largest = np.maximum(np.abs(wanted.acceleration), np.abs(first_acceleration))
        reach = self._square * speed  # not less than b(v), and quicker
        reach += self._linear
        reach *= speed
        calm = largest <= self._acceleration
        calm &= speed <= self._speed
        calm &= wanted.position + reach <= self._upper
        calm &= wanted.position - reach >= self._lower
        if calm.all():
            return wanted
        return self._bounded(last, wanted, largest)

    def _bounded(self, last: JointState, wanted: Compliant, largest: Array) -> Compliant:
        speed = np.abs(wanted.velocity)
        distance = self._stopping(wanted.velocity)
        fine = (largest <= self._acceleration) & (speed <= self._speed)
        fine &= wanted.position + np.maximum(distance, 0.0) <= self._upper
        fine &= wanted.position + np.minimum(distance, 0.0) >= self._lower
        if fine.all():
            return wanted
        q, v = last.position, last.velocity
        middle = q + self._half_h * v
        low = -self._fastest(middle - self._lower)
        high = self._fastest(self._upper - middle)
        velocity = np.minimum(np.maximum(wanted.velocity, low), high)
        velocity = np.minimum(np.maximum(velocity, -self._speed), self._speed)
        change = self._acceleration * self._h
        velocity = np.minimum(np.maximum(velocity, v - change), v + change)
        return Compliant(
            np.where(fine, wanted.position, middle + self._half_h * velocity),
            np.where(fine, wanted.velocity, velocity),
            np.where(fine, wanted.acceleration, (velocity - v) / self._h),
        )

    def _stopping(self, velocity: Array) -> Array:
        """Return ``b(v)`` with the sign of the velocity [rad], shape ``(n,)``."""
        speed = np.abs(velocity)
        fast = self._square * speed * speed + 0.5 * self._slow * self._range_time
        distance = np.where(speed <= self._slow, self._range_time * speed, fast)
        return np.copysign(distance + self._half_h * speed, velocity)

    def _fastest(self, room: Array) -> Array:
        """Return the largest ``v+`` with ``v+ h/2 + b(v+) <= room`` [rad/s], shape ``(n,)``.

        :param room: distance from ``q + v h/2`` to the end of the range [rad], shape ``(n,)``.
        """
        a, h, t = self._acceleration, self._h, self._range_time
        slow = room / (t + h)
        root = a * a * (h * h - t * t) + 2.0 * a * room
        return np.where(slow <= self._slow, slow, np.sqrt(np.maximum(root, 0.0)) - a * h)
