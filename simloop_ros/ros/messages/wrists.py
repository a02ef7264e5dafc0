"""Wrist sensors and path corrections of two hands, over topics."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.values import Array
from ...record.hands_log import AXES

WRENCHES, TRUE_WRENCHES = 'wrist_wrenches', 'true_wrist_wrenches'
"""Topics of the readings of the wrist sensors and of the true wrenches: in ``effort``, by hand and
axis."""
CORRECTIONS = 'path_corrections'
"""Topic of the path corrections, in axes of the object: in ``position``, by hand and axis. Its
``frame_id`` is the present task, or why both arms stop."""
OBJECT = 'object_state'
"""Topic of the object's pose and velocity in the world, by axis."""


def hand_axes(tips: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the numbers of all hands: six axes for each tip."""
    return tuple(f'{tip}/{axis}' for tip in tips for axis in AXES)


def by_hand(numbers: Array) -> Array:
    """Return the numbers of all hands, shape ``(6 hands,)``, one row for each hand."""
    return numbers.reshape(-1, len(AXES))
