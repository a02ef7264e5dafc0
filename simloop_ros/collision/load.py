"""A load that was recognised."""

from __future__ import annotations

import msgspec


class Load(msgspec.Struct, frozen=True):
    """What a tip carries, as it was recognised.

    :ivar tip: name of the link.
    :ivar mass: [kg]; ``mass_error``: its standard deviation.
    :ivar centre: of its mass, in the frame of the tip [m].
    :ivar taken: whether the monitor has taken it over, and control shall; else it is proposed.
    """

    tip: str
    mass: float
    mass_error: float
    centre: tuple[float, float, float]
    taken: bool = False
