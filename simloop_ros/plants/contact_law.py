"""How robot and obstacle touch, the same in every engine."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.values import Contact

SLIDING_FRICTION = 0.5
"""Coefficient of friction between a link and an obstacle."""


def sum_contacts(points: Iterable[tuple[str, str, float]]) -> tuple[Contact, ...]:
    """Return one contact per link and obstacle, with the sum of the normal forces [N].

    :param points: link, obstacle and normal force of each touching point.
    """
    forces: dict[tuple[str, str], float] = {}
    for link, obstacle, force in points:
        if force > 0.0:
            forces[link, obstacle] = forces.get((link, obstacle), 0.0) + force
    return tuple(Contact(*pair, force) for pair, force in forces.items())
