"""Configuration of the reactions to a contact: the one place of these defaults."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ..core.config_types import NonNegative, Positive


class ReactionConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the robot stops, retreats or yields after a contact.

    :ivar margin: share of the effort limits that braking uses; the rest is for model errors.
    :ivar ramp_time: ``stop``, time in which the deceleration builds up [s].
    :ivar distance: ``retreat``, how far a tip goes back [m].
    :ivar speed: ``retreat``, of the fastest tip on its way back [m/s].
    :ivar acceleration: ``retreat``, of the fastest tip along its way back [m/s^2].
    :ivar float_time: ``float``, time constant with which the motion decays [s]; none for gravity
        compensation only.
    """

    margin: Annotated[float, msgspec.Meta(gt=0.0, le=1.0)] = 0.8
    ramp_time: NonNegative = 0.005
    distance: Positive = 0.05
    speed: Positive = 0.1
    acceleration: Positive = 1.0
    float_time: Positive | None = None
