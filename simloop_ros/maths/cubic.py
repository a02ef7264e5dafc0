"""Cubics between two points."""

from __future__ import annotations

from typing import NamedTuple

from ..core.values import Array


class Cubic(NamedTuple):
    """``p(u) = start + a u + b u^2 + c u^3`` for ``0 <= u <= 1``; each of shape ``(n,)``."""

    start: Array
    a: Array
    b: Array
    c: Array

    def position(self, u: float) -> Array:
        """Return ``p``."""
        return self.start + u * (self.a + u * (self.b + u * self.c))

    def slope(self, u: float) -> Array:
        """Return ``dp/du``."""
        return self.a + u * (2.0 * self.b + 3.0 * u * self.c)

    def bend(self, u: float) -> Array:
        """Return ``d^2p/du^2``."""
        return 2.0 * self.b + 6.0 * u * self.c


def hermite(start: Array, end: Array, start_slope: Array, end_slope: Array) -> Cubic:
    """Return the cubic with these ends and these ``dp/du`` there."""
    way = end - start
    return Cubic(
        start,
        start_slope,
        3.0 * way - 2.0 * start_slope - end_slope,
        start_slope + end_slope - 2.0 * way,
    )


def catmull_rom(before: Array, here: Array, there: Array, beyond: Array) -> Cubic:
    """Return the cubic from ``here`` to ``there`` of four points at even distances.

    Its slopes are those of the chords between the neighbours: ``hermite`` with
    ``(there - before)/2`` and ``(beyond - here)/2``, multiplied out.
    """
    return Cubic(
        here,
        0.5 * (there - before),
        before - 2.5 * here + 2.0 * there - 0.5 * beyond,
        0.5 * (beyond - before) + 1.5 * (here - there),
    )
