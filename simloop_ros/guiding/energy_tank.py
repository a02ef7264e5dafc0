"""The account of energy that a rising stiffness is paid from."""

from __future__ import annotations

import numpy as np

from ..core.values import Array
from ..maths.discretisation import Parameters
from .joint_admittance import AdmittanceState

HALF = np.array(0.5)


def stored(state: AdmittanceState, parameters: Parameters) -> Array:
    """Return ``m e'^2/2 + s e^2/2`` [J] of each joint, shape ``(n,)``."""
    kinetic = state.velocity * state.velocity
    kinetic *= parameters.mass
    spring = state.deflection * state.deflection
    spring *= parameters.stiffness
    kinetic += spring
    kinetic *= HALF
    return kinetic


def gained(
    before: AdmittanceState, after: AdmittanceState, parameters: Parameters, torque: Array
) -> Array:
    """Return what a step takes out of mass and spring, and the tank may have [J].

    ``tau (e+ - e) - (V+ - V)``: the work of a constant torque, exactly, less what is now stored.
    That is what the damper turned into heat, and what limits took out; it is negative only where
    the acceleration limit brakes less than the parameters ask for.
    """
    work = after.deflection - before.deflection
    work *= torque
    work += stored(before, parameters)
    work -= stored(after, parameters)
    return work


class StiffnessChange:
    """Let the stiffness fall freely and rise as far as the tank pays.

    ::

        s+ = min(wanted, s + 2 max(T, 0)/e^2)
        T+ = min(T - (s+ - s) e^2/2, reserve + (s_free - s+) e^2/2)

    so that ``V + T`` never grows by a change of stiffness. The ceiling keeps what the joint could
    ever give back below what it would hold with constant, free parameters at the same place,
    plus the reserve.

    :param free_stiffness: [N m/rad], shape ``(n,)``.
    :param reserve: [J].
    """

    def __init__(self, free_stiffness: Array, reserve: float):
        self._free = free_stiffness
        self._reserve = np.array(reserve)

    def __call__(
        self, stiffness: Array, wanted: Array, tank: Array, deflection: Array
    ) -> tuple[Array, Array]:
        """Return the stiffness [N m/rad] and the tank [J] after the change."""
        square = deflection * deflection
        square *= HALF
        price = wanted - stiffness
        price *= square
        if (price > tank).any():
            funds = np.maximum(tank, 0.0)
            share = np.ones_like(price)
            np.divide(funds, price, out=share, where=price > funds)
            wanted = stiffness + share * (wanted - stiffness)
            price = (wanted - stiffness) * square
        ceiling = self._free - wanted
        np.maximum(ceiling, 0.0, out=ceiling)
        ceiling *= square
        ceiling += self._reserve
        return wanted, np.minimum(tank - price, ceiling)
