"""Configuration of the control simulation: the one place of these defaults."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ..core.config_types import NonNegative, Parameters, Positive, one_of_or_class

Frequency = Annotated[float, msgspec.Meta(ge=1e-3, le=1e6)]
Law = Annotated[str, one_of_or_class('deadbeat', 'computed_torque', 'pd_gravity', 'pid')]


class ControlConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How torques are computed and how the simulation follows the robot.

    :ivar law: ``deadbeat``, 000 algorithm 2, ``computed_torque``, 000 (3.5), ``pd_gravity``,
        ``pid`` or a class of the user, ``my_module:MyLaw``; where none is given,
        ``computed_torque``, which tolerates late torques, in real time and with flexible joints,
        else ``deadbeat``.
    :ivar parameters: values for a law of the user, by name.
    :ivar rollback: ``measured``, 000 as written, or ``observer``; where none is given,
        ``observer`` if the encoders have noise or a resolution or time is real, else
        ``measured``.
    :ivar regularisation: Sigma of 000 (3.3) for every joint [1/(kg m^2)].
    :ivar bandwidth: bandwidth of the observer [rad/s].
    :ivar natural_frequency: of the error under every law but ``deadbeat`` [rad/s]: K_p is its
        square, times an inertia of each joint under ``pd_gravity`` and ``pid``. For a real robot
        it is at most what the delay of its commands allows, ``0.3/(h/2 + delay)``.
    :ivar damping_ratio: of the error under these laws: K_v is 2 ratio frequency, times the same.
    """

    law: Law | None = None
    parameters: Parameters = {}
    rollback: Literal['measured', 'observer'] | None = None
    regularisation: NonNegative = 0.0
    bandwidth: Positive = 200.0
    natural_frequency: Frequency = 60.0
    damping_ratio: Positive = 1.0

    def resolved(
        self, *, noisy: bool, realtime: bool = False, flexible: bool = False
    ) -> ControlConfig:
        """Return the configuration with law and rollback chosen, where they were left open.

        :param noisy: whether the encoders have noise or a resolution.
        """
        return msgspec.structs.replace(
            self,
            law=self.law or ('computed_torque' if realtime or flexible else 'deadbeat'),
            rollback=self.rollback or ('observer' if noisy or realtime else 'measured'),
        )

    def compliance(self, period: float) -> float:
        """Return the position error per acceleration that the model does not explain [s^2]."""
        if self.law == 'deadbeat' or self.law is None:
            return period**2
        return 1.0 / self.natural_frequency**2

    @property
    def words(self) -> str:
        """Return the law for a log."""
        if self.law in ('computed_torque', 'pd_gravity', 'pid'):
            return f'control law {self.law}, {self.natural_frequency:.3g} rad/s'
        return f'control law {self.law}'
