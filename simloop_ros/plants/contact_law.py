"""How robot and obstacle touch, the same in every engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..core.values import Contact

SLIDING_FRICTION = 0.5
"""Coefficient of friction between a link and an obstacle."""


def sum_contacts(
    points: Iterable[tuple[str, str, float, Sequence[float]]],
) -> tuple[Contact, ...]:
    """Return one contact per link and obstacle, with the sum of the normal forces [N].

    :param points: link, obstacle, normal force and place in the world [m] of each touching point.
    """
    sums: dict[tuple[str, str], tuple[float, ...]] = {}
    for link, obstacle, force, (x, y, z) in points:
        if force > 0.0:
            total, *moments = sums.get((link, obstacle), (0.0, 0.0, 0.0, 0.0))
            added = (m + force * each for m, each in zip(moments, (x, y, z), strict=True))
            sums[link, obstacle] = (total + force, *added)
    return tuple(
        Contact(*pair, force, (x / force, y / force, z / force))
        for pair, (force, x, y, z) in sums.items()
    )
