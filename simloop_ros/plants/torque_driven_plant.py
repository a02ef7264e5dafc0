"""An arm with flexible joints and ideal torque control."""

from __future__ import annotations

from ..core.values import Array
from ..robot.model import RobotModel
from .flexible_plant import FlexiblePlant, count_steps
from .torque_stage import TorqueStage

TORQUE_PHASE = 0.5
"""Largest phase of the torque error in one physics step [rad]."""


class TorqueDrivenPlant(FlexiblePlant):
    """Flexible joints whose drives obey 001 (3) in continuous time.

    An effort is the desired torque of the drives. With the acceleration feedback of
    ``TorqueStage`` the torque in the gears obeys (3) whatever the links do, so it is known in
    closed form for the whole of a physics step, exactly and without a limit on the step; the
    links get its mean::

        v+ = v + h aba(q, v, mean(tau + D K_m^-1 tau') + tau_ext)
        q+ = q + h v+

    The elastic modes of arm and motors, up to hundreds of hertz, are not there to be simulated:
    the drives have replaced them by (3). ``MotorDrivenPlant`` simulates them, and the drives.

    :param substeps: where none are given, as many as keep the phase of (3) below ``TORQUE_PHASE``.
    """

    def __init__(
        self, model: RobotModel, period: float, stage: TorqueStage, substeps: int | None = None
    ):
        substeps = substeps or count_steps(stage.frequency, period, TORQUE_PHASE)
        super().__init__(model, period, substeps)
        h = float(self._h)
        self._go = go = stage.transition(h)
        share = self._damping_time / h
        self._mean = go.mean + share * (go.position - 1.0)
        self._mean_rate = go.mean_rate + share * go.rate

    @property
    def lag(self) -> float:
        """Return ``(n - 1)/2n``: each of ``n`` physics steps moves by its last velocity."""
        return (self._substeps - 1) / (2 * self._substeps)

    def _substep(self, effort: Array) -> None:
        """Take one physics step; ``effort`` is ``tau_d``."""
        error, rate, go = self._torque - effort, self._rate, self._go
        self._torque = effort + go.position * error + go.rate * rate
        self._rate = go.slope * error + go.decay * rate
        mean = effort + self._mean * error + self._mean_rate * rate
        self._v = self._v + self._h * self._acceleration(self._q, mean)
        self._q = self._q + self._h * self._v
