"""What a page may ask of a live run: the limits of its numbers."""

from __future__ import annotations

from math import isfinite
from typing import Any

import msgspec

from ...core.errors import ConfigError
from ..actions import Action

LIMITS: dict[tuple[str, str], tuple[float, float]] = {
    ('Grip', 'stiffness'): (1.0, 1e5),
    ('Grip', 'max_force'): (0.0, 1e4),
    ('Throw', 'mass'): (1e-3, 100.0),
    ('Throw', 'radius'): (5e-3, 0.5),
    ('PutPayload', 'mass'): (0.0, 1e3),
    ('Step', 'count'): (1, 5000),
}
"""Smallest and largest value of a field of an action."""
FARTHEST = 1e3
"""Largest coordinate [m] and speed [m/s]."""


def refuse_invalid(action: Action) -> None:
    """Refuse numbers that no run can take.

    :raises ConfigError: with the reason.
    """
    kind = type(action).__name__
    for field in msgspec.structs.fields(type(action)):
        value: Any = getattr(action, field.name)
        if isinstance(value, tuple) and all(isinstance(each, (int, float)) for each in value):
            if not all(abs(each) <= FARTHEST for each in value):
                raise ConfigError(f'{field.name}: {value}: three numbers within {FARTHEST:g}')
        elif isinstance(value, (int, float)):
            least, most = LIMITS.get((kind, field.name), (-float('inf'), float('inf')))
            if not (isfinite(value) and least <= value <= most):
                limits = 'a finite number' if least == -most else f'{least:g} to {most:g}'
                raise ConfigError(f'{field.name}: {value:g}; possible: {limits}')
