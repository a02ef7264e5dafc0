"""Terms of the friction of a joint, as columns of a regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..core.values import Array

TermKind = Literal['armature', 'viscous', 'offset', 'coulomb', 'asymmetry', 'stribeck', 'slope']
SMOOTHING_SPEEDS = (5e-4, 1e-3, 2e-3, 3.5e-3, 6e-3, 1e-2, 1.7e-2, 3e-2, 5e-2, 0.1)
"""Speeds that are tried for the smoothing of dry friction [rad/s]."""
STRIBECK_SHARES = (0.05, 0.1, 0.2, 0.4)
"""Shares of the largest speed that are tried for the speed at which Stribeck friction fades."""


@dataclass(frozen=True)
class Term:
    """A term of the torque of one joint, linear in its coefficient.

    ::

        armature   a                          inertia of a rotor
        viscous    v
        offset     1
        coulomb    tanh(v / w)
        asymmetry  tanh(v / w)^2              more friction in one direction than in the other
        stribeck   tanh(v / w) exp(-|v| / s)  more friction, or less, at low speeds
        slope      (v / w) / cosh(v / w)^2    a wrong ``w``: only for standard errors

    :ivar smoothing: speed ``w`` [rad/s]; not used by the first three.
    :ivar fading: speed ``s`` [rad/s]; used by the last one only.
    """

    kind: TermKind
    smoothing: float = 1.0
    fading: float = np.inf

    def values(self, velocity: Array, acceleration: Array) -> Array:
        """Return the column, of the shape of ``velocity`` [rad/s]."""
        match self.kind:
            case 'armature':
                return acceleration
            case 'viscous':
                return velocity
            case 'offset':
                return np.ones_like(velocity)
        dry = np.tanh(velocity / self.smoothing)
        match self.kind:
            case 'asymmetry':
                return dry**2
            case 'slope':
                return velocity / self.smoothing * (1.0 - dry**2)
            case 'stribeck':
                return dry * np.exp(-np.abs(velocity) / self.fading)
        return dry


def basic_terms(smoothing: float) -> list[Term]:
    """Return what every joint may have.

    The offset is among them, although many joints have none: one that is left out wrongly is
    taken for weight, with a standard error that knows nothing of it.
    """
    return [Term('armature'), Term('viscous'), Term('coulomb', smoothing), Term('offset')]


def optional_terms(smoothing: float, fastest: float) -> list[Term]:
    """Return what a joint has only if the data asks for it.

    :param fastest: largest speed of the joint in the data [rad/s].
    """
    return [
        Term('asymmetry', smoothing),
        *(Term('stribeck', smoothing, share * fastest) for share in STRIBECK_SHARES),
    ]
