"""What the axes of joints show: equal scales where they are compared, and no rounding."""

from __future__ import annotations

from collections.abc import Sequence
import math
import re

import msgspec

SIMILAR = 5.0
"""Curves that are smaller than the largest by less than this factor share its scale."""
LEAST_SHARE = 1e-2
"""What axes show at least, as a part of the largest extent of all joints with their unit."""
LEAST_RELATIVE = 1e-3
"""What axes show at least, as a part of the values: ticks stay short."""
ROUNDING = 1e-9
"""Part of the largest value of a quantity below which everything is rounding."""
LEAST_VALUE = 1e-3
"""Stands for the largest value of a quantity that is nearly zero [SI]."""
ROOM = 1.12
"""Height of axes, as a multiple of what they show."""


class Extent(msgspec.Struct, frozen=True):
    """Smallest and largest value of the curves of a joint [SI], and the unit.

    :ivar arm: the joint's name without its side: joints of two arms that are compared have the
        same one.
    """

    low: float
    high: float
    unit: str
    arm: str

    @property
    def size(self) -> float:
        """Return the distance between both."""
        return self.high - self.low

    @property
    def largest(self) -> float:
        """Return the largest absolute value."""
        return max(abs(self.low), abs(self.high))


class Range(msgspec.Struct, frozen=True):
    """Limits of the vertical axis of a joint [SI].

    :ivar largest: absolute value on all axes of this scale: they have one unit.
    """

    low: float
    high: float
    largest: float


def without_side(name: str) -> str:
    """Return the name of a joint without the part that tells left from right."""
    parts = re.split(r'(?<![a-z])(?:left|right|l|r)(?![a-z])', name.lower())
    return '*'.join(parts)


def rounding_text(largest: float, scale: float, unit: str) -> str | None:
    """Return what to write instead of curves that are only rounding; ``None`` if they are not.

    :param largest: absolute value of the curves [SI].
    :param scale: largest value of the quantity that they are part of [SI].
    """
    if not largest < ROUNDING * max(scale, LEAST_VALUE):
        return None
    if largest == 0.0:
        return f'0 {unit} throughout'
    digit = 10.0 ** math.floor(math.log10(largest))
    return f'below {math.ceil(largest / digit) * digit:.0e} {unit}: rounding'


def shared_ranges(extents: Sequence[Extent], *, same_limits: bool) -> list[Range]:
    """Return the range of each joint: equal heights for those of equal unit and similar size.

    :param same_limits: whether they also share the limits; else each has its own middle.
    """
    sizes: dict[tuple[str, str], float] = {}
    for each in extents:
        key = each.unit, each.arm
        sizes[key] = max(sizes.get(key, 0.0), each.size)
    ranges: dict[int, Range] = {}
    for unit in {each.unit for each in extents}:
        members = [i for i, each in enumerate(extents) if each.unit == unit]
        least = LEAST_SHARE * max(sizes[unit, extents[i].arm] for i in members)
        own = {i: max(sizes[unit, extents[i].arm], least) for i in members}
        group: list[int] = []
        for i in sorted(members, key=lambda i: -own[i]):
            if group and own[i] * SIMILAR < own[group[0]]:
                ranges |= _ranges_of(group, extents, own[group[0]], same_limits)
                group = []
            group.append(i)
        ranges |= _ranges_of(group, extents, own[group[0]], same_limits)
    return [ranges[i] for i in range(len(extents))]


def _ranges_of(
    group: Sequence[int], extents: Sequence[Extent], size: float, same_limits: bool
) -> dict[int, Range]:
    """Return the ranges of joints that are drawn with one scale."""
    largest = max(extents[i].largest for i in group)
    low, high = min(extents[i].low for i in group), max(extents[i].high for i in group)
    if same_limits:
        size = max(size, high - low)
    half = ROOM / 2.0 * max(size, LEAST_RELATIVE * largest) or 1.0
    middles = {
        i: (low + high) / 2.0 if same_limits else (extents[i].low + extents[i].high) / 2.0
        for i in group
    }
    most = max(map(abs, middles.values())) + half
    return {i: Range(middle - half, middle + half, most) for i, middle in middles.items()}
