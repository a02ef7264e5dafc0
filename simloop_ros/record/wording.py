"""Numbers as people write them, for the verdict of a run."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, isfinite, log10

from ..robot.model import EFFORT_UNITS


def moment(time: float, period: float) -> str:
    """Return a time [s] as text, rounded to the decimals of the period."""
    decimals = max(0, ceil(-log10(period) - 1e-9))
    text = f'{round(time, decimals):.{decimals}f}'
    return (text.rstrip('0').rstrip('.') if decimals else text) + ' s'


def span(time: float) -> str:
    """Return a duration [s] as text, in milliseconds if it is below a second."""
    return f'{time:.3g} s' if time >= 1.0 else f'{1e3 * time:.3g} ms'


def effort_unit(joint_units: Iterable[str]) -> str:
    """Return the unit of the efforts of joints, ``N m``, ``N`` or both, from their positions'."""
    return ' or '.join(EFFORT_UNITS[unit] for unit in sorted(set(joint_units)))


def length(distance: float) -> str:
    """Return a length [m] as text: 0.31 m, 2.8 mm, 15 um."""
    if not isfinite(distance):
        return 'an unknown distance'
    if distance >= 0.1:
        return f'{distance:.3g} m'
    if distance >= 1e-4:
        return f'{1e3 * distance:.3g} mm'
    return f'{1e6 * distance:.2g} um' if distance >= 1e-6 else 'less than 1 um'
