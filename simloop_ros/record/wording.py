"""Numbers as people write them, for the verdict of a run."""

from __future__ import annotations

from math import ceil, isfinite, log10

_PREFIXES = ((1e-3, 'm'), (1e-6, 'u'))


def moment(time: float, period: float) -> str:
    """Return a time [s] as text, rounded to the decimals of the period."""
    decimals = max(0, ceil(-log10(period) - 1e-9))
    return f'{round(time, decimals):.{decimals}f}'.rstrip('0').rstrip('.') + ' s'


def span(time: float) -> str:
    """Return a duration [s] as text, in milliseconds if it is below a second."""
    return f'{time:.3g} s' if time >= 1.0 else f'{1e3 * time:.3g} ms'


def length(distance: float) -> str:
    """Return a length [m] as text: 0.31 m, 2.8 mm, 15 um."""
    if not isfinite(distance):
        return 'an unknown distance'
    if distance >= 0.1:
        return f'{distance:.3g} m'
    for factor, prefix in _PREFIXES:
        if distance >= factor:
            return f'{distance / factor:.3g} {prefix}m'
    return 'less than 1 um'
