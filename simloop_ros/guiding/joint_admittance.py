"""Admittance: an external torque moves a joint as a mass, a damper and a spring do.

The same, with forces and torques, moves the six axes of a hand or an object: 003 (2.1).
"""

from __future__ import annotations

import msgspec

from ..core.values import Array
from ..maths.discretisation import Discretisation, Discretiser, Parameters


class AdmittanceState(msgspec.Struct, frozen=True, gc=False):
    """Deflection e [rad, m] and its velocity e' [rad/s, m/s] of each axis, shape ``(n,)``."""

    deflection: Array
    velocity: Array


class AdmittanceStep(msgspec.Struct, frozen=True, gc=False):
    """The end of a step.

    :ivar state: deflection and velocity there.
    :ivar acceleration: e'' there, under the torque of the step [rad/s^2, m/s^2], shape ``(n,)``.
    """

    state: AdmittanceState
    acceleration: Array


class Admittance:
    """001 (2) and 003 (2.1), for each axis by itself, solved exactly.

    ::

        tau_ext = m e'' + d e' + s e,        q_c = q_d + e

    001 writes ``e = q_d - q_c``; here ``e`` has the other sign, so that a positive torque moves
    the axis in its positive direction. Torque and parameters are constant over a step. With
    ``f = (tau_ext - s e)/m`` and ``p`` as in ``Discretisation``::

        e+   = e + p v + area f
        e'+  = p' v + p f
        e''+ = p' (f - d/m v) - s/m p v

    Nothing is lost at rest: where ``v = 0`` and ``s e = tau_ext`` the state stays as it is, bit
    for bit. Parameters belong to the step, not to the state: changing them moves neither the
    deflection nor the velocity.

    :param period: length ``h`` of a step [s].
    """

    def __init__(self, period: float):
        self._discretise = Discretiser(period)
        self._cached_parameters: Parameters | None = None
        self._cached_step: Discretisation

    def discretisation(self, parameters: Parameters) -> Discretisation:
        """Return the coefficients; computed again only when the parameters are another object."""
        if parameters is not self._cached_parameters:
            self._cached_step = self._discretise(parameters)
            self._cached_parameters = parameters
        return self._cached_step

    def step(
        self, state: AdmittanceState, parameters: Parameters, torque: Array
    ) -> AdmittanceStep:
        """Return the state and the acceleration one period later.

        :param torque: external, constant over the step [N m, N], shape ``(n,)``.
        """
        c = self.discretisation(parameters)
        e, v = state.deflection, state.velocity
        push = c.stiffness * e
        push -= torque
        push *= c.inverse_mass  # -f
        impulse = c.impulse
        deflection = impulse * v
        deflection -= c.area * push
        deflection += e
        velocity = c.slope * v
        velocity -= impulse * push
        push += c.decay * v
        push *= c.slope
        push += c.recoil * v
        return AdmittanceStep(AdmittanceState(deflection, velocity), -push)
