"""The rules that tune the control laws, from the model and the period.

Every law with a bandwidth gets the same one, ``w`` (``control.natural_frequency``), and the same
damping ratio ``r``. Computed torque needs no more: its error obeys ``s^2 + 2 r w s + w^2`` in
every direction. The decentralised laws need an inertia ``d`` per joint:

- ``d_j = 1 / (M^-1)_jj`` at home: the apparent inertia of joint ``j``, the other joints being
  free. It is the plant ``q_j / tau_j`` of that joint alone.
- The joints are coupled, so a motion of several joints sees ``l d`` instead of ``d``, where ``l``
  is an eigenvalue of ``M^-1 diag(d)``. In steps of ``h`` with the velocity as a difference
  quotient the loop is stable while ``l (2 h K_v + h^2 K_p + h^3 K_i / 2) < 4`` (gains for
  ``d = 1``; the pole that leaves first does so at ``z = -1``). All ``d`` are scaled down, if
  need be, so that the largest ``l`` stays below that by ``GAIN_MARGIN`` times ``POSE_MARGIN``.
- PID places its poles at ``(s^2 + 2 r w s + w^2)(s + c w)``. The direction with the smallest
  ``l`` is stable while ``l (2 r + c)(1 + 2 r c) > c`` (Routh), here too by ``GAIN_MARGIN``, and
  ``c`` is at most ``INTEGRAL_SHARE``.
"""

from __future__ import annotations

from math import sqrt

import msgspec
import numpy as np
import pinocchio as pin

from ..core.values import Array
from ..robot.model import RobotModel
from .config import ControlConfig

BANDWIDTH_TIMES_PERIOD = 0.3
"""Nominal bandwidth times period.

Computed torque with ``r = 1`` is stable up to 0.83, and up to 0.40 if measurements come one
period late; PID up to 0.73 and 0.35. This is the largest round number that tolerates such a delay.
At h = 1/200 it is 60 rad/s, the default of ``control.natural_frequency``.
"""
DELAY_ANGLE = 0.3
"""Largest natural frequency times delay, that of the hold included. With the ratio 1 a loop has a
phase margin of 76 degrees without delay, and 41 with this one. The observer, which takes commands
for applied at once, takes some of it: at least 1.4 times the delay is stable."""
GAIN_MARGIN = 2.0
"""Factor between the gain of a loop and the one at which it becomes unstable."""
POSE_MARGIN = 2.0
"""Factor by which the coupling may be larger elsewhere than at home.

Over their whole range it is up to 26 times as large for YuMi and 10 times for the LWR, where axes
of the arm nearly coincide. Gains that are safe there would leave a joint a thirtieth of its
stiffness everywhere: constant gains are for the poses around the one they were tuned for.
"""
INTEGRAL_SHARE = 0.2
"""Largest pole of the integral, as a part of the bandwidth: it takes 11 degrees of phase there."""


class JointGains(msgspec.Struct, frozen=True):
    """Gains of each joint, shape ``(n,)``.

    :ivar stiffness: K_p [N m/rad].
    :ivar damping: K_v [N m s/rad].
    :ivar integral: K_i [N m/(rad s)].
    """

    stiffness: Array
    damping: Array
    integral: Array


def nominal_bandwidth(period: float) -> float:
    """Return the bandwidth at which laws are compared [rad/s]."""
    return BANDWIDTH_TIMES_PERIOD / period


def bearable_frequency(period: float, delay: float) -> float:
    """Return the largest natural frequency for commands that take effect late [rad/s].

    A command that is held for a period ``h`` acts ``h/2`` late on average::

        w = DELAY_ANGLE/(h/2 + delay)

    :param delay: from a joint state to the effect of its command [s].
    """
    return DELAY_ANGLE / (0.5 * period + delay)


def observer_bandwidth(period: float) -> float:
    """Return the bandwidth of the observer beside laws of the nominal bandwidth [rad/s].

    Deadbeat control behind an observer of bandwidth ``b`` turns noise of standard deviation ``s``
    into accelerations of about ``2 b s/h``; computed torque with the difference quotient as
    velocity into ``2 sqrt(2) r w s/h``. So ``b = w`` is never rougher. Faster than the default of
    ``control.bandwidth`` it would follow the noise and not the robot.
    """
    return min(nominal_bandwidth(period), ControlConfig().bandwidth)


def joint_inertia(model: RobotModel) -> Array:
    """Return the apparent inertia of each joint at home, others free [kg m^2], ``(n,)``."""
    return np.asarray(1.0 / np.diag(_inverse_inertia(model)))


def coupling(model: RobotModel, inertia: Array) -> Array:
    """Return the eigenvalues of ``M^-1 diag(inertia)`` at home, ascending, shape ``(n,)``.

    They are all 1 for a robot whose joints are decoupled.
    """
    root = np.sqrt(inertia)
    return np.asarray(np.linalg.eigvalsh(root[:, None] * _inverse_inertia(model) * root))


def pd_gains(
    model: RobotModel, period: float, natural_frequency: float, damping_ratio: float
) -> JointGains:
    """Return the gains of a PD law."""
    return _gains(model, period, natural_frequency, damping_ratio, 0.0)


def pid_gains(
    model: RobotModel, period: float, natural_frequency: float, damping_ratio: float
) -> JointGains:
    """Return the gains of a PID law."""
    return _gains(model, period, natural_frequency, damping_ratio, INTEGRAL_SHARE)


def gain_limit(period: float, stiffness: float, damping: float, integral: float) -> float:
    """Return the factor by which the gains of a unit inertia may grow before it is unstable."""
    h = period
    return 4.0 / (2.0 * h * damping + h**2 * stiffness + 0.5 * h**3 * integral)


def integral_pole(lightest: float, damping_ratio: float, largest: float) -> float:
    """Return the pole of the integral, as a part of the bandwidth.

    The smaller root of ``l (2 r + c)(1 + 2 r c) = GAIN_MARGIN c``, or ``largest``.

    :param lightest: smallest eigenvalue ``l`` of the coupling.
    """
    a = 2.0 * damping_ratio * lightest
    b = GAIN_MARGIN - lightest * (1.0 + 4.0 * damping_ratio**2)
    if b <= 2.0 * a:
        return largest
    return min(largest, (b - sqrt(b**2 - 4.0 * a**2)) / (2.0 * a))


def _gains(
    model: RobotModel, period: float, w: float, ratio: float, integral_share: float
) -> JointGains:
    inertia = joint_inertia(model)
    eigenvalues = coupling(model, inertia)
    limit = gain_limit(period, *_unit_gains(w, ratio, integral_share))
    scale = min(1.0, limit / (GAIN_MARGIN * POSE_MARGIN * eigenvalues[-1]))
    pole = integral_pole(scale * eigenvalues[0], ratio, integral_share) if integral_share else 0.0
    stiffness, damping, integral = _unit_gains(w, ratio, pole)
    inertia *= scale
    return JointGains(stiffness * inertia, damping * inertia, integral * inertia)


def _unit_gains(w: float, ratio: float, pole: float) -> tuple[float, float, float]:
    """Return K_p, K_v and K_i of a unit inertia with poles ``(s^2 + 2 r w s + w^2)(s + c w)``."""
    return (1.0 + 2.0 * ratio * pole) * w**2, (2.0 * ratio + pole) * w, pole * w**3


def _inverse_inertia(model: RobotModel) -> Array:
    """Return the inverse of the joint inertia at home, shape ``(n, n)``."""
    data = model.pin_model.createData()
    return np.asarray(pin.computeMinverse(model.pin_model, data, model.home)).reshape(model.n, -1)
