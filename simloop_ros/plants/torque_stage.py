"""The torque control of a drive with a flexible gear: 001, section 4.3."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.errors import ConfigError
from ..core.values import Array
from ..maths.discretisation import Discretiser, Parameters
from ..robot.flexible_joints import FlexibleJoints
from .config import TorqueControl


@dataclass(frozen=True)
class Transition:
    """How a torque error and its rate go on for a time, of all joints alike.

    ``e+ = position e + rate e'`` and ``e'+ = slope e + decay e'``; the mean error over the time
    is ``mean e + mean_rate e'``.
    """

    position: float
    rate: float
    slope: float
    decay: float
    mean: float
    mean_rate: float


class TorqueStage:
    """The motor torque that makes the torque in the gear follow the desired one, 001 (3).

    Of the torque in the gear's spring ``tau = K_m (theta - q)`` the error ``e = tau - tau_d``
    shall obey, for a constant ``tau_d``::

        e'' + D_tau e' + (K_tau + K_m J_m^-1) e = 0                                     001 (3)

    Since ``e'' = K_m (theta'' - q'')``, the motor has to turn with

        theta'' = q'' - K_m^-1 (D_tau e' + (K_tau + K_m J_m^-1) e)

    and since ``J_m theta'' = tau_m - tau - D K_m^-1 tau'``, the drive has to give::

        tau_m = tau_d + J_m q'' + (D - J_m D_tau) K_m^-1 tau' - J_m K_m^-1 K_tau e
              = tau + D K_m^-1 tau' + J_m (q'' + K_m^-1 e'')

    in which ``J_m q''`` is the acceleration feedback: whatever the link does, pushed or not, does
    not enter the error. Friction of the motor, which the drive does not know, does: it stands on
    the right of (3) as ``-K_m J_m^-1 f``.

    The gains are given as frequency and damping ratio of (3), the same for all joints:
    ``K_tau + K_m J_m^-1 = frequency^2`` and ``D_tau = 2 ratio frequency``. ``tau_m`` is not
    limited: it is large for the short time after a jump of ``tau_d``, and finite always.

    :ivar stiffness: ``K_tau`` [1/s^2], shape ``(n,)``.
    :ivar damping: ``D_tau`` [1/s].
    :ivar frequency: natural frequency of the error [rad/s].
    :raises ConfigError: the frequency is below that of a motor on its gear, so that ``K_tau``
        would not be positive.
    """

    def __init__(self, joints: FlexibleJoints, config: TorqueControl):
        self._joints = joints
        self.frequency = config.natural_frequency
        self._ratio = config.damping_ratio
        self.damping = 2.0 * self._ratio * self.frequency
        self.stiffness: Array = self.frequency**2 - joints.stiffness / joints.motor_inertia
        if self.stiffness.min() <= 0.0:
            lowest = np.sqrt(joints.stiffness / joints.motor_inertia).max()
            raise ConfigError(
                f'plant.torque_control.natural_frequency: {self.frequency:g} rad/s is not above '
                f'that of every motor on its gear, {lowest:.4g} rad/s'
            )
        self._inertia_over_stiffness = joints.motor_inertia / joints.stiffness
        self._damping_time = joints.damping / joints.stiffness

    def motor_torque(
        self, desired: Array, torque: Array, rate: Array, acceleration: Array, held: float = 0.0
    ) -> Array:
        """Return ``tau_m`` [N m], shape ``(n,)``.

        A drive that holds its torque for a while takes the mean rate over it, ``e' + held e''/2``,
        so that (3) is obeyed to the second order of that time.

        :param desired: ``tau_d`` [N m].
        :param torque: ``tau`` in the gears' springs [N m], in the middle of the time.
        :param rate: ``tau'`` [N m/s], at its begin.
        :param acceleration: ``q''`` of the links [rad/s^2].
        :param held: the time [s].
        """
        gain = -1.0 / (1.0 + 0.5 * held * self.damping)
        second = (gain * self.damping) * rate + (gain * self.frequency**2) * (torque - desired)
        return (
            torque
            + self._damping_time * rate
            + self._joints.motor_inertia * acceleration
            + self._inertia_over_stiffness * second
        )

    def transition(self, time: float) -> Transition:
        """Return the exact solution of (3) after a time [s].

        With ``p`` of ``Discretisation``: ``e = (p' + D_tau p) e_0 + p e'_0``.
        """
        mass, damping, stiffness = np.ones(1), self.damping, self.frequency**2
        step = Discretiser(time)(Parameters(mass, damping * mass, stiffness * mass))
        p, rate_of_p, area = float(step.impulse[0]), float(step.slope[0]), float(step.area[0])
        return Transition(
            position=rate_of_p + damping * p,
            rate=p,
            slope=-stiffness * p,
            decay=rate_of_p,
            mean=(p + damping * area) / time,
            mean_rate=area / time,
        )
