"""Numbers and units as a person reads them."""

from __future__ import annotations

from fractions import Fraction

import msgspec

_PREFIXES = (
    (1e9, 'G'),
    (1e6, 'M'),
    (1e3, 'k'),
    (1.0, ''),
    (1e-3, 'm'),
    (1e-6, 'µ'),
    (1e-9, 'n'),
    (1e-12, 'p'),
    (1e-15, 'f'),
)

EFFORT_UNITS = {'rad': 'N m', 'm': 'N'}
"""Unit of a joint's position -> unit of its effort."""


class Scale(msgspec.Struct, frozen=True):
    """A unit with its prefix; a value in SI units is divided by ``factor`` to be in ``unit``."""

    factor: float
    unit: str


def scale_for(largest: float, unit: str) -> Scale:
    """Return the prefix with which values up to ``largest``, in SI units, read well.

    Values from 0.1 to 1000 stay as they are: nobody wants 300 mrad for 0.3 rad.
    """
    if not 0.0 < largest < float('inf') or 0.1 <= largest < 1e3:
        return Scale(1.0, unit)
    for factor, prefix in _PREFIXES:
        if largest >= factor * (1.0 if factor > 1.0 else 0.1):
            return Scale(factor, prefix + unit)
    return Scale(_PREFIXES[-1][0], _PREFIXES[-1][1] + unit)


def period_text(period: float) -> str:
    """Return a period as ``h = 1/200 s`` where it is such a fraction, else ``h = 0.003 s``."""
    fraction = Fraction(period).limit_denominator(1_000_000)
    if fraction.numerator == 1 and abs(float(fraction) - period) <= 1e-12 * period:
        return f'h = 1/{fraction.denominator} s' if fraction.denominator > 1 else 'h = 1 s'
    return f'h = {period:g} s'


def run_title(scenario: str, period: float, mass_bias: float = 0.0) -> str:
    """Return what the figures of a run are headed with: scenario, period, mass bias."""
    bias = f', plant mass {100.0 * mass_bias:+g} %' if mass_bias else ''
    return f'{scenario}, {period_text(period)}{bias}'
