"""Validation of vectors of joints and velocities."""

from __future__ import annotations

import math

import numpy as np

from ..core.errors import ConfigError
from ..core.values import Array


def checked_vector(values: Array, count: int, what: str, owner: str) -> Array:
    """Return finite numbers, shape ``(count,)``; takes a microsecond, for use in every step.

    :param what: what they are, for the message.
    :param owner: what has ``count`` of them, for the message.
    :raises ConfigError: there are more or fewer, or one is not a finite number.
    """
    vector = as_numbers(values, what)
    if vector.shape != (count,):
        raise ConfigError(f'{what} of shape {vector.shape}: {owner} has {count}')
    if not all(map(math.isfinite, vector.tolist())):
        raise not_finite(what)
    return vector


def as_numbers(values: Array, what: str) -> Array:
    """Return an array of float64 of any shape.

    :raises ConfigError: these are not numbers, or not in rows of the same length.
    """
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ConfigError(f'{what} that are not an array of numbers; give numbers only') from None


def not_finite(what: str) -> ConfigError:
    """Return the error for numbers of which one is NaN or infinite."""
    return ConfigError(f'{what} that are not finite; give numbers only')
