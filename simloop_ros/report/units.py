"""Readable numbers and units."""

from __future__ import annotations

from fractions import Fraction

import msgspec

_FACTORS = (1e9, 1e6, 1e3, 1.0, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15)
_PREFIXES = tuple(zip(_FACTORS, ('G', 'M', 'k', '', 'm', 'µ', 'n', 'p', 'f'), strict=True))


class Scale(msgspec.Struct, frozen=True):
    """A unit with its prefix; a value in SI units is divided by ``factor`` to be in ``unit``."""

    factor: float
    unit: str


def scale_for(largest: float, unit: str) -> Scale:
    """Return a readable prefix for values up to ``largest`` [SI]; none from 0.1 to 1000."""
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
    """Return the title of a run's figures: scenario, period, mass bias."""
    bias = f', plant mass {100.0 * mass_bias:+g} %' if mass_bias else ''
    return f'{scenario}, {period_text(period)}{bias}'
