"""How robot and obstacle touch, the same in every engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core.values import Contact

SLIDING_FRICTION = 0.5
"""Coefficient of friction between a link and an obstacle."""


Touch = tuple[str, str, float, Sequence[float], Sequence[float]]
"""Link, obstacle, normal force [N], place in the world [m] and unit normal, from the obstacle to
the link, of a touching point."""


def sum_contacts(points: Iterable[Touch]) -> tuple[Contact, ...]:
    """Return one contact per link and obstacle, with the sum of the normal forces [N]."""
    sums: dict[tuple[str, str], tuple[float, ...]] = {}
    for link, obstacle, force, place, normal in points:
        if force > 0.0:
            total, *moments = sums.get((link, obstacle), (0.0,) * 7)
            parts = (*place, *normal)
            added = (m + force * each for m, each in zip(moments, parts, strict=True))
            sums[link, obstacle] = (total + force, *added)
    return tuple(
        Contact(*pair, force, (x / force, y / force, z / force), (a / force, b / force, c / force))
        for pair, (force, x, y, z, a, b, c) in sums.items()
    )
