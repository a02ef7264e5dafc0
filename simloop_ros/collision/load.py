"""A load that was recognised."""

from __future__ import annotations

import msgspec

from ..core.values import Array


class Load(msgspec.Struct, frozen=True):
    """What a tip carries, as it was recognised.

    :ivar tip: name of the link.
    :ivar mass: [kg]; ``mass_error``: its standard deviation.
    :ivar centre: of its mass, in the frame of the tip [m].
    :ivar parameters: ten inertial parameters at the tip, as Pinocchio orders them.
    """

    tip: str
    mass: float
    mass_error: float
    centre: tuple[float, float, float]
    parameters: Array
